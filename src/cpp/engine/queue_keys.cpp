#include "schedcore/engine/queue_keys.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/engine/cluster.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

void QueueKeys::attach(const MachinesView& machines) {
  scale_ = DemandScale::of_cluster(machines);
  if (!has_formula()) return;
  total_.assign(machines.n_resources, 0);
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    const auto capacity = machines.capacity_of(machine);
    for (std::size_t r = 0; r < total_.size(); ++r) {
      const auto more = static_cast<std::uint64_t>(capacity[r]);
      total_[r] = more > std::numeric_limits<std::uint64_t>::max() - total_[r] ? std::numeric_limits<std::uint64_t>::max()
                                                                               : total_[r] + more;
    }
  }
}

bool QueueKeys::pass_to(Time now, const JobTable& jobs) {
  if (!moves()) return false;
  if (!has_formula()) {
    const std::uint64_t seen = seen_version_;
    if (jobs.has_site()) seen_version_ = jobs.site()->version();
    return seen != seen_version_;
  }
  const bool is_later = now > now_;
  now_ = now;
  return is_later;
}

void QueueKeys::note_arrivals(const Event& event, const JobTable& jobs) {
  if (!needs_first_release() || first_release_ < kNever) return;
  const auto note = [&](JobSlot job) { first_release_ = std::min(first_release_, jobs.release_time(job)); };
  for (const JobSlot job : event.arrived) note(job);
  for (const JobSlot job : event.released) note(job);
  for (const Completion& killed : event.killed) note(killed.job);
}

std::uint64_t QueueKeys::amount(JobSlot job, const JobTable& jobs) const {
  const auto demand = jobs.demand(job);
  std::size_t largest = 0;
  for (std::size_t r = 1; r < demand.size(); ++r) {
    const auto share = [&](std::size_t of, std::size_t other) {
      return multiply_words(static_cast<std::uint64_t>(demand[of]), total_[other]);
    };
    if (total_[largest] == 0 || share(largest, r) < share(r, largest)) largest = r;
  }
  const auto of_task = static_cast<std::uint64_t>(std::max(demand[largest], Amount{1}));
  const auto n_tasks = static_cast<std::uint64_t>(jobs.shape(job).n_tasks);
  if (of_task <= std::numeric_limits<std::int64_t>::max() / n_tasks) return of_task * n_tasks;
  throw UnsupportedError("job " + std::to_string(jobs.id(job)) + " demands more with its " + std::to_string(n_tasks) +
                         " tasks than orders by what is demanded can count");
}

QueueOrder QueueKeys::place(JobSlot job, const JobTable& jobs) {
  if (!has_formula()) return jobs.queue_order(job, rule_, scale_);
  const Time release = jobs.release_time(job);
  const FormulaJob of{release, jobs.whole_processing_time(job), amount(job, jobs)};
  Priority key;
  if (moves()) {
    if (job >= terms_.size()) terms_.resize(jobs.n_slots());
    terms_[job] = wait_terms(rule_.formula, of);
    key = number_priority(wait_key(rule_.formula, terms_[job], now_), jobs.id(job));
  } else {
    key = formula_key(rule_.formula, of, first_release_, jobs.id(job));
  }
  return {jobs.has_site() ? jobs.site()->tier(job) : 0, key, rule_.ties_by_id ? 0 : number_rank(release)};
}

void QueueKeys::write(SnapshotWriter& archive) const {
  if (needs_first_release()) archive(first_release_);
}

void QueueKeys::take_over(Time first_release, const Cluster& cluster) {
  first_release_ = first_release;
  now_ = cluster.now;
  if (cluster.jobs.has_site()) seen_version_ = cluster.jobs.site()->version();
}

void QueueKeys::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  take_over(kNever, cluster);
  if (!needs_first_release()) return;
  archive(first_release_);
  archive.require(first_release_ == kNever ? cluster.waiting.empty() : first_release_ >= 0 && first_release_ <= cluster.now,
                  "the first job was released at an impossible time");
}

}  // namespace schedcore
