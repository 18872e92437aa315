#include "schedcore/best_lambda.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "schedcore/double_double.hpp"

namespace schedcore {
namespace {

struct Corner {
  double time;  // in fine units
  double share;
};

// A continuous piecewise linear function of time; constant before its first corner and after its last.
using ShareOverTime = std::vector<Corner>;

// Reads a function at times that do not decrease.
class Reader {
 public:
  explicit Reader(const ShareOverTime& function) : corner_(function) {}

  // kNever if there is none.
  [[nodiscard]] double next_corner() const { return next_ < corner_.size() ? corner_[next_].time : kNever; }
  [[nodiscard]] double at(double time) {
    while (next_corner() <= time) ++next_;
    if (next_ == 0) return corner_.front().share;
    const Corner& from = corner_[next_ - 1];
    if (next_ == corner_.size() || from.time == time) return from.share;
    const Corner& to = corner_[next_];
    return from.share + (to.share - from.share) * ((time - from.time) / (to.time - from.time));
  }

 private:
  const ShareOverTime& corner_;
  std::size_t next_ = 0;  // the first corner after the last time asked
};

ShareOverTime share_of_task(std::span<const ProgressStep> steps) {
  ShareOverTime function{{0, 0}};
  for (const ProgressStep& step : steps) {
    const auto start = static_cast<double>(step.start);
    if (start > function.back().time) function.push_back({start, function.back().share});
    function.push_back({static_cast<double>(step.end), step.after});
  }
  return function;
}

ShareOverTime lesser(const ShareOverTime& a, const ShareOverTime& b) {
  ShareOverTime least;
  least.reserve(a.size() + b.size());
  Reader read_a(a), read_b(b);
  double last_time = 0, last_a = 0, last_b = 0;
  for (;;) {
    const double corner_a = read_a.next_corner(), corner_b = read_b.next_corner();
    const double time = std::min(corner_a, corner_b);
    if (time == kNever) return least;
    const double share_a = read_a.at(time), share_b = read_b.at(time);
    const double lead = last_a - last_b, new_lead = share_a - share_b;
    if ((lead < 0 && new_lead > 0) || (lead > 0 && new_lead < 0)) {
      const double way = lead / (lead - new_lead);
      const double crossing = last_time + (time - last_time) * way;
      if (last_time < crossing && crossing < time) least.push_back({crossing, last_a + (share_a - last_a) * way});
    }
    if ((corner_a == time && share_a <= share_b) || (corner_b == time && share_b <= share_a)) {
      least.push_back({time, std::min(share_a, share_b)});
    }
    last_time = time;
    last_a = share_a;
    last_b = share_b;
  }
}

ShareOverTime share_of_tasks(const TaskProgress& progress, std::size_t first, std::size_t last) {
  if (last - first == 1) return share_of_task(progress.of(first));
  const std::size_t middle = first + (last - first) / 2;
  return lesser(share_of_tasks(progress, first, middle), share_of_tasks(progress, middle, last));
}

// w_j C_j(lambda) = constant + slope * lambda, for lambda up to `reach`.
struct LinearPart {
  double reach;
  double constant;
  double slope;
};

// sum_j w_j C_j(lambda) for ascending lambda.
class WeightedCompletions {
 public:
  void add(double weight, const ShareOverTime& job) {
    LinearPart last{};
    Corner from = job.front();
    for (const Corner& to : job) {
      if (to.share <= from.share * (1 + kSameShare)) {
        from.time = to.time;
        continue;
      }
      const double slope = (to.time - from.time) / (to.share - from.share);
      const LinearPart part{to.share * (1 + kSameShare), weight * (from.time - from.share * slope), weight * slope};
      if (from.share == 0) {
        apply({}, part);
      } else {
        changes_.push_back({last, part});
      }
      last = part;
      from = to;
    }
  }
  void begin() {
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.from.reach < b.from.reach; });
  }
  [[nodiscard]] double at(double lambda) {
    for (; next_ < changes_.size() && changes_[next_].from.reach < lambda; ++next_) {
      apply(changes_[next_].from, changes_[next_].to);
    }
    return constant_.hi + slope_.hi * lambda;
  }

 private:
  struct Change {
    LinearPart from, to;
  };
  void apply(const LinearPart& from, const LinearPart& to) {
    constant_ = constant_ - from.constant + to.constant;
    slope_ = slope_ - from.slope + to.slope;
  }

  DoubleDouble constant_, slope_;  // of the sum, for the lambda asked last
  std::vector<Change> changes_;
  std::size_t next_ = 0;
};

}  // namespace

LambdaChoice best_lambda(const ParallelTasksView& tasks, const TaskProgress& progress, std::span<const FineTime> tau) {
  std::vector<double> candidates{1};
  WeightedCompletions completions;
  for (std::size_t task = 0; task < tasks.n_tasks();) {
    const std::size_t job = tasks.job_of(task), first = task;
    while (task < tasks.n_tasks() && tasks.job_of(task) == job) ++task;
    const ShareOverTime share = share_of_tasks(progress, first, task);
    completions.add(tasks.weight[job], share);
    Reader read(share);
    for (const FineTime time : tau) {
      const double alpha = read.at(static_cast<double>(time));
      if (alpha > 0 && alpha < 1 - kSameShare) candidates.push_back(alpha);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  completions.begin();
  std::vector<double> value;
  value.reserve(candidates.size());
  for (const double lambda : candidates) value.push_back(completions.at(lambda) / lambda / kFineTimesPerTime);
  const double limit = *std::min_element(value.begin(), value.end()) * (1 + kSameShare);
  std::size_t chosen = value.size() - 1;
  while (value[chosen] > limit) --chosen;
  return {candidates[chosen], value[chosen]};
}

}  // namespace schedcore
