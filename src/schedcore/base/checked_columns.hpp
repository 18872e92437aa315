// Values at the boundary: a kernel may use what passes here as an index, a count or a key without another look.
//
// schedcore.model has better messages and checks first; these make sure that no call of the compiled module, whatever it
// is given, reads outside an array.  One pass over a column each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore::python {

inline constexpr std::int64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;  // of integers in double
inline constexpr double kLargestNumber = std::numeric_limits<double>::max();
inline constexpr double kSmallestNumber = std::numeric_limits<double>::denorm_min();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse_value(const char* name, std::int64_t index, double value, double low, double high);
[[noreturn]] void refuse_value(const char* name, std::int64_t index, std::int64_t value, std::int64_t low,
                               std::int64_t high);

// Every value lies in [low, high]; NaN lies nowhere.
template <class T>
void check_range(std::span<const T> column, T low, T high, const char* name) {
  bool is_inside = true;
  for (const T value : column) is_inside &= value >= low && value <= high;
  if (is_inside) return;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!(column[i] >= low && column[i] <= high)) {
      refuse_value(name, static_cast<std::int64_t>(i), column[i], low, high);
    }
  }
}

// The same for a single number.
template <class T>
void check_number(T value, T low, T high, const char* name) {
  if (!(value >= low && value <= high)) refuse_value(name, -1, value, low, high);
}

// The sum of values that are not negative, at most `most`.
std::int64_t checked_total(std::span<const std::int64_t> column, std::int64_t most, const char* name);

// Distinct rows below n_rows.
void check_distinct_rows(std::span<const std::int64_t> rows, std::size_t n_rows, const char* name);

}  // namespace schedcore::python
