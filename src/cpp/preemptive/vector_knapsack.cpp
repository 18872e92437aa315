#include "schedcore/preemptive/vector_knapsack.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace schedcore {

bool VectorKnapsack::solve(std::span<const double> profit, std::span<const Amount> amount,
                           std::span<const Amount> capacity, std::vector<std::uint8_t>& taken) {
  assert(!capacity.empty() && amount.size() == profit.size() * capacity.size());
  n_items_ = profit.size();
  n_resources_ = capacity.size();
  sort_items(profit, amount, capacity);
  sort_by_measures();
  capacity_.assign(capacity.begin(), capacity.end());
  free_ = capacity_;
  path_.clear();
  best_path_.clear();
  value_ = best_value_ = 0.0;
  descend(0);
  std::uint64_t n_nodes = 0;
  while (!path_.empty() && n_nodes < kNodeBudget) {
    const auto [position, value] = path_.back();
    path_.pop_back();
    value_ = value;
    for (std::size_t r = 0; r < n_resources_; ++r) free_[r] += amount_[position * n_resources_ + r];
    ++n_nodes;
    if (bound(position + 1) > best_value_) descend(position + 1);
  }
  taken.assign(n_items_, 0);
  for (const Step& step : best_path_) taken[item_[step.position]] = 1;
  return path_.empty();
}

void VectorKnapsack::sort_items(std::span<const double> profit, std::span<const Amount> amount,
                                std::span<const Amount> capacity) {
  const auto share = [&](std::size_t item, std::size_t r) {
    const auto asked = static_cast<double>(amount[item * n_resources_ + r]);
    return capacity[r] == 0 ? 0.0 : asked / static_cast<double>(capacity[r]);
  };
  density_.resize(n_items_);
  for (std::size_t item = 0; item < n_items_; ++item) {
    double size = 0.0;
    for (std::size_t r = 0; r < n_resources_; ++r) size += share(item, r);
    density_[item] = size > 0.0 ? profit[item] / size : std::numeric_limits<double>::infinity();
  }
  item_.resize(n_items_);
  std::iota(item_.begin(), item_.end(), 0u);
  std::ranges::sort(item_, [&](std::uint32_t a, std::uint32_t b) {
    return density_[a] != density_[b] ? density_[a] > density_[b] : a < b;
  });
  profit_.resize(n_items_);
  amount_.resize(n_items_ * n_resources_);
  size_.assign((n_resources_ + 1) * n_items_, 0.0);
  for (std::size_t position = 0; position < n_items_; ++position) {
    const std::size_t item = item_[position];
    profit_[position] = profit[item];
    for (std::size_t r = 0; r < n_resources_; ++r) {
      amount_[position * n_resources_ + r] = amount[item * n_resources_ + r];
      size_[position] += size_[(r + 1) * n_items_ + position] = share(item, r);
    }
  }
}

void VectorKnapsack::sort_by_measures() {
  order_.resize((n_resources_ + 1) * n_items_);
  for (std::size_t measure = 0; measure <= n_resources_; ++measure) {
    const std::span<std::uint32_t> order = std::span(order_).subspan(measure * n_items_, n_items_);
    std::iota(order.begin(), order.end(), 0u);
    if (measure == 0) continue;  // positions are in this order
    const double* const size = size_.data() + measure * n_items_;
    for (std::size_t i = 0; i < n_items_; ++i) {
      density_[i] = size[i] > 0.0 ? profit_[i] / size[i] : std::numeric_limits<double>::infinity();
    }
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return density_[a] != density_[b] ? density_[a] > density_[b] : a < b;
    });
  }
}

// Takes every item from `position` on that fits, and keeps the set if it is the best so far.
void VectorKnapsack::descend(std::size_t position) {
  for (; position < n_items_; ++position) {
    if (!fits(position)) continue;
    path_.push_back({position, value_});
    value_ += profit_[position];
    for (std::size_t r = 0; r < n_resources_; ++r) free_[r] -= amount_[position * n_resources_ + r];
  }
  if (value_ > best_value_) {
    best_value_ = value_;
    best_path_ = path_;
  }
}

bool VectorKnapsack::fits(std::size_t position) const {
  for (std::size_t r = 0; r < n_resources_; ++r) {
    if (amount_[position * n_resources_ + r] > free_[r]) return false;
  }
  return true;
}

// No set that agrees with the path before `position` and decides freely from there is worth more.
double VectorKnapsack::bound(std::size_t position) {
  room_.assign(n_resources_ + 1, 0.0);
  for (std::size_t r = 0; r < n_resources_; ++r) {
    if (capacity_[r] > 0) room_[r + 1] = static_cast<double>(free_[r]) / static_cast<double>(capacity_[r]);
    room_[0] += room_[r + 1];
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t measure = 0; measure <= n_resources_; ++measure) {
    const double* const size = size_.data() + measure * n_items_;
    double value = value_, room = room_[measure];
    for (std::size_t i = 0; i < n_items_; ++i) {
      const std::size_t next = order_[measure * n_items_ + i];
      if (next < position || !fits(next)) continue;
      if (size[next] <= room) {
        value += profit_[next];
        room -= size[next];
      } else {
        value += profit_[next] * (room / size[next]);
        break;
      }
    }
    least = std::min(least, value);
    if (least <= best_value_) break;
  }
  return least;
}

}  // namespace schedcore
