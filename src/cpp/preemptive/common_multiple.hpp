// A factor that makes costs divided by demands integers, where there is a small one.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>

#include "schedcore/base/types.hpp"

namespace schedcore {

inline constexpr std::int64_t kMostCommonMultiple = std::int64_t{1} << 20;

// The least common multiple of the demands, each at least 1; 1 if it is above kMostCommonMultiple.
[[nodiscard]] inline std::int64_t common_multiple(std::span<const Amount> demand) {
  std::int64_t multiple = 1;
  for (const Amount d : demand) {
    const Amount factor = d / std::gcd(multiple, d);
    if (factor > kMostCommonMultiple / multiple) return 1;
    multiple *= factor;
  }
  return multiple;
}

}  // namespace schedcore
