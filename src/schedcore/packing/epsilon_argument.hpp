// The accuracy of a knapsack at the boundary: numerator and denominator of a fraction between 0 and 1.
#pragma once

#include <cstdint>
#include <utility>

#include "base/checked_columns.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace schedcore::python {

using Epsilon = std::pair<std::int64_t, std::int64_t>;

[[nodiscard]] inline Ratio checked_epsilon(const Epsilon& epsilon) {
  check_number(epsilon.first, std::int64_t{1}, kLargestInteger - 1, "epsilon, the numerator");
  check_number(epsilon.second, epsilon.first + 1, kLargestInteger, "epsilon, the denominator");
  return {epsilon.first, epsilon.second};
}

}  // namespace schedcore::python
