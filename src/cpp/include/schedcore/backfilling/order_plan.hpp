// The plan that an order of the waiting jobs leads to, and how it changes where two of them change places.
//
// In the order each job gets the earliest start from now on that fits beside the running jobs and the jobs planned before it,
// on the lowest machine with it, as `ReplanningPolicy` plans in the order of the queue.  The score is the sum of the planned
// starts; it differs from the sum of the predicted response times by what no order changes.  Sums are of 106 bits: exact
// unless times of one queue differ in size by more than 2^40.
//
// One plan is kept, that others are changes of.  What is laid out on the timelines is the last plan asked for; the next one
// takes back what lies behind their common beginning, looks up in the kept plan what is there, and searches the rest.  A
// search ends where the score can no more come down to a limit, as nobody starts before he could beside the running jobs
// alone, and where two jobs have changed places and all in between stand where they stood.
// Invariants: `laid_` is the beginning of some order's plan, and is all that the timelines hold beside the running jobs.  What
// a job's place depends on is the classes before it, never on which of equal jobs they are.
//
// Cost with n jobs, M machines and timelines of k breakpoints: making one a copy of the timelines and a search for each
// class; a plan a reset of the bounds, O(c M) for c classes, and for each job behind what is common O(M) and one search or
// more of O(R (b + log k)), and as much to take it back.  Not for one plan of one order: `RebuildPolicy` keeps less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/backfilling/fit_bounds.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/exact/double_double.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

class OrderPlan {
 public:
  using Order = std::vector<std::uint32_t>;  // of jobs by their numbers
  struct Job {
    FitBounds::Class job_class = FitBounds::kNoClass;
    Time estimate = 0;
    std::int64_t id = 0;  // for errors
  };
  struct Place {
    FitBounds::Fit at;
    Time end = 0;
    DoubleDouble sum;  // of the starts up to this one
    Time later = 0;    // by how much they are later than they could be beside the running jobs alone, together
  };

  // `running` are the timelines of the running jobs; `bounds` has the classes and is used until the last plan.  `poll` is
  // called every few hundred steps.
  OrderPlan(FitBounds& bounds, const std::vector<ResourceTimeline>& running, std::vector<Job> jobs, Time resolution, Time now,
            std::function<void()> poll);

  [[nodiscard]] std::size_t n_jobs() const { return jobs_.size(); }
  // The score of an order of all jobs, whatever it is.  Throws InvalidInstanceError for a job whose planned end the clock
  // cannot represent.
  [[nodiscard]] DoubleDouble plan_first(const Order& order);
  // The score of an order of all jobs.  None if it is certain to be above the limit, or there is such a job.
  [[nodiscard]] std::optional<DoubleDouble> plan(const Order& order, const DoubleDouble& limit);
  // That of the kept order with the jobs at two positions, first < last, in each other's place.
  [[nodiscard]] std::optional<DoubleDouble> plan_swapped(std::size_t first, std::size_t last, const DoubleDouble& limit);
  // What was planned last, with a score, is the kept plan from now on.
  void keep();

  [[nodiscard]] const Order& order() const { return order_; }
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }  // by position

 private:
  struct Laid {
    FitBounds::Class job_class = FitBounds::kNoClass;
    Place place;
  };
  static constexpr std::size_t kNoSwap = static_cast<std::size_t>(-1);
  static constexpr std::uint32_t kPollInterval = 256;

  [[nodiscard]] FitBounds::Class class_at(std::size_t position) const { return jobs_[planned_[position]].job_class; }
  void take_back(std::size_t n_left);
  void lay(FitBounds::Class of, const Place& place);
  // Whether the clock can represent the end; where it `must`, throws.
  [[nodiscard]] bool search_place(std::size_t position, bool must);
  void step() {
    if (++n_steps_ % kPollInterval == 0) poll_();
  }
  // Whether the job at the position of the changed order has another place than in the kept plan.
  [[nodiscard]] bool has_moved(std::size_t position) const;
  [[nodiscard]] bool is_above(const DoubleDouble& limit) const;
  [[nodiscard]] std::optional<DoubleDouble> plan_from(std::size_t first, const DoubleDouble* limit);

  FitBounds& bounds_;
  std::vector<Job> jobs_;
  std::vector<Time> earliest_;  // by class, beside the running jobs alone
  DoubleDouble least_score_;
  Time resolution_;
  Time now_;
  std::function<void()> poll_;
  std::uint32_t n_steps_ = 0;
  std::vector<ResourceTimeline> timelines_;
  std::vector<Laid> laid_;
  Order planned_;  // what was asked for last
  std::size_t first_swapped_ = kNoSwap;
  std::size_t last_swapped_ = kNoSwap;
  Order order_;
  std::vector<Place> places_;
};

}  // namespace schedcore
