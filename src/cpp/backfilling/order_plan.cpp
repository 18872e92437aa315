#include "schedcore/backfilling/order_plan.hpp"

#include <algorithm>
#include <utility>

#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

OrderPlan::OrderPlan(FitBounds& bounds, const std::vector<ResourceTimeline>& running, std::vector<Job> jobs,
                     Time resolution, Time now, std::function<void()> poll)
    : bounds_(bounds),
      jobs_(std::move(jobs)),
      resolution_(resolution),
      now_(now),
      poll_(std::move(poll)),
      timelines_(running) {
  for (ResourceTimeline& each : timelines_) each.forget_before(now);
  bounds_.forget(now);
  earliest_.assign(bounds_.n_classes(), kNever);
  for (const Job& job : jobs_) {
    Time& earliest = earliest_[job.job_class];
    if (earliest == kNever) earliest = bounds_.earliest(job.job_class, now, {}, timelines_).time;
    least_score_ = least_score_ + earliest;
  }
  laid_.reserve(jobs_.size());
}

DoubleDouble OrderPlan::plan_first(const Order& order) {
  planned_ = order;
  first_swapped_ = last_swapped_ = kNoSwap;
  return *plan_from(0, nullptr);
}

std::optional<DoubleDouble> OrderPlan::plan(const Order& order, const DoubleDouble& limit) {
  planned_ = order;
  first_swapped_ = last_swapped_ = kNoSwap;
  return plan_from(0, &limit);
}

std::optional<DoubleDouble> OrderPlan::plan_swapped(std::size_t first, std::size_t last, const DoubleDouble& limit) {
  planned_ = order_;
  std::swap(planned_[first], planned_[last]);
  first_swapped_ = first;
  last_swapped_ = last;
  if (class_at(first) == class_at(last)) return places_.back().sum;
  return plan_from(first, &limit);
}

// Positions before `first` are as in the kept plan.  Without a limit the score is there.
std::optional<DoubleDouble> OrderPlan::plan_from(std::size_t first, const DoubleDouble* limit) {
  step();
  std::size_t next = 0;
  while (next < laid_.size() && laid_[next].job_class == class_at(next)) ++next;
  take_back(next);
  for (; next < first; ++next) lay(class_at(next), places_[next]);
  bounds_.forget(now_);
  bool any_moved = false;
  for (std::size_t position = first; position < jobs_.size(); ++position) {
    if (position > last_swapped_ && !any_moved) return places_.back().sum;
    if (position >= next) {
      if (limit != nullptr && is_above(*limit)) return std::nullopt;
      if (!search_place(position, limit == nullptr)) return std::nullopt;
    }
    if (position <= last_swapped_ && last_swapped_ != kNoSwap) any_moved = any_moved || has_moved(position);
  }
  return laid_.back().place.sum;
}

void OrderPlan::take_back(std::size_t n_left) {
  while (laid_.size() > n_left) {
    const Laid& last = laid_.back();
    timelines_[last.place.at.machine].release(last.place.at.time, last.place.end, bounds_.demand(last.job_class));
    laid_.pop_back();
  }
}

void OrderPlan::lay(FitBounds::Class of, const Place& place) {
  timelines_[place.at.machine].reserve(place.at.time, place.end, bounds_.demand(of));
  laid_.push_back({of, place});
}

bool OrderPlan::search_place(std::size_t position, bool must) {
  step();
  const Job& job = jobs_[planned_[position]];
  Place place;
  place.at = bounds_.earliest(job.job_class, now_, {}, timelines_);
  place.end = bounds_.planned_end(job.estimate, place.at.time, now_);
  if (!(place.end < kNever)) {
    if (must) check_planned_end(job.id, place.at.time, place.end, resolution_);
    return false;
  }
  if (!laid_.empty()) {
    place.sum = laid_.back().place.sum;
    place.later = laid_.back().place.later;
  }
  place.sum = place.sum + place.at.time;
  place.later += place.at.time - earliest_[job.job_class];
  lay(job.job_class, place);
  return true;
}

bool OrderPlan::has_moved(std::size_t position) const {
  std::size_t before = position;
  if (position == first_swapped_) before = last_swapped_;
  if (position == last_swapped_) before = first_swapped_;
  return laid_[position].place.at != places_[before].at;
}

// Differences of starts and their sum are off by a rounding of each, which what is beyond the sum covers.
bool OrderPlan::is_above(const DoubleDouble& limit) const {
  if (laid_.empty()) return false;
  const double rounding = static_cast<double>(jobs_.size() + 4) * 0x1p-50 * limit.hi;
  return laid_.back().place.later - rounding > (limit - least_score_).hi;
}

void OrderPlan::keep() {
  if (last_swapped_ == kNoSwap) {
    places_.resize(laid_.size());
    for (std::size_t i = 0; i < laid_.size(); ++i) places_[i] = laid_[i].place;
  } else if (class_at(first_swapped_) != class_at(last_swapped_)) {
    // Behind what is laid out all is as before.
    for (std::size_t i = first_swapped_; i < laid_.size(); ++i) places_[i] = laid_[i].place;
  }
  std::swap(order_, planned_);
}

}  // namespace schedcore
