// Waiting jobs in the order of the queue, searched past those that limits of a site hold.
//
// Jobs of one class that the same limits count stand in one *line*.  A line whose jobs are all held is set aside at a limit
// that holds them, and nobody looks at it until somebody whom that limit counts has ended.  The others are a queue of their
// own, each as its first job with the least tasks and the least estimate in it, so a search skips 64 lines at a time as it
// does jobs.  Where more than kFew lines are set aside at one limit, they stay together, and are searched there once it has
// room, so that a limit which many share does not move them all whenever it opens and closes.  No more than kFew lines are
// looked at wherever they are.
//
// What is found depends on the jobs and the limits alone.  Where there are no limits this is a GangQueue.
//
// Cost: insert and erase as of GangQueue, twice.  A search looks at lines up to the one that it finds, O(lines / 64) and
// those whose jobs could fit; what limits hold costs one look a line, each time its limit has more room than before.
// Memory 80 bytes a job as of GangQueue, 250 bytes a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedcore/engine/job_table.hpp"
#include "schedcore/gangs/gang_queue.hpp"
#include "schedcore/index/gang_classes.hpp"
#include "schedcore/site/limit_use.hpp"
#include "schedcore/site/site_state.hpp"

namespace schedcore {

class LimitedQueue {
 public:
  // Of the entry of a job.
  [[nodiscard]] static std::uint32_t profile_of(JobSlot job, const JobTable& jobs) {
    return jobs.has_site() && jobs.site()->any_limits() ? jobs.site()->profile(job) : GangEntry::kUnlimited;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }

  // Its profile is kUnlimited for all, or for none.
  void insert(const GangEntry& entry);
  // Of an entry that is there.
  void erase(const GangEntry& entry);

  // The first entry behind `after`, or of all, that no limit holds and that `fits`.  `could_fit` as of GangQueue;
  // `any_could_fit(entry)` must hold if any job of that class with no fewer tasks fits.  `limits` is null where there are
  // none.
  template <class CouldFit, class AnyCouldFit, class Fits>
  [[nodiscard]] std::optional<GangEntry> find(const std::optional<QueueOrder>& after, const LimitUse* limits,
                                              const GangClasses& classes, const CouldFit& could_fit,
                                              const AnyCouldFit& any_could_fit, const Fits& fits) {
    std::optional<GangEntry> first;
    if (limits == nullptr) {
      const auto found = unlimited_.find(behind(unlimited_, after), could_fit, [&](const GangEntry& entry) {
        return any_could_fit(entry) && fits(entry);
      });
      if (found) first = unlimited_.at(*found);
      return first;
    }
    open_freed(*limits);
    held_.clear();
    const auto visit = [&](const GangEntry& front) {
      if (first && !(front.order < first->order)) return true;
      if (!any_could_fit(front)) return false;
      const std::span<const Amount> demand = classes.demand(front.job_class);
      if (const auto counter = limits->counter_exceeded(front.profile, front.n_tasks, demand)) {
        held_.push_back({front.job, *counter});
        return false;
      }
      const GangQueue& jobs = lines_[front.job].jobs;
      if (after && !(*after < jobs.back().order)) return false;
      const Amount most = limits->most_tasks(front.profile, demand);
      const auto may_have = [&](Amount n_tasks, Time estimate) { return n_tasks <= most && could_fit(n_tasks, estimate); };
      const auto found = jobs.find(behind(jobs, after), may_have, fits);
      if (found && (!first || jobs.at(*found).order < first->order)) first = jobs.at(*found);
      return false;
    };
    static_cast<void>(open_.find({}, could_fit, visit));
    for (const std::uint32_t counter : crowded_) {
      if (!limits->is_used_up(counter)) static_cast<void>(aside_.at(counter).find({}, could_fit, visit));
    }
    set_held_aside();
    return first;
  }

  template <class Visit>
  void for_each(const Visit& visit) const {  // in order within a line
    unlimited_.for_each(visit);
    for (const Line& line : lines_) line.jobs.for_each(visit);
  }

  // Every entry has the order that `order_of(entry)` says from now on.
  template <class OrderOf>
  void reorder(const OrderOf& order_of) {
    static_cast<void>(unlimited_.reorder(order_of));
    for (std::uint32_t line = 0; line < lines_.size(); ++line) {
      if (lines_[line].jobs.empty()) continue;
      static_cast<void>(lines_[line].jobs.reorder(order_of));
      show(line, lines_[line].counter);
    }
  }

  // Throws std::logic_error unless every line stands where it should, as it is.
  void check_invariants() const;

 private:
  static constexpr std::size_t kFew = 64;
  static constexpr std::uint32_t kOpen = ~std::uint32_t{0};

  struct Line {
    GangQueue jobs;
    std::pair<Amount, Time> least{kAnyNumber, kNever};  // tasks and estimate
    GangEntry front;                // as it stands among others, where its number is that of the job
    std::uint32_t counter = kOpen;  // at which it is set aside
    bool is_shown = false;
  };

  [[nodiscard]] static GangQueue::Position behind(const GangQueue& queue, const std::optional<QueueOrder>& after) {
    return after ? queue.behind(*after) : GangQueue::Position();
  }
  [[nodiscard]] static std::uint64_t key_of(const GangEntry& entry) {
    return (std::uint64_t{entry.job_class} << 32) | entry.profile;
  }
  [[nodiscard]] std::uint32_t line_for(const GangEntry& entry);
  [[nodiscard]] GangQueue& place_of(std::uint32_t counter) { return counter == kOpen ? open_ : aside_[counter]; }
  // The line stands there from now on, as its jobs are now.
  void show(std::uint32_t line, std::uint32_t counter);
  void hide(std::uint32_t line);
  // Few lines at counters that were freed; those of a crowd are searched where they are.
  void open_freed(const LimitUse& limits);
  void open(std::uint32_t counter);
  void set_held_aside();

  std::size_t size_ = 0;
  GangQueue unlimited_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> unused_;  // without jobs
  std::unordered_map<std::uint64_t, std::uint32_t> line_of_;
  GangQueue open_;                     // the lines that are not set aside
  std::unordered_map<std::uint32_t, GangQueue> aside_;  // by counter
  std::vector<std::uint32_t> crowded_;  // counters at which more than kFew lines are, or were when it last had more room
  std::uint64_t n_seen_ = 0;           // of what limits have freed
  std::vector<std::pair<std::uint32_t, std::uint32_t>> held_;  // of the search under way: lines and counters
};

}  // namespace schedcore
