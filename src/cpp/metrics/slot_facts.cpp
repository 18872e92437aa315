#include "schedcore/metrics/slot_facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "schedcore/metrics/power_sums.hpp"
#include "schedcore/metrics/slot_progress.hpp"
#include "schedcore/model/latest_ends.hpp"

namespace schedcore {
namespace {

// A sum of what is not negative that carries what rounding cut off (A. Neumaier, 1974).
struct CarryingSum {
  double sum = 0;
  double carry = 0;

  void add(double term) {
    const double next = sum + term;
    carry += sum >= term ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  [[nodiscard]] double value() const { return std::isinf(sum) ? sum : sum + carry; }
};

// Interruptions, moves and gaps, from pieces in order of their starts.
class RunChanges {
 public:
  RunChanges(const SlotTasksView& tasks, const SlotPiecesView& pieces, const std::vector<Slot>& done, SlotFacts& facts)
      : tasks_(tasks), pieces_(pieces), done_(done), facts_(facts), task_end_(tasks.n_rows(), 0),
        job_end_(tasks.release_time.begin(), tasks.release_time.end()) {}

  void count(Slot end_of_run) {
    for (std::size_t first = 0, last; first < pieces_.size(); first = last) {
      last = first + 1;
      while (last < pieces_.size() && starts_with(first, last)) ++last;
      count_start(first, last);
    }
    for (const Slot end : task_end_) end_of_run = std::max(end_of_run, end);
    for (std::size_t job = 0; job < tasks_.n_jobs(); ++job) count_end(job, end_of_run);
  }

 private:
  // Whether two pieces are of one task and start together; such pieces are neighbours.
  [[nodiscard]] bool starts_with(std::size_t piece, std::size_t other) const {
    return pieces_.start[piece] == pieces_.start[other] && pieces_.job[piece] == pieces_.job[other] &&
           pieces_.task[piece] == pieces_.task[other];
  }

  void count_start(std::size_t first, std::size_t last) {
    const auto job = static_cast<std::size_t>(pieces_.job[first]);
    const std::size_t row = tasks_.row_of(job, pieces_.task[first]);
    const Slot start = pieces_.start_of(first);
    Slot& task_end = task_end_[row];
    if (task_end > 0) {
      // The pieces that cover the last slot in which the task ran are those that end at `ran_until` or later.
      const Slot ran_until = std::min(task_end, start);
      bool moves = false;
      for (std::size_t piece = first; piece < last && !moves; ++piece) {
        moves = ends_.find(row, machine_of(piece)) < ran_until;
      }
      if (moves) ++facts_.migrations[job];
      if (moves && ran_until == start) ++facts_.live_migrations[job];
      if (ran_until < start) ++facts_.preemptions[job];
    }
    note_gap(job, start);
    for (std::size_t piece = first; piece < last; ++piece) {
      const Slot end = pieces_.end_of(piece);
      task_end = std::max(task_end, end);
      job_end_[job] = std::max(job_end_[job], end);
      ends_.raise(row, machine_of(piece), end, [&](std::size_t other, Slot other_end) {
        return done_[other] > start && other_end >= std::min(task_end_[other], start);
      });
    }
  }

  void count_end(std::size_t job, Slot end_of_run) {
    bool is_done = true;
    for (std::size_t row = tasks_.first_row(job); row < tasks_.end_row(job); ++row) {
      if (done_[row] != kNotDone) continue;
      is_done = false;
      if (task_end_[row] > 0 && task_end_[row] < end_of_run) ++facts_.preemptions[job];
    }
    if (!is_done) note_gap(job, end_of_run);
  }

  void note_gap(std::size_t job, Slot until) {
    facts_.max_gap[job] = std::max<std::int64_t>(facts_.max_gap[job], until - job_end_[job]);
  }
  [[nodiscard]] std::size_t machine_of(std::size_t piece) const {
    return static_cast<std::size_t>(pieces_.machine[piece]);
  }

  const SlotTasksView& tasks_;
  const SlotPiecesView& pieces_;
  const std::vector<Slot>& done_;
  SlotFacts& facts_;
  std::vector<Slot> task_end_;  // of each row: the latest end of a piece so far, 0 before the first
  std::vector<Slot> job_end_;   // the same of each job, its release before the first
  LatestEnds ends_;
};

}  // namespace

std::vector<FractionalWeight> fractional_weights(const SlotTasksView& tasks, int k) {
  std::vector<FractionalWeight> weights(tasks.n_rows());
  for (std::size_t job = 0; job < tasks.n_jobs(); ++job) {
    const std::size_t first = tasks.first_row(job), end = tasks.end_row(job);
    if (!tasks.has_tasks()) {
      const auto time = static_cast<double>(tasks.processing_time[first]);
      weights[first] = {time, integer_power(time, k - 1)};
      continue;
    }
    const std::size_t first_reduce = first + static_cast<std::size_t>(tasks.map_tasks[job]);
    const Slot map_time = first_reduce > first ? tasks.processing_time[first] : 0;
    const Slot reduce_time = end > first_reduce ? tasks.processing_time[first_reduce] : 0;
    const double whole = integer_power(static_cast<double>(map_time + reduce_time), k);
    for (std::size_t row = first; row < end; ++row) {
      const std::size_t n_tasks = row < first_reduce ? first_reduce - first : end - first_reduce;
      const double divisor = static_cast<double>(n_tasks) * static_cast<double>(tasks.processing_time[row]);
      weights[row] = {divisor, whole / (2 * divisor)};
    }
  }
  return weights;
}

SlotFacts slot_facts(const SlotTasksView& tasks, const SlotPiecesView& pieces, int k, Slot end_of_run) {
  const std::size_t n_jobs = tasks.n_jobs();
  const std::vector<std::int64_t> none(n_jobs, 0);
  SlotFacts facts{std::vector<double>(n_jobs), std::vector<double>(n_jobs), none, none, none, none};

  const std::vector<FractionalWeight> weights = fractional_weights(tasks, k);
  const PowerSums powers(k);
  std::vector<CarryingSum> fractional(n_jobs);
  const std::vector<Slot> done = follow_progress(tasks, pieces, [&](const SlotProgress& progress) {
    const FractionalWeight& weight = weights[progress.row];
    const Slot release = tasks.release_time[progress.job];
    const double sum = powers.over(progress.start - release, progress.end - release) / weight.divisor +
                       static_cast<double>(progress.end - progress.start) * weight.constant;
    const double rate = static_cast<double>(progress.cores) / static_cast<double>(tasks.cores_of(progress.row));
    fractional[progress.job].add(rate * sum);
  });
  const std::vector<Slot> completion = job_completions(tasks, done);
  for (std::size_t job = 0; job < n_jobs; ++job) {
    facts.fractional[job] = fractional[job].value();
    facts.completion_time[job] = completion[job] == kNotDone ? kNever : static_cast<double>(completion[job]);
  }
  RunChanges(tasks, pieces, done, facts).count(end_of_run);
  return facts;
}

}  // namespace schedcore
