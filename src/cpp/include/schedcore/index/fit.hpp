// Vector fit: does a demand fit into what is available, in every resource?
//
// `fits` answers for one pair; use it wherever candidates are few or scattered.  The forms for many candidates test a
// whole block against one free vector: `columns` holds resource l of candidate j at columns[l * n_candidates + j] and
// is the layout to choose (consecutive candidates share a vector register); `rows` holds candidate j's demand at
// rows[j * n_resources].  Cost O(n_candidates * n_resources) comparisons, without a branch per candidate; the
// first-fitting forms stop at the block in which they succeed.
//
// Exact for all int64 values, no sums are formed.  On x86-64 the column forms pick AVX2 or AVX-512 at run time where the
// processor has it; comparisons do not round, so every path gives the same answer on every platform.
// For fewer than about eight candidates a loop over `fits` is as fast (bench/cpp/fit_bench).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "schedcore/base/types.hpp"

namespace schedcore {

inline constexpr std::size_t kNoCandidate = static_cast<std::size_t>(-1);

// True iff demand[l] <= available[l] for every resource l; true for no resources.
[[nodiscard]] inline bool fits(const Amount* demand, const Amount* available, std::size_t n_resources) noexcept {
  // Four resources at a time without a branch between them; long vectors that fail mostly fail in the first cache line.
  std::size_t l = 0;
  for (; l + 4 <= n_resources; l += 4) {
    bool room = true;
    for (std::size_t i = l; i < l + 4; ++i) room &= demand[i] <= available[i];
    if (!room) return false;
  }
  bool room = true;
  for (; l < n_resources; ++l) room &= demand[l] <= available[l];
  return room;
}

[[nodiscard]] inline bool fits(std::span<const Amount> demand, std::span<const Amount> available) noexcept {
  assert(demand.size() == available.size());
  return fits(demand.data(), available.data(), demand.size());
}

// Sets mask[j] to 1 where candidate j fits, otherwise 0.
void fits_many_columns(const Amount* columns, std::size_t n_candidates, std::size_t n_resources, const Amount* available,
                       std::uint8_t* mask) noexcept;
void fits_many_rows(const Amount* rows, std::size_t n_candidates, std::size_t n_resources, const Amount* available,
                    std::uint8_t* mask) noexcept;

// The lowest candidate that fits, or kNoCandidate.
[[nodiscard]] std::size_t first_fitting_column(const Amount* columns, std::size_t n_candidates, std::size_t n_resources,
                                               const Amount* available) noexcept;
[[nodiscard]] std::size_t first_fitting_row(const Amount* rows, std::size_t n_candidates, std::size_t n_resources,
                                            const Amount* available) noexcept;

}  // namespace schedcore
