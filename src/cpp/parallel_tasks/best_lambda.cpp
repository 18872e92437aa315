#include "schedcore/parallel_tasks/best_lambda.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "schedcore/exact/double_double_quotient.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"

namespace schedcore {
namespace {

using Candidates = std::vector<TaskShare>;  // ascending, distinct; the last is 1

// The share of a task at times that do not decrease.
class ShareOverTime {
 public:
  explicit ShareOverTime(std::span<const ProgressStep> steps) : steps_(steps) {}
  [[nodiscard]] TaskShare at(FineTime time) {
    for (; next_ < steps_.size() && steps_[next_].end <= time; ++next_) done_ = steps_[next_].after(done_);
    if (next_ == steps_.size() || steps_[next_].start >= time) return done_;
    return steps_[next_].after(done_, time - steps_[next_].start);
  }

 private:
  std::span<const ProgressStep> steps_;
  std::size_t next_ = 0;
  TaskShare done_;  // by the steps before next_
};

// Tasks first .. last - 1 are those of a job.
template <class Visit>
void for_each_job(const ParallelTasksView& tasks, const Visit& visit) {
  for (std::size_t first = 0, last = 0; first < tasks.n_tasks(); first = last) {
    const std::size_t job = tasks.job_of(first);
    while (last < tasks.n_tasks() && tasks.job_of(last) == job) ++last;
    visit(job, first, last);
  }
}

Candidates candidates_of(const ParallelTasksView& tasks, const TaskProgress& progress, std::span<const FineTime> tau) {
  Candidates candidates{TaskShare::whole()};
  std::vector<TaskShare> alpha(tau.size());
  for_each_job(tasks, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t task = first; task < last; ++task) {
      ShareOverTime share(progress.of(task));
      for (std::size_t l = 0; l < tau.size(); ++l) {
        TaskShare own = share.at(tau[l]);
        if (task == first || own < alpha[l]) alpha[l] = std::move(own);
      }
    }
    for (std::size_t l = 0; l < tau.size(); ++l) {
      if (!alpha[l].is_zero() && (l == 0 || alpha[l - 1] != alpha[l])) candidates.push_back(alpha[l]);
    }
  });
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

// A fine time as a function of lambda in units of 10^-9.
struct Line {
  DoubleDouble constant, slope;

  [[nodiscard]] DoubleDouble at(DoubleDouble lambda) const { return constant + product(slope, lambda); }
  friend Line operator+(const Line& a, const Line& b) { return {a.constant + b.constant, a.slope + b.slope}; }
  friend Line operator-(const Line& a, const Line& b) { return {a.constant - b.constant, a.slope - b.slope}; }
};

// A function of the candidates: `line` for those from the reach of the part before up to `reach` - 1.
struct LinearPart {
  std::size_t reach;
  Line line;
};
using LinearParts = std::vector<LinearPart>;

// When the task has done as much as each candidate.
LinearParts completion_of_task(std::span<const ProgressStep> steps, const Candidates& candidates) {
  LinearParts parts;
  TaskShare before;
  std::size_t reached = 0;
  for (const ProgressStep& step : steps) {
    TaskShare after = step.after(before);
    const auto not_reached = candidates.begin() + static_cast<std::ptrdiff_t>(reached);
    const auto beyond = std::upper_bound(not_reached, candidates.end(), after);
    const auto reach = static_cast<std::size_t>(beyond - candidates.begin());
    if (reach > reached) {
      const DoubleDouble slope = as_double_double(step.processing_time);
      parts.push_back({reach, {as_double_double(step.start) - product(before.units(), slope), slope}});
      reached = reach;
    }
    before = std::move(after);
  }
  assert(reached == candidates.size());
  return parts;
}

LinearParts later(const LinearParts& a, const LinearParts& b, const Candidates& candidates) {
  LinearParts latest;
  latest.reserve(a.size() + b.size());
  std::size_t i = 0, j = 0;
  for (std::size_t from = 0; from < candidates.size();) {
    const std::size_t to = std::min(a[i].reach, b[j].reach);
    const Line lead = a[i].line - b[j].line;
    const auto a_leads = [&](const TaskShare& lambda) { return DoubleDouble(0) <= lead.at(lambda.units()); };
    const bool at_first = a_leads(candidates[from]), at_last = a_leads(candidates[to - 1]);
    if (at_first != at_last) {
      const auto crossing = std::partition_point(candidates.begin() + static_cast<std::ptrdiff_t>(from),
                                                 candidates.begin() + static_cast<std::ptrdiff_t>(to),
                                                 [&](const TaskShare& lambda) { return a_leads(lambda) == at_first; });
      latest.push_back({static_cast<std::size_t>(crossing - candidates.begin()), at_first ? a[i].line : b[j].line});
    }
    latest.push_back({to, at_last ? a[i].line : b[j].line});
    if (a[i].reach == to) ++i;
    if (b[j].reach == to) ++j;
    from = to;
  }
  return latest;
}

LinearParts completion_of_tasks(const TaskProgress& progress, std::size_t first, std::size_t last,
                                const Candidates& candidates) {
  if (last - first == 1) return completion_of_task(progress.of(first), candidates);
  const std::size_t middle = first + (last - first) / 2;
  return later(completion_of_tasks(progress, first, middle, candidates),
               completion_of_tasks(progress, middle, last, candidates), candidates);
}

// sum_j w_j C_j(lambda) / lambda at every candidate.
class WeightedCompletions {
 public:
  explicit WeightedCompletions(std::size_t n_candidates) : change_(n_candidates + 1) {}

