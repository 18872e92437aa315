// Whole cores out of shares with fractions, by largest remainder.
//
// A share is rounded to a whole number of 2^-20 cores, and all that follows is exact: the tolerance within which remainders
// are equal, and within which a sum of shares is a whole number, so that no tie hangs on how a double was rounded.
//
// Every row gets the whole cores of its share.  The remainders of all rows together are so many further cores (a sum that
// is short of a whole number by less than 2^-20 a row counts as that number), as long as the pool has them; those go, one
// each, to the rows with the largest claims, ties to the lower row.  The claim of a row is its remainder, plus what it is
// owed from slots before.  Rows whose share is whole get just that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/exact/wide.hpp"
#include "schedcore/model/slots.hpp"

namespace schedcore {

// A share of cores in units of 2^-20 cores: whole cores, and the remainder below one.
struct CoreShare {
  static constexpr Amount kUnits = Amount{1} << 20;
  Amount whole = 0;
  Amount remainder = 0;  // 0 .. kUnits - 1
  [[nodiscard]] Int128 units() const { return static_cast<Int128>(whole) * Int128(kUnits) + Int128(remainder); }
  friend bool operator==(const CoreShare&, const CoreShare&) = default;
};

// The nearest one; halves go up.  Requires 0 <= cores <= 2^53.
[[nodiscard]] CoreShare core_share(double cores);

// Scratch of repeated calls.
class WholeCores {
 public:
  // Writes whole cores: no row more than its share rounded up, no more than `total` in all.  `owed`, in units, is empty
  // where nothing is owed.  Expected O(n).
  void assign(std::span<const CoreShare> share, std::span<const Int128> owed, Amount total, std::vector<Amount>& cores);

 private:
  struct Claim {
    Int128 units;
    std::uint32_t row;
  };
  std::vector<Claim> claims_;
};

}  // namespace schedcore
