// Rows of amounts whose width is known at compile time where it is small: loops over 1 to 4 resources unroll.
//
// `with_width(n, call)` calls `call(width)` with an integral constant for the usual widths, otherwise with the number;
// both convert to std::size_t, so one generic body serves both.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

template <std::size_t kWidth>
using FixedWidth = std::integral_constant<std::size_t, kWidth>;

template <class Call>
auto with_width(std::size_t n_resources, const Call& call) {
  switch (n_resources) {
    case 1: return call(FixedWidth<1>{});
    case 2: return call(FixedWidth<2>{});
    case 3: return call(FixedWidth<3>{});
    case 4: return call(FixedWidth<4>{});
    default: return call(n_resources);
  }
}

// A row of scratch space; only wide rows come from the heap.
template <class Width>
class ScratchRow {
 public:
  explicit ScratchRow(std::size_t width) {
    if (width > kInline) heap_.resize(width);
  }
  [[nodiscard]] Amount* data() { return heap_.empty() ? inline_.data() : heap_.data(); }

 private:
  static constexpr std::size_t kInline = 32;
  std::array<Amount, kInline> inline_;
  std::vector<Amount> heap_;
};

template <std::size_t kWidth>
class ScratchRow<FixedWidth<kWidth>> {
 public:
  explicit ScratchRow(std::size_t /*width*/) {}
  [[nodiscard]] Amount* data() { return row_.data(); }

 private:
  std::array<Amount, kWidth> row_;
};

template <class Width>
void copy_row(Amount* to, const Amount* from, Width width) {
  for (std::size_t l = 0; l < width; ++l) to[l] = from[l];
}
template <class Width>
void add_row(Amount* to, const Amount* change, Width width) {
  for (std::size_t l = 0; l < width; ++l) to[l] += change[l];
}
template <class Width>
void subtract_row(Amount* to, const Amount* change, Width width) {
  for (std::size_t l = 0; l < width; ++l) to[l] -= change[l];
}
template <class Width>
void take_minima(Amount* to, const Amount* row, Width width) {
  for (std::size_t l = 0; l < width; ++l) to[l] = std::min(to[l], row[l]);
}
// The minima of n_rows > 0 consecutive rows.
template <class Width>
void minima_of_rows(Amount* to, const Amount* rows, std::size_t n_rows, Width width) {
  copy_row(to, rows, width);
  for (std::size_t i = 1; i < n_rows; ++i) take_minima(to, rows + i * width, width);
}
template <class Width>
bool equal_rows(const Amount* a, const Amount* b, Width width) {
  bool equal = true;
  for (std::size_t l = 0; l < width; ++l) equal &= a[l] == b[l];
  return equal;
}

}  // namespace schedcore
