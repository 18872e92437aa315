// What instances of the colocation problem are drawn from: distinct members of a population, made-up records of CPU and
// memory use, and typed tasks with the coefficients of a class (F. Pascual, K. Rzadca, TPDS 2019, section 7).
//
// All draws come from one RandomStream in a fixed order, so that everything is a function of its seed.  Arguments are
// checked by the caller (asserted here).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace schedcore {

// Which coefficients off the diagonal are drawn, in thousandths: `compatible` 0..999, `incompatible` 1001..1999,
// `clashing` 1001..3999; `mixed` pairs up neighbouring types (0 with 1, 2 with 3), compatible within a pair and
// incompatible across.
enum class CoefficientClass : std::uint8_t { compatible, incompatible, clashing, mixed };

// `chosen` becomes distinct members of 0..population-1, uniformly, in the order of a partial Fisher-Yates shuffle.
// O(population) time and memory.  Requires chosen.size() <= population.
void draw_distinct(std::uint64_t seed, std::size_t population, std::span<std::int64_t> chosen);

// Records in the image of a sample of task usage: half of them use more CPU than memory; the larger of both is
// log-uniform over 4.18 decades, the smaller one a fraction of it whose logarithm is half-normal.  Values in (0, 1].
// Logarithms, cosines and powers come from the platform's library.
void draw_usage_records(std::uint64_t seed, std::span<double> cpu, std::span<double> memory);

// Tasks of an instance and its coefficients.  `chosen` is what draw_distinct gives; then a task of each missing type,
// drawn from those not chosen, takes the place of the last task of the most frequent type.  `alpha` (n_types * n_types,
// diagonal 1000) gets one uniform draw per unordered pair of types, or one per ordered pair, row by row, where not
// `symmetric`.  `type[j]` in 0..n_types-1 is the type of the j-th of the tasks to choose from.
//
// O(n_types * type.size()).  Requires n_types <= chosen.size() <= type.size() and that every type occurs in `type`.
void draw_colocation(std::uint64_t seed, std::span<const std::int64_t> type, std::size_t n_types,
                     CoefficientClass coefficients, bool symmetric, std::span<std::int64_t> chosen,
                     std::span<std::int64_t> alpha);

}  // namespace schedcore
