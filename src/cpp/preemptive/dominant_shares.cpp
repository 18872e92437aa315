#include "schedcore/preemptive/dominant_shares.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace schedcore {

void DominantShares::assign(const FairColumns& columns, std::vector<double>& rate) {
  rate = columns.most;
  used_.assign(columns.n_resources, 0.0);
  level_ = 0.0;
  sort_open(columns);
  while (!open_.empty() && fill(columns, rate)) {
  }
}

void DominantShares::sort_open(const FairColumns& columns) {
  const std::size_t n = columns.n_rows();
  speed_.resize(n);
  cap_level_.resize(n);
  for (std::size_t row = 0; row < n; ++row) {
    speed_[row] = columns.weight[row] / columns.dominant[row];
    cap_level_[row] = columns.most[row] / speed_[row];
  }
  open_.resize(n);
  std::iota(open_.begin(), open_.end(), 0u);
  std::ranges::sort(open_, [&](std::uint32_t a, std::uint32_t b) {
    return cap_level_[a] != cap_level_[b] ? cap_level_[a] < cap_level_[b] : a < b;
  });
}

void DominantShares::sum_up_speeds(const FairColumns& columns) {
  const std::size_t k = columns.n_resources;
  speeds_.assign((open_.size() + 1) * k, 0.0);
  for (std::size_t i = open_.size(); i-- > 0;) {
    const auto use = columns.use_of(open_[i]);
    for (std::size_t r = 0; r < k; ++r) speeds_[i * k + r] = speeds_[(i + 1) * k + r] + use[r] * speed_[open_[i]];
  }
}

// Fills until a resource is used up, and takes out the rows that use it; false if none is, and all get all they can use.
bool DominantShares::fill(const FairColumns& columns, std::vector<double>& rate) {
  const std::size_t k = columns.n_resources;
  sum_up_speeds(columns);
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const double cap_level = cap_level_[open_[i]];
    double full_level = std::numeric_limits<double>::infinity();
    std::size_t full = k;
    for (std::size_t r = 0; r < k; ++r) {
      const double speed = speeds_[i * k + r];
      if (speed == 0.0 || !(used_[r] + cap_level * speed > 1.0)) continue;
      const double level = std::max((1.0 - used_[r]) / speed, level_);
      if (level < full_level) {
        full_level = level;
        full = r;
      }
    }
    const auto use_up = [&](std::uint32_t row) {
      const auto use = columns.use_of(row);
      for (std::size_t r = 0; r < k; ++r) used_[r] += use[r] * rate[row];
    };
    if (full == k) {
      use_up(open_[i]);
      continue;
    }
    level_ = full_level;
    std::size_t kept = 0;
    for (; i < open_.size(); ++i) {
      const std::uint32_t row = open_[i];
      if (columns.use_of(row)[full] > 0.0) {
        rate[row] = std::min(level_ * speed_[row], columns.most[row]);
        use_up(row);
      } else {
        open_[kept++] = row;
      }
    }
    open_.resize(kept);
    return true;
  }
  return false;
}

}  // namespace schedcore
