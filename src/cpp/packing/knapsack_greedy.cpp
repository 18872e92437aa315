#include <algorithm>
#include <compare>
#include <utility>

#include "knapsack_items.hpp"

namespace schedcore {
namespace {

struct DensityKey {
  double density;
  std::uint32_t item;
};

// Densest prefix of the items up to `largest`: `order` holds it first, the overflowing item at `length`.
template <class Int>
struct DensePrefix {
  std::vector<std::uint32_t> order;
  std::size_t length = 0;
  Int weight{};
};

template <class Int>
DensePrefix<Int> dense_prefix(const KnapsackItems<Int>& items, Int capacity, Int largest) {
  DensePrefix<Int> prefix{density_order(items), 0, {}};
  std::erase_if(prefix.order, [&](std::uint32_t item) { return items.size[item] > largest; });
  Int room = capacity;
  for (; prefix.length < prefix.order.size(); ++prefix.length) {
    const std::uint32_t item = prefix.order[prefix.length];
    if (items.size[item] > room) break;
    room -= items.size[item];
    prefix.weight += items.weight[item];
  }
  return prefix;
}

std::vector<std::uint32_t> ascending_front(std::vector<std::uint32_t> order, std::size_t length) {
  order.resize(length);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

template <class Int>
std::vector<std::uint32_t> density_order(const KnapsackItems<Int>& items) {
  std::vector<DensityKey> keys(items.count());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = {static_cast<double>(items.weight[i]) / static_cast<double>(items.size[i]), static_cast<std::uint32_t>(i)};
  }
  // The double quotient has a relative error of about 2^-51 at most and decides wherever two of them lie further apart than
  // 2^-49; the exact products decide the rest, so this is the exact order.
  std::sort(keys.begin(), keys.end(), [&](const DensityKey& a, const DensityKey& b) {
    if (a.density * (1 - 0x1p-49) > b.density) return true;
    if (b.density * (1 - 0x1p-49) > a.density) return false;
    const std::strong_ordering exact =
        compare_products(magnitude(items.size[b.item]), static_cast<UInt128>(items.weight[a.item]),
                         magnitude(items.size[a.item]), static_cast<UInt128>(items.weight[b.item]));
    return exact == std::strong_ordering::equal ? a.item < b.item : exact == std::strong_ordering::greater;
  });
  std::vector<std::uint32_t> order(keys.size());
  std::transform(keys.begin(), keys.end(), order.begin(), [](const DensityKey& key) { return key.item; });
  return order;
}

template std::vector<std::uint32_t> density_order(const KnapsackItems<std::int64_t>& items);
template std::vector<std::uint32_t> density_order(const KnapsackItems<Int128>& items);
template std::vector<std::uint32_t> density_order(const KnapsackItems<Int256>& items);

template <class Int>
std::vector<std::uint32_t> greedy_prefix(const KnapsackItems<Int>& items, Int capacity, Int largest) {
  DensePrefix<Int> prefix = dense_prefix(items, capacity, largest);
  if (prefix.length < prefix.order.size()) {
    const std::uint32_t overflowing = prefix.order[prefix.length];
    if (items.weight[overflowing] > prefix.weight) return {overflowing};
  }
  return ascending_front(std::move(prefix.order), prefix.length);
}

template <class Int>
std::vector<std::uint32_t> greedy_union(const KnapsackItems<Int>& items, Int capacity) {
  DensePrefix<Int> prefix = dense_prefix(items, capacity, capacity);
  const std::size_t length = std::min(prefix.length + 1, prefix.order.size());
  return ascending_front(std::move(prefix.order), length);
}

template std::vector<std::uint32_t> greedy_prefix(const KnapsackItems<Int128>& items, Int128 capacity, Int128 largest);
template std::vector<std::uint32_t> greedy_prefix(const KnapsackItems<Int256>& items, Int256 capacity, Int256 largest);
template std::vector<std::uint32_t> greedy_union(const KnapsackItems<Int128>& items, Int128 capacity);
template std::vector<std::uint32_t> greedy_union(const KnapsackItems<Int256>& items, Int256 capacity);

}  // namespace schedcore
