#include "container_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace schedcore {
namespace {

constexpr std::size_t kRefutedBytes = std::size_t{1} << 26;
constexpr std::size_t kPoolBytes = std::size_t{1} << 26;
constexpr std::uint64_t kStepsBetweenPolls = 1024;

}  // namespace

ContainerSearch::ContainerSearch(std::span<const CostNumerator> alpha, std::size_t n_types, UInt128 capacity,
                                 std::size_t n_machines, std::span<const ContainerItem> items, PtasBudget& budget)
    : alpha_(alpha),
      n_types_(n_types),
      capacity_(capacity),
      n_machines_(n_machines),
      items_(items),
      budget_(budget),
      directions_(alpha, n_types),
      cost_(n_types),
      n_declaring_(n_types),
      taken_(items.size()),
      state_(items.size()),
      refuted_(std::max<std::size_t>(items.size(), 1), kRefutedBytes) {
  std::vector<double> spare(n_types, 0);  // load that the first container of a type brings for nothing
  for (const ContainerItem& item : items) {
    if (item.is_container) spare[item.type] = static_cast<double>(item.step);
  }
  const auto capacity_of_all = static_cast<double>(capacity);
  const std::vector<double> slack(n_types, capacity_of_all);
  for (std::size_t direction = 0; direction < directions_.n_directions(); ++direction) {
    double most = 0;
    for (std::uint32_t pattern = 1; pattern < directions_.n_patterns(); ++pattern) {
      double weight = directions_.most(direction, pattern, slack);
      for (std::size_t type = 0; type < n_types; ++type) {
        if (LoadDirections::has(pattern, type)) weight += directions_.weight(direction, type) * spare[type];
      }
      most = std::max(most, weight);
    }
    most_on_machine_.push_back(most);
    for (const ContainerItem& item : items) {
      value_of_item_.push_back(directions_.weight(direction, item.type) * static_cast<double>(item.step));
    }
  }
  for (std::size_t type = 0; type < n_types; ++type) {
    most_on_machine_.push_back(capacity_of_all / static_cast<double>(coefficient(type, type)) + spare[type]);
    for (const ContainerItem& item : items) {
      value_of_item_.push_back(item.type == type ? static_cast<double>(item.step) : 0);
    }
  }
}

SearchOutcome ContainerSearch::run() {
  for (const ContainerItem& item : items_) left_.push_back(item.n_units);
  if (std::ranges::all_of(left_, [](std::uint32_t units) { return units == 0; })) return SearchOutcome::found;
  double fullest = 0;
  for (std::size_t direction = 0; direction < most_on_machine_.size(); ++direction) {
    const double* value = &value_of_item_[direction * items_.size()];
    const double full = std::inner_product(left_.begin(), left_.end(), value, 0.0) / most_on_machine_[direction];
    if (full > fullest) {
      fullest = full;
      tightest_ = direction;
    }
  }
  SearchOutcome outcome = enter();
  if (outcome != SearchOutcome::impossible || levels_.empty()) return outcome;
  return descend();
}

// Tries configuration after configuration; `enter` has opened the first level.
SearchOutcome ContainerSearch::descend() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    const std::size_t n_items = items_.size();
    if (level.next == level.n_rows) {
      refute(n_machines_ - (levels_.size() - 1));
      leave();
      continue;
    }
    const std::size_t chosen = level.first + level.next++;
    const std::size_t begin = left_.size() - n_items;
    for (std::size_t item = 0; item < n_items; ++item) {
      left_.push_back(left_[begin + item] - pool_[chosen * n_items + item]);
    }
    const std::size_t n_levels = levels_.size();
    const SearchOutcome outcome = enter();
    if (outcome != SearchOutcome::impossible) return outcome;
    if (levels_.size() == n_levels) left_.resize(left_.size() - n_items);  // refused at once
  }
  return SearchOutcome::impossible;
}

// Looks at the units left, the last row of left_, with the machines that no level fills yet.  Opens a level and says
// `impossible` where it is to be searched.
SearchOutcome ContainerSearch::enter() {
  if (!count_work()) return SearchOutcome::limit;
  const std::size_t n_machines = n_machines_ - levels_.size();
  if (holds_all_left()) {
    write_units(left_units());
    return SearchOutcome::found;
  }
  if (n_machines <= 1 || !may_fit(n_machines) || was_refuted(n_machines)) return SearchOutcome::impossible;
  const std::size_t first = pool_.size() / items_.size();
  if (!list_configurations()) return SearchOutcome::limit;
  sort_configurations(first);
  levels_.push_back({first, 0, pool_.size() / items_.size() - first});
  return SearchOutcome::impossible;
}

void ContainerSearch::leave() {
  pool_.resize(levels_.back().first * items_.size());
  left_.resize(left_.size() - items_.size());
  levels_.pop_back();
}

void ContainerSearch::write_units(std::span<const std::uint32_t> last) {
  for (const Level& level : levels_) {
    const std::span<const std::uint32_t> chosen = row(level.first + level.next - 1);
    units_.insert(units_.end(), chosen.begin(), chosen.end());
  }
  units_.insert(units_.end(), last.begin(), last.end());
}

std::span<const std::uint32_t> ContainerSearch::left_units() const {
  return std::span(left_).last(items_.size());
}

std::span<const std::uint32_t> ContainerSearch::row(std::size_t index) const {
  return std::span(pool_).subspan(index * items_.size(), items_.size());
}

bool ContainerSearch::count_work() {
  if (budget_.work_limit != 0 && budget_.work == budget_.work_limit) return false;
  if (++budget_.work % kStepsBetweenPolls == 0 && budget_.monitor != nullptr) {
    budget_.monitor->poll(budget_.work, budget_.work_limit);
  }
  return true;
}

