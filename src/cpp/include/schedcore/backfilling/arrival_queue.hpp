// The waiting jobs in the order of their arrival, of which any may leave.
//
// The head starts most often; a job that leaves from further back is only marked, and marked ones are swept out once they
// are as many as those that wait.  The front part of the queue is what a policy looks at: `show_next` extends it.
// Every operation is amortised O(1); memory O(n waiting).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/job_table.hpp"

namespace schedcore {

class ArrivalQueue {
 public:
  [[nodiscard]] bool empty() const { return n_waiting_ == 0; }
  [[nodiscard]] std::size_t size() const { return n_waiting_; }
  // Entries in memory, those of jobs that have left among them.
  [[nodiscard]] std::size_t n_kept() const { return jobs_.size(); }
  // Those waiting jobs that are shown.
  [[nodiscard]] std::size_t n_shown() const { return n_shown_; }

  void push(JobSlot job, const JobTable& jobs) {
    if (jobs_.size() > 2 * n_waiting_ + kSlack) sweep(jobs);
    jobs_.push_back({job, jobs.generation(job)});
    ++n_waiting_;
  }
  // Requires a waiting job.
  [[nodiscard]] JobSlot head(const JobTable& jobs) {
    while (!waits(jobs_[first_], jobs)) ++first_;
    return jobs_[first_].job;
  }
  // Whether the head is among the shown jobs.  Requires that head() was asked since the last change.
  [[nodiscard]] bool head_is_shown() const { return first_ < next_hidden_; }
  // The waiting job behind the shown ones, which is one of them from now on.  Requires n_shown() < size().
  [[nodiscard]] JobSlot show_next(const JobTable& jobs) {
    while (!waits(jobs_[next_hidden_], jobs)) ++next_hidden_;
    ++n_shown_;
    return jobs_[next_hidden_++].job;
  }
  // A job has started: to be told after its state has changed.
  void remove(bool is_shown) {
    --n_waiting_;
    if (is_shown) --n_shown_;
  }

  // Calls visit(job) for the shown ones of the waiting jobs, in queue order.
  template <class Visit>
  void for_each_shown(const JobTable& jobs, const Visit& visit) const {
    for (std::size_t i = first_; i < next_hidden_; ++i) {
      if (waits(jobs_[i], jobs)) visit(jobs_[i].job);
    }
  }

  // Calls visit(job, is_shown) for the first n of the waiting jobs, or all, in queue order.  What has left from among them is
  // swept out: O(n), amortised.
  template <class Visit>
  void for_each_first(std::size_t n, const JobTable& jobs, const Visit& visit) {
    std::size_t n_left = std::min(n, n_waiting_);
    std::size_t n_shown = 0;
    std::size_t end = first_;
    for (; n_left > 0; ++end) {
      if (!waits(jobs_[end], jobs)) continue;
      if (end < next_hidden_) ++n_shown;
      --n_left;
    }
    std::size_t begin = end;
    for (std::size_t i = end; i-- > first_;) {
      if (waits(jobs_[i], jobs)) jobs_[--begin] = jobs_[i];
    }
    if (end > next_hidden_) next_hidden_ = begin + n_shown;
    first_ = begin;
    for (std::size_t i = begin; i < end; ++i) visit(jobs_[i].job, i < next_hidden_);
  }

  // The waiting jobs alone.  Reading is for an empty queue.
  void write(SnapshotWriter& archive) const {
    archive(static_cast<std::uint64_t>(n_shown_));
    for (std::size_t i = first_; i < jobs_.size(); ++i) {
      if (waits(jobs_[i], archive.cluster().jobs)) archive.job(jobs_[i].job);
    }
  }
  void read(SnapshotReader& archive) {
    const Cluster& cluster = archive.cluster();
    std::uint64_t n_shown = 0;
    archive(n_shown);
    std::vector<JobSlot> order(cluster.waiting.size());
    for (JobSlot& job : order) {
      archive.job(job);
      jobs_.push_back({job, cluster.jobs.generation(job)});
    }
    require_each_once(std::move(order), cluster.waiting, "the queue does not hold every waiting job once");
    archive.require(n_shown <= jobs_.size(), "the queue shows more jobs than wait");
    n_waiting_ = jobs_.size();
    next_hidden_ = n_shown_ = static_cast<std::size_t>(n_shown);
  }

 private:
  static constexpr std::size_t kSlack = 64;

  struct Entry {
    JobSlot job = 0;
    std::uint32_t generation = 0;
  };
  [[nodiscard]] static bool waits(const Entry& entry, const JobTable& jobs) {
    return jobs.generation(entry.job) == entry.generation && jobs.state(entry.job) == JobState::submitted;
  }
  void sweep(const JobTable& jobs) {
    std::size_t kept = 0;
    std::size_t shown = 0;
    for (std::size_t i = first_; i < jobs_.size(); ++i) {
      if (!waits(jobs_[i], jobs)) continue;
      if (i < next_hidden_) ++shown;
      jobs_[kept++] = jobs_[i];
    }
    jobs_.resize(kept);
    first_ = 0;
    next_hidden_ = shown;
  }

  std::vector<Entry> jobs_;
  std::size_t first_ = 0;        // no job before it waits
  std::size_t next_hidden_ = 0;  // jobs from here on are not shown
  std::size_t n_waiting_ = 0;
  std::size_t n_shown_ = 0;
};

}  // namespace schedcore