  void add(double weight, const LinearParts& job) {
    std::size_t from = 0;
    for (const auto& [reach, line] : job) {
      const Line weighted{product(line.constant, weight), product(line.slope, weight)};
      change_[from].by = change_[from].by + weighted;
      change_[reach].by = change_[reach].by - weighted;
      change_[from].constants += std::abs(weighted.constant.hi);
      change_[from].slopes += weighted.slope.hi;
      from = reach;
    }
  }

  struct Least {
    std::size_t candidate;
    double value;
  };
  [[nodiscard]] Least least(const Candidates& candidates) const {
    std::vector<DoubleDouble> value, error;
    Change sum;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      sum.by = sum.by + change_[c].by;
      sum.constants += change_[c].constants;
      sum.slopes += change_[c].slopes;
      const DoubleDouble lambda = candidates[c].units();
      value.push_back(quotient(sum.by.constant, lambda) + sum.by.slope);
      error.push_back(0x1p-90 * (sum.constants / lambda.hi + sum.slopes));
    }
    DoubleDouble limit = value[0] + error[0];
    for (std::size_t c = 1; c < value.size(); ++c) {
      if (value[c] + error[c] <= limit) limit = value[c] + error[c];
    }
    std::size_t chosen = value.size() - 1;
    while (!(value[chosen] - error[chosen] <= limit)) --chosen;
    return {chosen, value[chosen].hi};
  }

 private:
  struct Change {
    Line by;
    double constants = 0, slopes = 0;  // the magnitudes that come in, from which no sum that cancels takes away
  };
  std::vector<Change> change_;  // at each candidate, to what holds at the one before
};

}  // namespace

LambdaChoice best_lambda(const ParallelTasksView& tasks, const TaskProgress& progress, std::span<const FineTime> tau) {
  Candidates candidates = candidates_of(tasks, progress, tau);
  double largest_weight = 1;
  if (!tasks.weight.empty()) largest_weight = *std::max_element(tasks.weight.begin(), tasks.weight.end());
  const int scale = std::ilogb(largest_weight);  // so that no sum overflows
  WeightedCompletions completions(candidates.size());
  for_each_job(tasks, [&](std::size_t job, std::size_t first, std::size_t last) {
    completions.add(std::scalbn(tasks.weight[job], -scale), completion_of_tasks(progress, first, last, candidates));
  });
  const auto [chosen, value] = completions.least(candidates);
  const double lambda = candidates[chosen].units().hi / static_cast<double>(kWholeTask);
  return {std::move(candidates[chosen]), lambda, std::scalbn(value, scale)};
}

}  // namespace schedcore
