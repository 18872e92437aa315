#include <algorithm>
#include <array>
#include <utility>

#include "knapsack_items.hpp"

namespace schedcore {
namespace {

template <class Int>
struct SizedItem {
  Int size;
  std::uint32_t item;

  friend bool operator<(const SizedItem& a, const SizedItem& b) {
    return a.size != b.size ? a.size < b.size : a.item < b.item;
  }
};

// The items of one weight by (size, index): a canonical solution takes a prefix of each class, since the a smallest
// sizes are the best a items, and among equal sizes the earliest ones leave the latest items out.
template <class Int>
struct WeightClass {
  Int weight{};
  std::vector<SizedItem<Int>> items;
};

template <class Int>
std::array<WeightClass<Int>, 2> classes_of(const KnapsackItems<Int>& items) {
  std::array<WeightClass<Int>, 2> classes;
  classes[0].weight = items.weight.front();
  for (std::size_t i = 0; i < items.count(); ++i) {
    WeightClass<Int>& its_class = classes[items.weight[i] == classes[0].weight ? 0 : 1];
    its_class.weight = items.weight[i];
    its_class.items.push_back({items.size[i], static_cast<std::uint32_t>(i)});
  }
  for (WeightClass<Int>& one : classes) std::sort(one.items.begin(), one.items.end());
  return classes;
}

}  // namespace

template <class Int>
std::vector<std::uint32_t> solve_two_weights(const KnapsackItems<Int>& items, Int capacity) {
  if (items.count() == 0) return {};
  const auto [first, second] = classes_of(items);

  // For every prefix of the first class the longest prefix of the second that still fits: start with the longest of
  // the second, then grow the one and shrink the other.
  std::size_t n_second = 0;
  Int room = capacity;
  Int weight = 0;
  while (n_second < second.items.size() && second.items[n_second].size <= room) {
    room -= second.items[n_second++].size;
    weight += second.weight;
  }
  std::pair<std::size_t, std::size_t> best{0, n_second};
  Int best_weight = weight;
  Int best_room = room;
  // Latest items in which the current pair of prefixes differs from the best one; 0 for none, otherwise index + 1.
  std::uint32_t latest_added = 0;
  std::uint32_t latest_dropped = 0;
  for (std::size_t n_first = 1; n_first <= first.items.size(); ++n_first) {
    const auto& added = first.items[n_first - 1];
    room -= added.size;
    weight += first.weight;
    latest_added = std::max(latest_added, added.item + 1);
    while (room < 0 && n_second > 0) {
      const auto& dropped = second.items[--n_second];
      room += dropped.size;
      weight -= second.weight;
      latest_dropped = std::max(latest_dropped, dropped.item + 1);
    }
    if (room < 0) break;
    const bool leaves_later_items_out = latest_added < latest_dropped;
    if (weight > best_weight || (weight == best_weight && (room > best_room || (room == best_room &&
                                                                                leaves_later_items_out)))) {
      best = {n_first, n_second};
      best_weight = weight;
      best_room = room;
      latest_added = latest_dropped = 0;
    }
  }

  std::vector<std::uint32_t> chosen;
  chosen.reserve(best.first + best.second);
  for (std::size_t i = 0; i < best.first; ++i) chosen.push_back(first.items[i].item);
  for (std::size_t i = 0; i < best.second; ++i) chosen.push_back(second.items[i].item);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

template std::vector<std::uint32_t> solve_two_weights(const KnapsackItems<std::int64_t>& items, std::int64_t capacity);
template std::vector<std::uint32_t> solve_two_weights(const KnapsackItems<Int128>& items, Int128 capacity);
template std::vector<std::uint32_t> solve_two_weights(const KnapsackItems<Int256>& items, Int256 capacity);

}  // namespace schedcore
