// A problem of fair sharing in one slot, in doubles: rows that ask for parts of resources, up to a part of what they ask.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace schedcore {

// A row at rate x in [0, 1] takes x use_jr of resource r, of which there is 1 in all.
struct FairColumns {
  std::size_t n_resources = 0;
  std::vector<double> use;       // row-major (n_rows, n_resources), at least 0, cores above 0
  std::vector<double> dominant;  // by row: its largest part of all of a resource
  std::vector<double> most;      // by row: its largest rate, above 0 and at most 1
  std::vector<double> weight;    // by row, above 0 and at most 1

  [[nodiscard]] std::size_t n_rows() const { return most.size(); }
  [[nodiscard]] std::span<const double> use_of(std::size_t row) const {
    return std::span(use).subspan(row * n_resources, n_resources);
  }
};

}  // namespace schedcore
