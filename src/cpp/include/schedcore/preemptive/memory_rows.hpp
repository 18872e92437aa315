// What the memory step of a slot knows of the active jobs; believed amounts where there are estimates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "schedcore/model/slots.hpp"

namespace schedcore {

struct MemoryRows {
  std::span<const Amount> demand_other;  // row-major (n_rows, n_resources - 1): held on every machine of the row
  std::span<const double> profit;        // pi_j of a whole unit of rate; empty: admission by order alone
  std::span<const Amount> demand_cores;  // d_j; read where there are profits
  std::span<const Amount> limit;         // cores that the row can use in this slot
  std::span<const std::uint32_t> order;  // the rows that may get cores, the best first

  [[nodiscard]] std::size_t n_rows() const { return limit.size(); }
  // The row's demand for resources 1, 2, ...
  [[nodiscard]] std::span<const Amount> memory_of(std::size_t row, std::size_t n_memories) const {
    return demand_other.subspan(row * n_memories, n_memories);
  }
};

}  // namespace schedcore
