// Jobs that wait for others to end, and which of them may be served or can never be.
//
// A job waits from `add` on until all that it waits for have ended as it asks.  Where one ends otherwise it is lost: nothing
// can make it start any more.  `ended` tells both, and nothing of jobs that have not arrived.  How jobs ended is remembered for
// those that come later, if that is asked for: of so many with the largest ids, so that the state does not grow for ever.
// Cost: O(1) expected for each job that is waited for, and for each that waits when one ends, O(log r) where many of those that
// wait are forgotten before; O(log r) for what is remembered (id_ranges.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/index/class_queue.hpp"
#include "schedcore/site/id_ranges.hpp"

namespace schedcore {

// How a job has to end: it completes, it ends in whatever way, or it ends without completing.
enum class AwaitedEnd : std::uint8_t { ok, any, not_ok };

struct AwaitedJob {
  std::int64_t id = 0;
  AwaitedEnd end = AwaitedEnd::ok;
};

class AwaitedJobs {
 public:
  enum class Standing : std::uint8_t { free, waits, lost };
  // A job of which something has become known.
  struct Settled {
    JobSlot job = 0;
    Standing standing = Standing::free;
  };

  static constexpr std::uint64_t kRemembered = 1 << 16;

  explicit AwaitedJobs(bool remembers = false) : remembers_(remembers) {}

  // Whether nobody waits for anybody, and how jobs end is not remembered.
  [[nodiscard]] bool is_idle() const { return !remembers_ && waiting_.empty(); }
  // A job that will arrive; those that it names have ended, or will.
  void add(std::int64_t id, std::span<const AwaitedJob> awaited);
  // It has arrived, or has another slot.
  [[nodiscard]] Standing arrive(std::int64_t id, JobSlot job);
  // One that waits leaves, or has settled.
  void forget(std::int64_t id);
  [[nodiscard]] bool waits(std::int64_t id) const { return !waiting_.empty() && waiting_.contains(id); }
  [[nodiscard]] std::size_t n_waiting() const { return waiting_.size(); }
  // A job has ended; those that arrived and are free or lost by it are added, in no order.
  void ended(std::int64_t id, bool has_completed, std::vector<Settled>& settled);
  // For which jobs it waits that have not ended, in increasing order.
  [[nodiscard]] std::vector<std::int64_t> open(std::int64_t id) const;

  // Whether the job has ended, and is remembered.
  [[nodiscard]] bool has_ended(std::int64_t id) const { return ended_.contains(id); }
  // The id is that of another job from now on.
  void use_again(std::int64_t id) {
    ended_.erase(id);
    not_completed_.erase(id);
  }

  void write(SnapshotWriter& archive) const;
  // Slots are told by `arrive`.
  void read(SnapshotReader& archive);

  // Throws std::logic_error if a job that waits is not among the followers, or more of them wait no more than wait; for tests.
  void check_invariants() const;

 private:
  struct Waiting {
    std::vector<AwaitedJob> open;
    std::optional<JobSlot> job;  // once it has arrived
    bool is_lost = false;
    [[nodiscard]] Standing standing() const {
      if (is_lost) return Standing::lost;
      return open.empty() ? Standing::free : Standing::waits;
    }
  };

  // Of one job that is waited for.  At most half of them wait no more.
  struct Followers {
    std::vector<std::int64_t> ids;
    std::size_t n_stale = 0;
  };

  [[nodiscard]] bool waits_for(std::int64_t id, std::int64_t awaited) const;
  void drop_stale(std::int64_t awaited, Followers& followers);

  bool remembers_;
  std::unordered_map<std::int64_t, Waiting> waiting_;
  std::unordered_map<std::int64_t, Followers> followers_;
  IdRanges ended_;
  IdRanges not_completed_;  // of those
};

}  // namespace schedcore
