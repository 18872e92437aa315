// The knapsack as a plain call for Cython: no exception crosses it, a negative result is the reason.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace schedcore::python {

inline constexpr std::int64_t kKnapsackOverLimit = -1;
inline constexpr std::int64_t kKnapsackOutOfMemory = -2;

// Writes the ascending indices of the chosen items to `chosen` (room for n_items) and returns their number, or one of
// the constants above.  Preconditions as in schedcore/knapsack.hpp; `method` is a KnapsackMethod.
inline std::int64_t knapsack_call(const std::int64_t* weight, const std::int64_t* size, std::size_t n_items,
                                  std::int64_t capacity, int method, std::int64_t epsilon_numerator,
                                  std::int64_t epsilon_denominator, std::uint64_t memory_limit,
                                  std::int64_t* chosen) noexcept {
  try {
    const KnapsackOptions options{
        static_cast<KnapsackMethod>(method), {epsilon_numerator, epsilon_denominator}, memory_limit, nullptr};
    const std::vector<std::uint32_t> items =
        solve_knapsack(std::span(weight, n_items), std::span(size, n_items), capacity, options);
    std::copy(items.begin(), items.end(), chosen);
    return static_cast<std::int64_t>(items.size());
  } catch (const UnsupportedError&) {
    return kKnapsackOverLimit;
  } catch (...) {  // std::bad_alloc is the only other exception, as nobody watches
    return kKnapsackOutOfMemory;
  }
}

}  // namespace schedcore::python
