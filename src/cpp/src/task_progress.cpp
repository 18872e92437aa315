#include "schedcore/task_progress.hpp"

#include <algorithm>
#include <numeric>

namespace schedcore {
namespace {

// What one task has had on each of its machines so far.
class SharesOfTask {
 public:
  void clear() { part_.clear(); }
  void apply(ProgressStep& step) {
    auto part = std::find_if(part_.begin(), part_.end(), [&](const Part& p) { return p.machine == step.machine; });
    if (part == part_.end()) part = part_.insert(part, {step.machine, step.processing_time, 0});
    step.before = total();
    step.there_before = part->share();
    part->processed += step.end - step.start;
    step.after = total();
    step.there_after = part->share();
  }

 private:
  struct Part {
    std::size_t machine;
    std::int64_t processing_time;
    FineTime processed;

    [[nodiscard]] double units() const {
      return static_cast<double>(processed) / static_cast<double>(processing_time);
    }
    [[nodiscard]] double share() const { return units() / static_cast<double>(kWholeTask); }
  };

  [[nodiscard]] double total() const {
    double units = 0;
    for (const Part& part : part_) units += part.units();
    return units / static_cast<double>(kWholeTask);
  }

  std::vector<Part> part_;
};

}  // namespace

TaskProgress::TaskProgress(const ParallelTasksView& tasks, std::span<const IntervalFraction> fractions,
                           std::span<const FractionPiece> pieces)
    : first_(tasks.n_tasks() + 1), step_(pieces.size()) {
  for (const FractionPiece& piece : pieces) ++first_[fractions[piece.fraction].task + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const FractionPiece& piece : pieces) {
    const IntervalFraction& fraction = fractions[piece.fraction];
    ProgressStep& step = step_[next[fraction.task]++];
    step.start = piece.start;
    step.end = piece.end;
    step.machine = fraction.machine;
    step.processing_time = tasks.placement_time[tasks.placement_on(fraction.task, fraction.machine)];
  }
  SharesOfTask shares;
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
    shares.clear();
    for (std::size_t i = first_[task]; i < first_[task + 1]; ++i) shares.apply(step_[i]);
  }
}

}  // namespace schedcore
