// What accounts have used of a cluster, of which older use counts less, and how that compares with what they were promised.
//
// The use of an account is the sum over its runs of size * integral over the run, up to an instant T, of
// 2^(-(T - x) / half_life) dx.  It is kept as (value, rate, instant): the value at the instant, and the sum of the sizes of
// the jobs that run since.  All accounts together are kept like one more.
// Cost: O(1) an event, a new T, and the first question about an account after it.  Memory 72 bytes an account.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class FairShare {
 public:
  FairShare() = default;
  explicit FairShare(Time half_life) : half_life_(half_life) {}

  // Accounts are numbered from 0 on; a new one has used nothing.  Of all shares together it has the part `share`.
  void add_account(double share);
  // It has used nothing from now on; nobody of it runs.
  void renew(std::uint32_t account, double share);
  [[nodiscard]] std::size_t n_accounts() const { return accounts_.size(); }
  // Whether it makes no difference if the account is renewed: nobody of it runs, and its use is too small a part of all for a
  // factor below 1.  That part only becomes smaller, because all use fades alike.
  [[nodiscard]] bool is_spent(std::uint32_t account) const;
  // The same use with these accounts alone, numbered in this order.
  [[nodiscard]] FairShare with_accounts(std::span<const std::uint32_t> accounts) const;

  // Of an account, at an instant that is not before any other that was told.
  void begin_run(std::uint32_t account, double size, Time now) { change_rate(account, size, 1, now); }
  void end_run(std::uint32_t account, double size, Time now) { change_rate(account, size, -1, now); }
  // From now on factors are those of T, which is not before any instant that was told.
  void pass_to(Time instant);
  // 2^(-U / S) with U the part of all use, and S the part of all shares, as of the last T.
  [[nodiscard]] double factor(std::uint32_t account) const {
    const Account& each = accounts_[account];
    return each.seen == instant_ && each.has_factor ? each.factor : factor_anew(account);
  }

  // Account by account, all together last, then the last T.
  template <class Archive>
  void serialize(Archive& archive) {
    for (Account& account : accounts_) account.serialize(archive);
    together_.serialize(archive);
    archive(used_together_, instant_);
  }
  // Of what was read: whether some such use is possible.
  [[nodiscard]] bool is_sound(Time now) const;
  [[nodiscard]] bool runs_as_many_as(const FairShare& other) const;

 private:
  struct Use {
    double value = 0;
    double rate = 0;
    Time instant = 0;
    std::uint64_t n_running = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(value, rate, instant, n_running);
    }
  };
  struct Account {
    Use use;
    double share = 1;
    double used = 0;      // at `seen`
    Time seen = -kNever;  // the last T that it has been told of
    bool has_factor = false;
    double factor = 1;

    template <class Archive>
    void serialize(Archive& archive) {
      use.serialize(archive);
      archive(used, seen, has_factor, factor);
    }
  };

  [[nodiscard]] double factor_anew(std::uint32_t account) const;
  void move_to(Use& use, Time instant) const;
  void change_rate(std::uint32_t account, double size, int sign, Time now);
  static void add_rate(Use& use, double size, int sign);
  Account& at_last_instant(std::uint32_t account) const;

  Time half_life_ = 604800;
  mutable std::vector<Account> accounts_;  // those that nobody asked about are behind
  Use together_;                           // at the last T or later
  double used_together_ = 0;
  Time instant_ = 0;  // T
};

}  // namespace schedcore
