// The waiting jobs in the order of their keys, of which any may leave, with the interface of ArrivalQueue.
//
// The first one starts most often; whoever leaves from further back is only marked, and marked ones are swept out once they
// are as many as those that wait.  There is no front part that a policy looks at: it is shown all that wait.
// O(log n) to push and for a first one that has left; amortised O(1) for everything else; memory 48 bytes a waiting job.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/job_table.hpp"
#include "schedcore/exact/priority.hpp"

namespace schedcore {

class KeyedQueue {
 public:
  [[nodiscard]] std::size_t size() const { return n_waiting_; }
  // Entries in memory, those of jobs that have left among them.
  [[nodiscard]] std::size_t n_kept() const { return heap_.size() + hidden_.size(); }
  // Those waiting jobs that are shown.
  [[nodiscard]] std::size_t n_shown() const { return n_shown_; }

  void push(JobSlot job, const Priority& place, const JobTable& jobs) {
    if (heap_.size() > 2 * n_waiting_ + kSlack) sweep_heap(jobs);
    if (hidden_.size() > 2 * (n_waiting_ - n_shown_) + kSlack) sweep_hidden(jobs);
    insert(job, place, jobs);
    hidden_.push_back({job, jobs.generation(job)});
  }
  // Requires a waiting job.
  [[nodiscard]] JobSlot head(const JobTable& jobs) {
    while (!waits(heap_.front(), jobs)) {
      std::ranges::pop_heap(heap_, std::greater());
      heap_.pop_back();
    }
    return heap_.front().job;
  }
  // Of the head.  Requires that head() was asked since the last change.
  [[nodiscard]] const Priority& place_of_head() const { return heap_.front().place; }
  [[nodiscard]] bool head_is_shown() const { return is_shown_[heap_.front().job] != 0; }
  // A waiting job that is not shown, and is from now on.  Requires n_shown() < size().
  [[nodiscard]] JobSlot show_next(const JobTable& jobs) {
    while (!waits(hidden_.back(), jobs)) hidden_.pop_back();
    const JobSlot job = hidden_.back().job;
    hidden_.pop_back();
    show(job);
    return job;
  }
  // A job has started: to be told after its state has changed.
  void remove(bool is_shown) {
    --n_waiting_;
    if (is_shown) --n_shown_;
  }

  // Who is shown of the waiting jobs.  Reading is for an empty queue.
  void write(SnapshotWriter& archive) const {
    for (const JobSlot job : archive.cluster().waiting) archive(is_shown_[job] != 0);
  }
  // `place_of(job)` is its place, `shown(job)` is called for each that is shown.
  template <class PlaceOf, class Shown>
  void read(SnapshotReader& archive, const PlaceOf& place_of, const Shown& shown) {
    const Cluster& cluster = archive.cluster();
    for (const JobSlot job : cluster.waiting) {
      bool is_shown = false;
      archive(is_shown);
      if (!is_shown) {
        push(job, place_of(job), cluster.jobs);
        continue;
      }
      insert(job, place_of(job), cluster.jobs);
      show(job);
      shown(job);
    }
  }

 private:
  static constexpr std::size_t kSlack = 64;

  struct Hidden {
    JobSlot job = 0;
    std::uint32_t generation = 0;
  };
  struct Entry {
    Priority place;
    JobSlot job = 0;
    std::uint32_t generation = 0;
    friend bool operator>(const Entry& a, const Entry& b) { return b.place < a.place; }
  };

  template <class Any>
  [[nodiscard]] static bool waits(const Any& entry, const JobTable& jobs) {
    return jobs.generation(entry.job) == entry.generation && jobs.state(entry.job) == JobState::submitted;
  }
  void insert(JobSlot job, const Priority& place, const JobTable& jobs) {
    if (job >= is_shown_.size()) is_shown_.resize(jobs.n_slots(), 0);
    is_shown_[job] = 0;
    heap_.push_back({place, job, jobs.generation(job)});
    std::ranges::push_heap(heap_, std::greater());
    ++n_waiting_;
  }
  void show(JobSlot job) {
    is_shown_[job] = 1;
    ++n_shown_;
  }
  void sweep_heap(const JobTable& jobs) {
    std::erase_if(heap_, [&](const Entry& entry) { return !waits(entry, jobs); });
    std::ranges::make_heap(heap_, std::greater());
  }
  void sweep_hidden(const JobTable& jobs) {
    std::erase_if(hidden_, [&](const Hidden& each) { return !waits(each, jobs); });
  }

  std::vector<Entry> heap_;     // the first one in front
  std::vector<Hidden> hidden_;  // not shown, some of them gone
  std::vector<std::uint8_t> is_shown_;  // by slot
  std::size_t n_waiting_ = 0;
  std::size_t n_shown_ = 0;
};

}  // namespace schedcore
