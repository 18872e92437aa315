// The places of waiting jobs in a queue, by whatever rule: those that stand still, and those that move with time.
//
// Keys and priorities of jobs stand still, and so do formulas that do not count the wait.  Priorities that a site computes are
// of a multiple of its interval, formulas that count the wait of the last event: whoever keeps a queue asks `pass_to` before
// anything of an event, and where it says so gives all jobs that wait their places again (`renewed`).
//
// What a formula calls n is the amount that a job demands with all of its tasks of one resource: that of which it demands the
// largest share of what all machines have together, the first of equals, in the integers that amounts are compared in.  The
// first release is that of the first job that came to wait, the least of several at once, and is remembered.
//
// Cost: O(R) a job that comes to wait, and for f1 to f4 and unicef one or two logarithms (rounded_logarithm.hpp); a division
// and a look at 24 bytes for each place that is renewed.  Memory, for formulas that count the wait, these 24 bytes a job.
#pragma once

#include <cstdint>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/engine/job_table.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/exact/demand_scale.hpp"
#include "schedcore/exact/queue_order.hpp"

namespace schedcore {

struct Cluster;

class QueueKeys {
 public:
  QueueKeys() = default;
  explicit QueueKeys(const OrderRule& rule) : rule_(rule) {}
  // The amounts of all machines together are known from then on.
  void attach(const MachinesView& machines);

  [[nodiscard]] const OrderRule& rule() const { return rule_; }
  // Before anything of the event.  Whether jobs that wait have other places than before.
  [[nodiscard]] bool pass_to(Time now, const JobTable& jobs);
  // Who comes to wait by an event; before they are placed.
  void note_arrivals(const Event& event, const JobTable& jobs);

  // Of a job that comes to wait, as of the last event.
  [[nodiscard]] QueueOrder place(JobSlot job, const JobTable& jobs);
  // Of one that has waited in this place.
  [[nodiscard]] QueueOrder renewed(QueueOrder place, JobSlot job, const JobTable& jobs) const {
    if (rule_.source == OrderRule::Source::multifactor) return jobs.renewed(place, job);
    place.high = number_rank(wait_key(rule_.formula, terms_[job], now_));
    return place;
  }

  // The instant of the last event is that of the cluster.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);
  // kNever as long as nobody has waited.
  [[nodiscard]] Time first_release() const { return first_release_; }
  // From a policy in whose place it goes on.
  void take_over(Time first_release, const Cluster& cluster);

 private:
  [[nodiscard]] bool has_formula() const { return rule_.source == OrderRule::Source::formula; }
  [[nodiscard]] bool moves() const {
    return rule_.source == OrderRule::Source::multifactor || (has_formula() && counts_the_wait(rule_.formula));
  }
  [[nodiscard]] bool needs_first_release() const { return has_formula() && counts_from_the_first_release(rule_.formula); }
  [[nodiscard]] std::uint64_t amount(JobSlot job, const JobTable& jobs) const;

  OrderRule rule_;
  DemandScale scale_;
  std::vector<std::uint64_t> total_;   // of every resource
  Time now_ = -kNever;                 // of the last event, where places move with time
  std::uint64_t seen_version_ = 0;     // of the priorities of a site
  Time first_release_ = kNever;
  std::vector<WaitTerms> terms_;       // by slot, of formulas that count the wait
};

}  // namespace schedcore
