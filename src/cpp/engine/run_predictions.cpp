#include "schedcore/engine/run_predictions.hpp"

#include <algorithm>

namespace schedcore {

RunPredictions::RunPredictions(std::span<const std::int64_t> user, std::span<const Time> estimate)
    : user_(user.begin(), user.end()),
      estimate_(estimate.begin(), estimate.end()),
      predicted_(estimate.begin(), estimate.end()),
      n_corrections_(user.size()) {
  const std::int64_t last = user.empty() ? -1 : *std::ranges::max_element(user);
  runs_.resize(static_cast<std::size_t>(last + 1));
}

void RunPredictions::note(JobSlot job, Time run_length) {
  if (user_[job] < 0) return;
  LastTwo& runs = runs_[static_cast<std::size_t>(user_[job])];
  runs = {run_length, runs.last};
}

Time RunPredictions::predict(JobSlot job) {
  predicted_[job] = estimate_[job];
  if (user_[job] < 0) return predicted_[job];
  const LastTwo& runs = runs_[static_cast<std::size_t>(user_[job])];
  if (runs.before > 0) predicted_[job] = std::min(estimate_[job], (runs.last + runs.before) / 2);
  return predicted_[job];
}

Time RunPredictions::correct(JobSlot job, Time elapsed) {
  do {
    const std::size_t n_before = n_corrections_[job];
    if (n_before == kIncrements.size()) return predicted_[job] = estimate_[job];
    ++n_corrections_[job];
    predicted_[job] = std::min(estimate_[job], predicted_[job] + kIncrements[n_before]);
  } while (predicted_[job] <= elapsed && predicted_[job] < estimate_[job]);
  return predicted_[job];
}

}  // namespace schedcore
