#include "schedcore/online/mris_batches.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "schedcore/engine/cluster.hpp"

namespace schedcore {

MrisBatches::News MrisBatches::begin(const Event& event, const JobTable& jobs) {
  News news;
  for (const Completion& completion : event.completed) {
    if (ended_early_ || !(event.now < jobs.start_time(completion.job) + jobs.processing_time(completion.job))) continue;
    ended_early_ = news.is_first_early_end = true;
  }
  n_completed_ += event.completed.size();
  const bool is_empty = n_completed_ == n_arrived_;  // nothing waits, is planned or runs
  n_arrived_ += event.arrived.size();
  if (!options_.origin_is_busy || !is_empty || event.arrived.empty()) return news;
  origin_ = event.now;
  ended_early_ = false;
  next_k_ = 0;
  arriving_.clear();
  n_arriving_ = 0;
  leftover_.clear();
  return {true, false};
}

void MrisBatches::add(JobSlot job, const JobTable& jobs) {
  const int k = std::max(first_k_holding(jobs.processing_time(job)), first_k_reaching(jobs.release_time(job)));
  if (n_arriving_ >= sweep_at_) sweep(jobs);
  arriving_[std::max(k, next_k_)].push_back({job, jobs.generation(job)});
  ++n_arriving_;
}

// Emptied waves stay: the instants at which the policy wants to be woken are those of all jobs that have arrived.
void MrisBatches::sweep(const JobTable& jobs) {
  n_arriving_ = 0;
  for (auto& [k, wave] : arriving_) {
    std::erase_if(wave, [&](const Candidate& candidate) { return !candidate.waits(jobs); });
    n_arriving_ += wave.size();
  }
  sweep_at_ = 2 * n_arriving_ + kSlack;
}

void MrisBatches::skip_empty(Time now) {
  const int due = first_k_reaching(now);
  const int wave = arriving_.empty() ? due : arriving_.begin()->first;
  next_k_ = std::max(next_k_ + 1, std::min(wave, due));
}

void MrisBatches::gather(int k, const JobTable& jobs) {
  const auto by_id = [&](const Candidate& a, const Candidate& b) { return jobs.id(a.job) < jobs.id(b.job); };
  std::erase_if(leftover_, [&](const Candidate& candidate) { return !candidate.waits(jobs); });
  const auto n_leftover = static_cast<std::ptrdiff_t>(leftover_.size());
  while (!arriving_.empty() && arriving_.begin()->first <= k) {
    for (const Candidate& candidate : arriving_.begin()->second) {
      if (candidate.waits(jobs)) leftover_.push_back(candidate);
    }
    n_arriving_ -= arriving_.begin()->second.size();
    arriving_.erase(arriving_.begin());
  }
  std::sort(leftover_.begin() + n_leftover, leftover_.end(), by_id);
  std::inplace_merge(leftover_.begin(), leftover_.begin() + n_leftover, leftover_.end(), by_id);
}

std::vector<WaitingJob> MrisBatches::untaken(const JobTable& jobs) const {
  std::vector<WaitingJob> waiting;
  const auto note = [&](const Candidate& candidate) {
    if (candidate.waits(jobs)) waiting.push_back(waiting_job(jobs, candidate.job));
  };
  std::for_each(leftover_.begin(), leftover_.end(), note);
  for_each_arriving(note);
  std::sort(waiting.begin(), waiting.end());
  return waiting;
}

std::vector<JobSlot> MrisBatches::take(int k, Turn& turn) {
  gather(k, turn.jobs());
  if (leftover_.empty()) return {};
  std::vector<JobSlot> candidates;
  candidates.reserve(leftover_.size());
  for (const Candidate& candidate : leftover_) candidates.push_back(candidate.job);
  const std::vector<std::uint32_t> chosen = choose(candidates, k, turn);

  std::vector<JobSlot> batch;
  batch.reserve(chosen.size());
  std::vector<Candidate> rest;
  rest.reserve(leftover_.size() - chosen.size());
  auto next_chosen = chosen.begin();
  for (std::uint32_t item = 0; item < candidates.size(); ++item) {
    if (next_chosen != chosen.end() && *next_chosen == item) {
      ++next_chosen;
      batch.push_back(candidates[item]);
    } else {
      rest.push_back(leftover_[item]);
    }
  }
  leftover_ = std::move(rest);
  record_iteration(k, candidates.size(), batch, turn.jobs());
  return batch;
}

void MrisBatches::write(SnapshotWriter& archive) const {
  archive(origin_, ended_early_, next_k_, leftover_, iterations_, sweep_at_, static_cast<std::uint64_t>(arriving_.size()));
  for (const auto& [k, wave] : arriving_) archive(k, wave);
}

void MrisBatches::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  n_completed_ = cluster.n_started - cluster.running.size();
  n_arrived_ = cluster.n_started + cluster.waiting.size() + cluster.planned.size();
  archive(origin_, ended_early_, next_k_, leftover_, iterations_, sweep_at_);
  require_clock(archive, cluster.now);
  // A sweep sets it to twice the jobs that it leaves, of all that have arrived.
  archive.require(sweep_at_ >= kSlack && sweep_at_ - kSlack <= 2 * n_arrived_,
                  "arrivals of MRIS are swept at another number");
  std::int64_t previous_id = -1;
  for (const Candidate& candidate : leftover_) {
    if (!candidate.waits(cluster.jobs)) continue;
    archive.require(cluster.jobs.id(candidate.job) > previous_id, "what knapsacks left is out of order");
    archive.require(next_k_ > 0 && cluster.jobs.processing_time(candidate.job) <= interval(next_k_ - 1),
                    "a job is longer than its interval");
    previous_id = cluster.jobs.id(candidate.job);
  }
  const int last_k = std::max(next_k_, first_k_holding(std::numeric_limits<Time>::max()));
  for (std::size_t left = archive.length(sizeof(int) + sizeof(std::uint64_t)); left > 0; --left) {
    int k = 0;
    archive(k);
    archive.require(k >= next_k_ && (arriving_.empty() || arriving_.rbegin()->first < k), "arrivals of MRIS are out of order");
    archive.require(k <= last_k, "no job is so long");
    archive(arriving_[k]);
    for (const Candidate& candidate : arriving_[k]) {
      if (!candidate.waits(cluster.jobs)) continue;
      // No gamma has passed that its interval or its release would have had it wait for.
      archive.require(k == std::max(next_k_, first_k_holding(cluster.jobs.processing_time(candidate.job))),
                      "a job waits for another interval of MRIS");
    }
    n_arriving_ += arriving_[k].size();
  }
}

Time MrisBatches::next_wakeup(bool every) const {
  if (every || !leftover_.empty()) return gamma(next_k_);
  return arriving_.empty() ? kNever : gamma(arriving_.begin()->first);
}

}  // namespace schedcore
