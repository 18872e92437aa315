#include "base/checked_columns.hpp"

#include <vector>

#include "schedcore/base/number_text.hpp"

namespace schedcore::python {
namespace {

std::string text(double value) { return number_text(value); }
std::string text(std::int64_t value) { return std::to_string(value); }

template <class T>
[[noreturn]] void refuse(const char* name, std::int64_t index, T value, T low, T high) {
  throw InvalidInstanceError(std::string(name) + (index < 0 ? "" : "[" + std::to_string(index) + "]") + " = " +
                             text(value) + " must lie between " + text(low) + " and " + text(high));
}

}  // namespace

void refuse_value(const char* name, std::int64_t index, double value, double low, double high) {
  refuse(name, index, value, low, high);
}

void refuse_value(const char* name, std::int64_t index, std::int64_t value, std::int64_t low, std::int64_t high) {
  refuse(name, index, value, low, high);
}

std::int64_t checked_total(std::span<const std::int64_t> column, std::int64_t most, const char* name) {
  std::int64_t total = 0;
  for (const std::int64_t value : column) {
    if (value < 0 || value > most - total) {
      throw InvalidInstanceError(std::string(name) + " must hold numbers from 0 on that add up to at most " + text(most));
    }
    total += value;
  }
  return total;
}

void check_distinct_rows(std::span<const std::int64_t> rows, std::size_t n_rows, const char* name) {
  check_range(rows, std::int64_t{0}, static_cast<std::int64_t>(n_rows) - 1, name);
  std::vector<bool> seen(n_rows, false);
  for (const std::int64_t row : rows) {
    if (seen[static_cast<std::size_t>(row)]) {
      throw InvalidInstanceError(std::string(name) + " holds " + text(row) + " twice");
    }
    seen[static_cast<std::size_t>(row)] = true;
  }
}

}  // namespace schedcore::python
