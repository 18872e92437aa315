// Natural numbers of any size: what exact comparisons fall back on where 384 bits may not do.
//
// A score over K resources with unlike capacities has numerators of 53 K bits and more.  Cost O(n m) for a product of
// n and m limbs, O(n) for the rest, an allocation each: for decisions that doubles cannot make, not for every one.
// Invariant: the highest limb is not zero; zero has no limbs.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcore {

class Natural {
 public:
  Natural() = default;
  explicit Natural(std::uint64_t value) {
    for (; value != 0; value >>= 32) limbs_.push_back(static_cast<std::uint32_t>(value));
  }

  friend Natural operator+(const Natural& a, const Natural& b) {
    Natural sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < std::max(a.limbs_.size(), b.limbs_.size()) || carry != 0; ++i) {
      carry += a.limb(i) + b.limb(i);
      sum.limbs_.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    return sum;
  }
  // Requires a >= b.
  friend Natural operator-(const Natural& a, const Natural& b) {
    Natural difference;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
      const std::uint64_t left = a.limb(i) - b.limb(i) - borrow;
      difference.limbs_.push_back(static_cast<std::uint32_t>(left));
      borrow = left >> 63;
    }
    difference.trim();
    return difference;
  }
  friend Natural operator*(const Natural& a, const Natural& b) {
    Natural product;
    product.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
    for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.limbs_.size() || carry != 0; ++j) {
        carry += product.limb(i + j) + a.limb(i) * b.limb(j);
        product.limbs_[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    product.trim();
    return product;
  }
  [[nodiscard]] Natural to_the_power(unsigned exponent) const {
    Natural power(1);
    Natural square = *this;
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) power = power * square;
      if (exponent > 1) square = square * square;
    }
    return power;
  }
  friend bool operator==(const Natural&, const Natural&) = default;
  friend std::strong_ordering operator<=>(const Natural& a, const Natural& b) {
    if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() <=> b.limbs_.size();
    return std::lexicographical_compare_three_way(a.limbs_.rbegin(), a.limbs_.rend(), b.limbs_.rbegin(), b.limbs_.rend());
  }

 private:
  [[nodiscard]] std::uint64_t limb(std::size_t i) const { return i < limbs_.size() ? limbs_[i] : 0; }
  void trim() {
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  }

  std::vector<std::uint32_t> limbs_;  // least significant first
};

}  // namespace schedcore
