// The canonical knapsack in its table form: the reference implementation of the exact solver, also for the fuzzer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcore::testing {

// f[i][c] = best weight of the first i items with capacity c, then backtracking from the last item.
inline std::vector<std::uint32_t> canonical_by_table(const std::vector<std::int64_t>& weight,
                                                     const std::vector<std::int64_t>& size, std::int64_t capacity) {
  const std::size_t n = weight.size();
  const auto columns = static_cast<std::size_t>(capacity) + 1;
  std::vector<std::vector<std::int64_t>> f(n + 1, std::vector<std::int64_t>(columns, 0));
  for (std::size_t i = 1; i <= n; ++i) {
    const auto its_size = static_cast<std::size_t>(size[i - 1]);
    for (std::size_t c = 0; c < columns; ++c) {
      f[i][c] = f[i - 1][c];
      if (its_size <= c) f[i][c] = std::max(f[i][c], f[i - 1][c - its_size] + weight[i - 1]);
    }
  }
  std::size_t c = 0;
  while (f[n][c] != f[n][columns - 1]) ++c;
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = n; i > 0; --i) {
    if (f[i - 1][c] == f[i][c]) continue;
    chosen.push_back(static_cast<std::uint32_t>(i - 1));
    c -= static_cast<std::size_t>(size[i - 1]);
  }
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace schedcore::testing
