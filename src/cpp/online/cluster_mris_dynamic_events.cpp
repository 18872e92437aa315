// What an event does to the batches of a ClusterMrisDynamicPolicy, who may start, and what it keeps in a snapshot.
#include <algorithm>
#include <cmath>
#include <utility>

#include "schedcore/online/cluster_mris_dynamic.hpp"

namespace schedcore {

void ClusterMrisDynamicPolicy::take_up(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  freed_.clear();
  fresh_.clear();
  if (waiting_.size() < jobs.n_slots()) waiting_.resize(jobs.n_slots());
  bool any_ended_early = false;
  for (const auto& ended : {event.completed, event.killed, event.cancelled}) {
    for (const Completion& each : ended) {
      any_ended_early |= runs_.end(each.job, jobs);
      freed_.push_back(each);
    }
  }
  for (const std::uint32_t machine : event.changed_machines) {
    freed_.push_back({0, machine});
    runs_.take_up_machine(machine, turn.availability());
  }
  for (const JobSlot job : event.adopted) runs_.adopt(job, jobs);
  for (const Rescheduled& each : event.rescheduled) runs_.reschedule(each.job, jobs);
  for (const JobSlot job : event.withdrawn) dequeue(job, jobs);
  for (const Reweighed& each : event.reweighed) reweigh(each, jobs);
  const bool is_empty = runs_.n_running() == 0 && queue_.empty() && event.killed.empty();
  const auto news = intervals_.begin(event, any_ended_early, is_empty);
  if (news.is_new_period) {
    densest_left_.reset();
    holds_back_ = false;
  }
  changes_who_may_start_ = news.is_first_early_end;
  // The bound may let others pass when jobs leave batches by other ways than their start.
  holds_back_ |= event.is_disturbed();
  runs_.extend_overruns(jobs);
  // Places are lost in no other way.
  const bool may_lose_places = !event.changed_machines.empty() || turn.availability().any_endless_to_come();
  if (may_lose_places) leave_without_place(turn);
  come_to_wait(event, jobs, come_to_wait_);
  for (const JobSlot job : come_to_wait_) enqueue(job, jobs);
}

void ClusterMrisDynamicPolicy::enqueue(JobSlot job, const JobTable& jobs) {
  waiting_[job] = {};
  waiting_[job].job = intervals_.waiting_job(jobs, job);
  queue_.insert(waiting_[job].job);
  open(job, jobs);
}

void ClusterMrisDynamicPolicy::dequeue(JobSlot job, const JobTable& jobs) {
  leave_batch(job, jobs);
  close(job, jobs);
  queue_.erase(waiting_[job].job);
}

// It stays in its batch.
void ClusterMrisDynamicPolicy::reweigh(const Reweighed& reweighed, const JobTable& jobs) {
  const int batch = waiting_[reweighed.before].batch;
  dequeue(reweighed.before, jobs);
  if (batch == urgent_k_) urgent_k_ = kNoBatch;  // it is made anew with the job
  waiting_[reweighed.after] = {};
  waiting_[reweighed.after].job = intervals_.waiting_job(jobs, reweighed.after);
  queue_.insert(waiting_[reweighed.after].job);
  if (batch != kNoBatch) join(reweighed.after, batch, jobs);
  open(reweighed.after, jobs);
}

void ClusterMrisDynamicPolicy::join(JobSlot job, int k, const JobTable& jobs) {
  waiting_[job].batch = k;
  Batch& batch = unfinished_[k];
  batch.jobs.insert(waiting_[job].job);
  batch.lengths.insert(jobs.whole_processing_time(job));
  batch.volume = batch.volume + volume_of(job, jobs);
}

void ClusterMrisDynamicPolicy::leave_batch(JobSlot job, const JobTable& jobs) {
  const int k = std::exchange(waiting_[job].batch, kNoBatch);
  if (k == kNoBatch) return;
  const auto found = unfinished_.find(k);
  Batch& batch = found->second;
  batch.jobs.erase(waiting_[job].job);
  if (k == urgent_k_) urgent_.erase(urgent_.leaf_of(jobs.demand(job), jobs.eligibility(job)), waiting_[job].job.priority);
  batch.lengths.erase(batch.lengths.find(jobs.whole_processing_time(job)));
  batch.volume = batch.volume - volume_of(job, jobs);
  if (!batch.jobs.empty()) return;
  if (k == urgent_k_) urgent_k_ = kNoBatch;
  unfinished_.erase(found);
}

// Whoever has no place now, because machines are down or will be out of service for good, is in no batch.
void ClusterMrisDynamicPolicy::leave_without_place(const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  std::vector<JobSlot> leaving;
  for (const auto& [k, batch] : unfinished_) {
    for (const WaitingJob& job : batch.jobs) {
      if (!runs_.has_place(job.job, jobs, turn.availability())) leaving.push_back(job.job);
    }
  }
  for (const JobSlot job : leaving) {
    leave_batch(job, jobs);
    close(job, jobs);
    open(job, jobs);
    holds_back_ = true;
  }
}

bool ClusterMrisDynamicPolicy::may_start_early(JobSlot job, const JobTable& jobs) const {
  if (!options_.opportunistic || intervals_.next_k() == 0) return false;
  const Time length = jobs.whole_processing_time(job);
  if (intervals_.ended_early()) return length <= intervals_.longest_early();
  if (length > options_.patience * intervals_.last_interval()) return false;
  if (!densest_left_) return true;
  Priority sparseness = jobs.priority(job, PriorityRule::wsvf, intervals_.scale());
  sparseness.id = densest_left_->id;  // compare the quotients alone
  return sparseness < *densest_left_;
}

void ClusterMrisDynamicPolicy::open(JobSlot job, const JobTable& jobs) {
  Waiting& waiting = waiting_[job];
  if (waiting.batch == kNoBatch && !may_start_early(job, jobs)) return;
  open_.push(waiting.job, jobs.demand(job), jobs.processing_time(job), jobs.eligibility(job));
  waiting.is_open = true;
  fresh_.push_back(job);
}

void ClusterMrisDynamicPolicy::close(JobSlot job, const JobTable& jobs) {
  if (!std::exchange(waiting_[job].is_open, false)) return;
  open_.erase(open_.leaf_of(jobs.demand(job), jobs.eligibility(job)), waiting_[job].job.priority);
}

// The knapsack and gamma, or the first early end, have changed who may start.
void ClusterMrisDynamicPolicy::open_all(const JobTable& jobs) {
  open_ = WaitingIndex<CostQueue>(jobs.n_resources());
  for (const WaitingJob& job : queue_) {
    waiting_[job.job].is_open = false;
    open(job.job, jobs);
  }
  fresh_.clear();  // everybody looks everywhere
}

void ClusterMrisDynamicPolicy::take_over(const Commitments& commitments, const Cluster& cluster) {
  now_ = cluster.now;
  intervals_.take_over(commitments);
  runs_.take_over(cluster);
  waiting_.resize(cluster.jobs.n_slots());
  for (const JobSlot job : cluster.waiting) enqueue(job, cluster.jobs);
  for (const auto& [job, k] : commitments.batches.interval_of) join(job, k, cluster.jobs);
  densest_left_ = commitments.batches.densest_left;
  open_all(cluster.jobs);
  holds_back_ = true;
}

void ClusterMrisDynamicPolicy::write(SnapshotWriter& archive) const {
  intervals_.write(archive);
  runs_.write(archive);
  archive(holds_back_, densest_left_, n_early_starts_);
  for (const JobSlot job : archive.cluster().waiting) archive(waiting_[job].batch);
  for (const auto& [k, batch] : unfinished_) archive(batch.volume);
}

void ClusterMrisDynamicPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  now_ = cluster.now;
  intervals_.read(archive);
  runs_.read(archive);
  archive(holds_back_, densest_left_, n_early_starts_);
  if (archive.machines_have_changed()) {
    densest_left_.reset();  // by other volumes
    holds_back_ = true;
  }
  waiting_.resize(jobs.n_slots());
  for (const JobSlot job : cluster.waiting) {
    int k = kNoBatch;
    archive(k);
    archive.require(k >= kNoBatch && k < intervals_.next_k(), "a job is of a batch to come");
    enqueue(job, jobs);
    if (k == kNoBatch) continue;
    archive.require(jobs.whole_processing_time(job) <= intervals_.interval(k), "a job is longer than its interval");
    join(job, k, jobs);
  }
  for (auto& [k, batch] : unfinished_) {
    DoubleDouble volume;
    archive(volume);
    // No batch takes more, so that a sum that jobs came into and left is rounded by far less than 2^-50 of it.
    const double most = intervals_.end_factor() * intervals_.interval(k) *
                        static_cast<double>(intervals_.scale().n_capacities());
    archive.require(std::isinf(most) || std::abs((volume - batch.volume).hi) <= most * 0x1p-50,
                    "the volume of a batch is not that of its jobs");
    if (!archive.machines_have_changed()) batch.volume = volume;
  }
  open_all(jobs);
  find_wakeup(jobs, *cluster.availability);
}

}  // namespace schedcore
