// What the policies of the online family keep in a snapshot; see Policy::write and Policy::read.
#include <algorithm>
#include <cmath>

#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/online/best_fit_execution.hpp"
#include "schedcore/online/mris.hpp"
#include "schedcore/online/mris_dynamic.hpp"
#include "schedcore/online/priority_queue.hpp"
#include "schedcore/online/tetris.hpp"

namespace schedcore {
namespace {

std::vector<JobSlot> slots_of(const std::vector<WaitingJob>& jobs) {
  std::vector<JobSlot> slots;
  for (const WaitingJob& job : jobs) slots.push_back(job.job);
  return slots;
}

// For policies that leave no job waiting that fits, and look again only where something changes.
template <class Queue>
void require_none_fits(const WaitingIndex<Queue>& waiting, const Cluster& cluster) {
  if (waiting.empty()) return;
  for (std::size_t machine = 0; machine < cluster.machines.n_machines; ++machine) {
    SnapshotReader::refuse_unless(!waiting.first_fit(cluster.free_on(machine), machine), "a job waits that fits");
  }
}

}  // namespace

void PriorityQueuePolicy::write(SnapshotWriter& archive) const { archive(collecting_); }

void PriorityQueuePolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  archive(collecting_);
  archive.require(!collecting_ || (collect_until_ && cluster.now <= *collect_until_), "it collects jobs for ever");
  archive.require(!collecting_ || cluster.n_started == 0, "jobs have started before all are collected");
  archive.require(collecting_ || !collect_until_ || cluster.now >= *collect_until_,
                  "it has stopped collecting jobs too early");
  for (const JobSlot job : cluster.waiting) {
    waiting_.push({cluster.jobs.priority(job, rule_, scale_), job}, cluster.jobs.demand(job), 0, cluster.jobs.eligibility(job));
  }
  if (!collecting_) require_none_fits(waiting_, cluster);
}

void BestFitExecutionPolicy::write(SnapshotWriter& /*archive*/) const {}

void BestFitExecutionPolicy::read(SnapshotReader& archive) {
  const JobTable& jobs = archive.cluster().jobs;
  const Cluster& cluster = archive.cluster();
  now_ = cluster.now;
  for (const JobSlot job : cluster.waiting) index(job, jobs);
  next_wakeup_ = waiting_.empty() ? kNever : cluster.availability->next_end();
  for (std::size_t machine = 0; !waiting_.empty() && machine < cluster.machines.n_machines; ++machine) {
    archive.require(!first_with_room(*cluster.availability, machine, cluster.free_on(machine), jobs), "a job waits that fits");
  }
}

// Sums over classes are formed in the order of their leaves, so this is kept too: the leaf of every waiting job, the sum
// of every class that has one, the demand and the machines of every class that has none.
void TetrisPolicy::write(SnapshotWriter& archive) const {
  if (archive.renumbers_machines()) return;  // classes that differed may be one under other numbers
  const Cluster& cluster = archive.cluster();
  archive(static_cast<std::uint64_t>(waiting_.n_leaves()), static_cast<std::uint64_t>(waiting_.n_used()));
  for (const JobSlot job : cluster.waiting) {
    archive(waiting_.leaf_of(cluster.jobs.demand(job), cluster.jobs.eligibility(job)));
  }
  for (Index::Leaf leaf = 0; leaf < waiting_.n_used(); ++leaf) {
    if (!waiting_.queue(leaf).empty()) {
      archive(waiting_.queue(leaf).exact_sum());
    } else {
      for (const Amount amount : waiting_.demand(leaf)) archive(amount);
      write_eligibility(archive, waiting_.eligibility(leaf));
    }
  }
}

void TetrisPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  if (archive.machines_have_changed() || archive.machines_renumbered()) {
    for (const JobSlot job : cluster.waiting) index(job, cluster.jobs);
    return;
  }
  const std::size_t n_resources = cluster.jobs.n_resources();
  std::uint64_t n_leaves = 0;
  archive(n_leaves);
  const std::size_t n_used = archive.length(sizeof(Amount));
  // Before there is memory for a row of amounts a class; how many are live shows below.
  archive.require(Index::may_have(n_leaves, n_used, cluster.waiting.size()), "the number of classes is impossible");
  std::vector<Index::Leaf> leaf_of(cluster.waiting.size());
  std::vector<Amount> demands(n_used * n_resources);
  std::vector<Eligibility> eligibility(n_used);
  std::vector<bool> is_live(n_used, false);
  for (std::size_t i = 0; i < leaf_of.size(); ++i) {
    archive(leaf_of[i]);
    archive.require(leaf_of[i] < n_used, "a class of jobs is not there");
    const auto demand = cluster.jobs.demand(cluster.waiting[i]);
    const auto row = demands.begin() + static_cast<std::ptrdiff_t>(leaf_of[i] * n_resources);
    const Eligibility& allowed = cluster.jobs.eligibility(cluster.waiting[i]);
    const bool is_same = std::equal(demand.begin(), demand.end(), row) && eligibility[leaf_of[i]] == allowed;
    archive.require(!is_live[leaf_of[i]] || is_same, "a class has different jobs");
    is_live[leaf_of[i]] = true;
    eligibility[leaf_of[i]] = allowed;
    std::copy(demand.begin(), demand.end(), row);
  }
  const auto n_live = static_cast<std::size_t>(std::count(is_live.begin(), is_live.end(), true));
  archive.require(Index::may_have(n_leaves, n_used, n_live), "the number of classes is impossible");
  const std::vector<Amount> capacities = distinct_capacities(cluster.machines);
  std::vector<DoubleDouble> sums(n_used);
  EligibilitySets sets;
  for (std::size_t leaf = 0; leaf < n_used; ++leaf) {
    if (is_live[leaf]) {
      archive(sums[leaf]);
    } else {
      const auto demand = std::span(demands).subspan(leaf * n_resources, n_resources);
      for (Amount& amount : demand) archive(amount);
      archive.require(std::ranges::all_of(demand, [](Amount amount) { return amount >= 0; }), "a demand is negative");
      archive.require(on_clusters_ || fits_some(demand, capacities), "a class is of jobs that no machine can run");
      eligibility[leaf] = read_eligibility(archive, cluster.machines.n_machines, sets);
    }
  }
  const bool all_everywhere = std::ranges::all_of(eligibility, &Eligibility::is_everywhere);
  if (all_everywhere) eligibility.clear();
  waiting_.lay_out(static_cast<std::size_t>(n_leaves), std::move(demands), std::move(eligibility));
  for (Index::Leaf leaf = 0; leaf < n_used; ++leaf) {
    archive.require(waiting_.leaf_of(waiting_.demand(leaf), waiting_.eligibility(leaf)) == leaf, "a class is there twice");
  }
  for (const JobSlot job : cluster.waiting) index(job, cluster.jobs);
  for (Index::Leaf leaf = 0; leaf < n_used; ++leaf) {
    if (is_live[leaf]) waiting_.mutable_queue(leaf).set_sum(sums[leaf]);
  }
  now_ = cluster.now;
  next_wakeup_ = waiting_.empty() ? kNever : cluster.availability->next_end();
  for (std::size_t machine = 0; !waiting_.empty() && machine < cluster.machines.n_machines; ++machine) {
    collect(machine, cluster.free_on(machine), *cluster.availability, cluster.jobs);
    archive.require(fitting_.count == 0, "a job waits that fits");
  }
}

void MrisPolicy::write(SnapshotWriter& archive) const {
  batches_.write(archive);
  archive(makespan_, n_early_starts_, n_replans_);
  if (!options_.replan) return;
  for (const JobSlot job : archive.cluster().planned) archive(batch_of_[job]);
}

void MrisPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  batches_.read(archive);
  require_each_once(slots_of(batches_.untaken(jobs)), cluster.waiting, "MRIS does not know every waiting job once");
  archive(makespan_, n_early_starts_, n_replans_);
  archive.require(makespan_ >= 0 && makespan_ < kNever, "the makespan is no time");
  // What has completed in time ended by now.  A job that ended early, or was placed again, leaves its end behind.
  Time latest_end = cluster.now;
  const auto end_of = [&](JobSlot job) { return jobs.start_time(job) + jobs.processing_time(job); };
  for (const JobSlot job : cluster.running) latest_end = std::max(latest_end, end_of(job));
  for (const JobSlot job : cluster.planned) {
    archive.require(end_of(job) <= makespan_, "a planned job ends after the makespan");
    latest_end = std::max(latest_end, end_of(job));
  }
  archive.require(makespan_ <= latest_end || batches_.ended_early() || options_.replan, "no job ends at the makespan");
  if (options_.replan) {
    batch_of_.assign(jobs.n_slots(), 0);
    for (const JobSlot job : cluster.planned) {
      archive(batch_of_[job]);
      archive.require(batch_of_[job] >= 0 && batch_of_[job] < batches_.next_k(), "a job is of a batch to come");
      archive.require(jobs.processing_time(job) <= batches_.interval(batch_of_[job]),
                      "a job is longer than its interval");
    }
  }
  if (!options_.opportunistic) return;
  for (const JobSlot job : cluster.waiting) {
    pool_.push(batches_.waiting_job(jobs, job), jobs.demand(job), jobs.processing_time(job), jobs.eligibility(job));
  }
}

void MrisDynamicPolicy::write(SnapshotWriter& archive) const {
  batches_.write(archive);
  archive(unfinished_, held_at_, has_left_, densest_left_, n_early_starts_);
}

void MrisDynamicPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  batches_.read(archive);
  archive(unfinished_, held_at_, has_left_, densest_left_, n_early_starts_);
  std::vector<JobSlot> listed = slots_of(batches_.untaken(jobs));
  n_untaken_ = listed.size();
  batch_of_.assign(jobs.n_slots(), -1);
  int previous_k = -1;
  for (const Batch& batch : unfinished_) {
    archive.require(batch.k > previous_k && batch.k < batches_.next_k(), "batches of MRIS are out of order");
    previous_k = batch.k;
    archive.require(batch.longest_span == batches_.end_factor() * batches_.interval(batch.k), "a batch of MRIS ends later");
    archive.require(!batch.by_length.empty() && batch.by_length.back().waits(jobs), "a batch has started and is kept");
    Time shortest = 0;
    DoubleDouble volume;
    for (const MrisBatches::Candidate& candidate : batch.by_length) {
      if (!candidate.waits(jobs)) continue;
      archive.require(jobs.processing_time(candidate.job) >= shortest, "jobs of a batch are out of order");
      shortest = jobs.processing_time(candidate.job);
      volume = volume + volume_of(candidate.job, jobs);
      batch_of_[candidate.job] = batch.k;
      listed.push_back(candidate.job);
    }
    archive.require(shortest <= batches_.interval(batch.k), "a job is longer than its interval");
    // No batch takes more, so that a sum that jobs came into and left is rounded by far less than 2^-50 of it.
    const double most = batch.longest_span * static_cast<double>(batches_.scale().n_capacities());
    archive.require(std::isinf(most) || std::abs((batch.volume - volume).hi) <= most * 0x1p-50,
                    "the volume of a batch is not that of its jobs");
  }
  require_each_once(std::move(listed), cluster.waiting, "MRIS does not know every waiting job once");
  for (const JobSlot job : cluster.running) running_.emplace(jobs.start_time(job) + jobs.processing_time(job), job);
  reindex(jobs);
  if (waiting_.empty()) return;
  const Time allowed = longest_allowed(cluster.now, jobs);
  for (std::size_t machine = 0; machine < cluster.machines.n_machines; ++machine) {
    const auto available = cluster.free_on(machine);
    if (!waiting_.first_fit(available, machine)) continue;
    archive.require(held_at_.has_value() && !first_allowed(machine, available, allowed, jobs), "a job waits that may start");
  }
}

}  // namespace schedcore