bool ContainerSearch::may_fit(std::size_t n_machines) const {
  const std::span<const std::uint32_t> left = left_units();
  for (std::size_t direction = 0; direction < most_on_machine_.size(); ++direction) {
    const double* value = &value_of_item_[direction * items_.size()];
    const double needed = std::inner_product(left.begin(), left.end(), value, 0.0);
    if (needed > most_on_machine_[direction] * static_cast<double>(n_machines) * LoadDirections::kOutward) return false;
  }
  return true;
}

bool ContainerSearch::was_refuted(std::size_t n_machines) {
  std::ranges::copy(left_units(), state_.begin());
  return refuted_.find(state_) >= n_machines;
}

void ContainerSearch::refute(std::size_t n_machines) {
  std::ranges::copy(left_units(), state_.begin());
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  refuted_.raise(state_, static_cast<std::uint32_t>(std::min(n_machines, kMost)));
}

void ContainerSearch::empty_machine() {
  std::ranges::fill(cost_, UInt128{0});
  std::ranges::fill(n_declaring_, 0);
  std::ranges::fill(taken_, 0);
}

void ContainerSearch::set_units(std::size_t item, std::uint32_t units) {
  const ContainerItem& what = items_[item];
  const auto loaded = [&](std::uint32_t n) { return what.is_container && n > 0 ? n - 1 : n; };
  const std::uint32_t before = loaded(taken_[item]);
  const std::uint32_t after = loaded(units);
  if (before != after) {
    for (std::size_t d = 0; d < n_types_; ++d) {
      const UInt128 caused = coefficient(what.type, d) * what.step;
      cost_[d] = cost_[d] - caused * UInt128(before) + caused * UInt128(after);
    }
  }
  if (taken_[item] == 0 && units > 0) ++n_declaring_[what.type];
  if (taken_[item] > 0 && units == 0) --n_declaring_[what.type];
  taken_[item] = units;
}

// The most units of the item that the machine can have, all other items as they are; at most what is left.
std::uint32_t ContainerSearch::most_units(std::size_t item) const {
  const ContainerItem& what = items_[item];
  const std::uint32_t left = left_units()[item];
  std::uint32_t units = taken_[item];
  if (units == left) return units;
  if (n_declaring_[what.type] == 0 && capacity_ < cost_[what.type]) return 0;
  if (units == 0 && what.is_container) units = 1;
  std::uint32_t more = left - units;
  for (std::size_t d = 0; d < n_types_ && more > 0; ++d) {
    const bool declared = d == what.type || n_declaring_[d] > 0;
    const UInt128 caused = coefficient(what.type, d) * what.step;
    if (!declared || caused == UInt128{0}) continue;
    const UInt128 most = (capacity_ - cost_[d]) / caused;
    if (most < UInt128(more)) more = static_cast<std::uint32_t>(most);
  }
  return units + more;
}

bool ContainerSearch::is_maximal() const {
  for (std::size_t item = 0; item < items_.size(); ++item) {
    if (most_units(item) > taken_[item]) return false;
  }
  return true;
}

bool ContainerSearch::holds_all_left() {
  empty_machine();
  const std::span<const std::uint32_t> left = left_units();
  for (std::size_t item = 0; item < items_.size(); ++item) {
    if (left[item] == 0) continue;
    if (most_units(item) < left[item]) return false;
    set_units(item, left[item]);
  }
  return true;
}

// Appends every way to fill a machine to the full that takes a unit of the first item left, in lexicographically
// decreasing order; false where a limit is reached.
bool ContainerSearch::list_configurations() {
  const std::size_t n_items = items_.size();
  const std::span<const std::uint32_t> left = left_units();
  const auto first = static_cast<std::size_t>(std::ranges::find_if(left, [](auto n) { return n > 0; }) - left.begin());
  std::size_t last = n_items - 1;
  while (left[last] == 0) --last;
  empty_machine();
  for (std::size_t from = first;;) {
    if (!count_work()) return false;
    for (std::size_t item = from; item <= last; ++item) {
      if (left[item] > 0) set_units(item, most_units(item));
    }
    if (taken_[first] == 0) return true;  // not even one unit fits: nothing to list
    if (is_maximal()) {
      pool_.insert(pool_.end(), taken_.begin(), taken_.end());
      if ((pool_.size() + left_.size()) * sizeof(std::uint32_t) > kPoolBytes) return false;
    }
    // The next smaller one: fewer units of the latest item that can spare one for those behind it.
    set_units(last, 0);
    std::size_t item = last;
    while (item > first && taken_[item] == 0) --item;
    if (taken_[item] <= (item == first ? 1u : 0u)) return true;
    set_units(item, taken_[item] - 1);
    from = item + 1;
  }
}

double ContainerSearch::value_of(std::span<const std::uint32_t> units) const {
  return std::inner_product(units.begin(), units.end(), &value_of_item_[tightest_ * items_.size()], 0.0);
}

// What takes most of the scarcest load comes first.
void ContainerSearch::sort_configurations(std::size_t first) {
  const std::size_t n_items = items_.size();
  const std::size_t n_rows = pool_.size() / n_items - first;
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(n_rows);
  for (std::size_t index = 0; index < n_rows; ++index) order.emplace_back(-value_of(row(first + index)), index);
  std::ranges::sort(order);
  const std::vector<std::uint32_t> listed(pool_.begin() + static_cast<std::ptrdiff_t>(first * n_items), pool_.end());
  auto written = pool_.begin() + static_cast<std::ptrdiff_t>(first * n_items);
  for (const auto& [value, index] : order) {
    written = std::copy_n(listed.begin() + static_cast<std::ptrdiff_t>(index * n_items), n_items, written);
  }
}

}  // namespace schedcore
