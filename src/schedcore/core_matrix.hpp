// The pieces of one slot at the boundary: a matrix of cores, row-major (n_jobs, n_machines), mostly zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/slots.hpp"

namespace schedcore::python {

[[nodiscard]] inline std::vector<CorePiece> pieces_of(std::span<const Amount> matrix, std::size_t n_machines) {
  std::vector<CorePiece> pieces;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (matrix[i] == 0) continue;
    const std::size_t row = i / n_machines, machine = i % n_machines;
    pieces.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(machine), matrix[i]});
  }
  return pieces;
}

inline void write_pieces(const std::vector<CorePiece>& pieces, std::size_t n_machines, std::span<Amount> matrix) {
  std::ranges::fill(matrix, Amount{0});
  for (const auto& [row, machine, cores] : pieces) matrix[row * n_machines + machine] = cores;
}

}  // namespace schedcore::python
