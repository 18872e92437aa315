#include "down_times.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace schedcore {

DownTimes::DownTimes(const DownView& rows, std::size_t n_machines) {
  if (rows.machine.empty()) return;
  std::vector<std::size_t> order(rows.machine.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&rows](std::size_t row) { return std::tuple(rows.machine[row], rows.start[row], row); };
  std::ranges::sort(order, {}, key);
  first_.assign(n_machines + 1, 0);
  std::int64_t latest = -1;  // the machine of the last stretch
  for (const std::size_t row : order) {
    if (rows.machine[row] == latest && rows.start[row] <= end_.back()) {
      end_.back() = std::max(end_.back(), rows.end[row]);
      continue;
    }
    latest = rows.machine[row];
    ++first_[static_cast<std::size_t>(latest) + 1];
    begin_.push_back(rows.start[row]);
    end_.push_back(rows.end[row]);
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  next_.assign(first_.begin(), first_.end() - 1);
}

Time DownTimes::begin_met(std::size_t machine, Time start, Time end) {
  if (first_.empty()) return kNever;
  std::size_t& next = next_[machine];
  while (next < first_[machine + 1] && end_[next] <= start) ++next;
  return next < first_[machine + 1] && begin_[next] < end ? begin_[next] : kNever;
}

bool DownTimes::begins(std::size_t machine, Time instant) const {
  if (first_.empty()) return false;
  const auto at = [this](std::size_t row) { return begin_.begin() + static_cast<std::ptrdiff_t>(row); };
  return std::binary_search(at(first_[machine]), at(first_[machine + 1]), instant);
}

}  // namespace schedcore
