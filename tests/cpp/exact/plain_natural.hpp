// Natural numbers as decimal digits, added and multiplied as on paper: what exact arithmetic is compared with.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcore::testing {

class PlainNatural {
 public:
  PlainNatural() = default;
  explicit PlainNatural(std::uint64_t value) {
    for (; value != 0; value /= 10) digits_.push_back(static_cast<int>(value % 10));
  }
  // Least significant first, without zeros at the end.
  [[nodiscard]] const std::vector<int>& digits() const { return digits_; }

  friend PlainNatural operator+(const PlainNatural& a, const PlainNatural& b) {
    std::vector<int> sum(std::max(a.digits_.size(), b.digits_.size()));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = a.digit(i) + b.digit(i);
    return carried(sum);
  }
  friend PlainNatural operator-(const PlainNatural& a, const PlainNatural& b) {
    std::vector<int> difference(a.digits_.size());
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = a.digit(i) - b.digit(i);
    return carried(difference);
  }
  friend PlainNatural operator*(const PlainNatural& a, const PlainNatural& b) {
    std::vector<int> product(a.digits_.size() + b.digits_.size());
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
      for (std::size_t j = 0; j < b.digits_.size(); ++j) product[i + j] += a.digits_[i] * b.digits_[j];
    }
    return carried(product);
  }
  friend bool operator==(const PlainNatural&, const PlainNatural&) = default;
  friend std::strong_ordering operator<=>(const PlainNatural& a, const PlainNatural& b) {
    for (std::size_t i = std::max(a.digits_.size(), b.digits_.size()); i-- > 0;) {
      if (a.digit(i) != b.digit(i)) return a.digit(i) <=> b.digit(i);
    }
    return std::strong_ordering::equal;
  }

 private:
  [[nodiscard]] int digit(std::size_t i) const { return i < digits_.size() ? digits_[i] : 0; }
  static PlainNatural carried(const std::vector<int>& columns) {
    PlainNatural number;
    int carry = 0;
    for (std::size_t i = 0; i < columns.size() || carry != 0; ++i) {
      carry += i < columns.size() ? columns[i] : 0;
      const int digit = (carry % 10 + 10) % 10;
      number.digits_.push_back(digit);
      carry = (carry - digit) / 10;
    }
    while (!number.digits_.empty() && number.digits_.back() == 0) number.digits_.pop_back();
    return number;
  }

  std::vector<int> digits_;
};

}  // namespace schedcore::testing
