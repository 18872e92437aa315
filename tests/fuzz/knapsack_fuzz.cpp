// The exact knapsack and CADP against the table form: two bytes an item, the rest settings.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "packing/knapsack_table.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t length) {
  if (length < 4) return 0;
  const std::int64_t capacity = 1 + data[0] + 4 * data[1];
  const std::int64_t offset = data[2] % 8;  // above 0: weights follow the sizes
  const std::int64_t tenths = 1 + data[3] % 9;
  std::vector<std::int64_t> weight;
  std::vector<std::int64_t> size;
  for (std::size_t i = 4; i + 1 < length && weight.size() < 64; i += 2) {
    size.push_back(data[i + 1]);
    weight.push_back(offset > 0 ? size.back() + offset : 1 + data[i]);
  }
  using schedcore::KnapsackMethod;
  const auto solve = [&](const schedcore::KnapsackOptions& options) {
    return schedcore::solve_knapsack(std::span<const std::int64_t>(weight), std::span<const std::int64_t>(size), capacity,
                                     options);
  };
  require(solve({}) == schedcore::testing::canonical_by_table(weight, size, capacity));

  const auto n = static_cast<std::int64_t>(size.size());
  std::vector<std::int64_t> scaled;
  for (const std::int64_t v : size) scaled.push_back(v * n * 10 / (tenths * capacity));
  require(solve({KnapsackMethod::cadp, {tenths, 10}}) ==
          schedcore::testing::canonical_by_table(weight, scaled, n * 10 / tenths));
  return 0;
}
