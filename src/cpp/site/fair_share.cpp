#include "schedcore/site/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace schedcore {
namespace {

// A part of the use that is so much smaller than the share gives a factor of 1: its logarithm is below half a unit in the last
// place, with room for sums that are rounded.
constexpr double kNothing = 0x1p-60;

}  // namespace

void FairShare::add_account(double share) {
  accounts_.emplace_back();
  accounts_.back().share = share;
}

void FairShare::renew(std::uint32_t account, double share) {
  accounts_[account] = {};
  accounts_[account].share = share;
}

bool FairShare::is_spent(std::uint32_t account) const {
  const Account& each = accounts_[account];
  if (each.use.n_running > 0) return false;
  const auto is_nothing = [&](double used, double together) { return used <= kNothing * each.share * together; };
  const auto used_at = [&](Time instant) {
    Use use = each.use;
    move_to(use, instant);
    return use.value;
  };
  // Factors are those of the last T for a while.
  const double used = each.seen == instant_ ? each.used : used_at(instant_);
  return is_nothing(used, used_together_) && is_nothing(used_at(together_.instant), together_.value);
}

FairShare FairShare::with_accounts(std::span<const std::uint32_t> accounts) const {
  FairShare some = *this;
  some.accounts_.clear();
  for (const std::uint32_t account : accounts) some.accounts_.push_back(accounts_[account]);
  return some;
}

void FairShare::move_to(Use& use, Time instant) const {
  const Time dt = instant - use.instant;
  use.instant = instant;
  if (!(dt > 0) || (use.value == 0 && use.rate == 0)) return;
  // half_life / ln 2 * (1 - f) = dt * (1 - e^-x) / x, which is neither infinite nor lost where f is nearly 1, nor where the
  // half-life is infinite.
  const double n_halves = dt / half_life_;
  const double x = n_halves * std::numbers::ln2;
  const double mean = x > 0 && use.rate > 0 ? -std::expm1(-x) / x : 1;
  use.value = use.value * std::exp2(-n_halves) + use.rate * dt * mean;
}

// Sums of doubles drift; with nobody running there is nothing left to sum.
void FairShare::add_rate(Use& use, double size, int sign) {
  use.n_running += static_cast<std::uint64_t>(sign);
  use.rate = use.n_running == 0 ? 0 : std::max(0.0, use.rate + sign * size);
}

// The last T is before anything that changes rates, so the account passes it first.
FairShare::Account& FairShare::at_last_instant(std::uint32_t account) const {
  Account& each = accounts_[account];
  if (each.seen == instant_) return each;
  move_to(each.use, instant_);
  each.used = each.use.value;
  each.seen = instant_;
  each.has_factor = false;
  return each;
}

void FairShare::change_rate(std::uint32_t account, double size, int sign, Time now) {
  Use& use = at_last_instant(account).use;
  for (Use* each : {&use, &together_}) {
    move_to(*each, now);
    add_rate(*each, size, sign);
  }
}

void FairShare::pass_to(Time instant) {
  instant_ = instant;
  move_to(together_, instant);
  used_together_ = together_.value;
}

double FairShare::factor_anew(std::uint32_t account) const {
  Account& each = at_last_instant(account);
  const double part = used_together_ > 0 ? std::min(1.0, each.used / used_together_) : 0;
  each.factor = std::exp2(-(part / each.share));
  each.has_factor = true;
  return each.factor;
}

bool FairShare::runs_as_many_as(const FairShare& other) const {
  const auto n_running = [](const Account& account) { return account.use.n_running; };
  return together_.n_running == other.together_.n_running &&
         std::ranges::equal(accounts_, other.accounts_, {}, n_running, n_running);
}

bool FairShare::is_sound(Time now) const {
  const auto is_possible = [&](const Use& use) {
    return use.value >= 0 && use.value < kNever && use.rate >= 0 && use.rate < kNever && use.instant >= 0 && use.instant <= now;
  };
  const auto is_possible_account = [&](const Account& account) {
    return is_possible(account.use) && account.used >= 0 && account.used < kNever && account.factor >= 0 && account.factor <= 1;
  };
  return instant_ >= 0 && instant_ <= now && is_possible(together_) && std::ranges::all_of(accounts_, is_possible_account);
}

}  // namespace schedcore
