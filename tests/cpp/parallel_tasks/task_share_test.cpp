#include "schedcore/parallel_tasks/task_share.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "schedcore/exact/double_double_quotient.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kPrime = 1'000'003, kOtherPrime = 998'244'353;

TEST(TaskShare, SharesOfSeveralMachinesAreComparedAsRationalNumbers) {
  // 1/p + (p - 1)/p = 1 unit, however it is divided; one more fine unit of a slow machine is more.
  TaskShare thirds(0, kPrime, 1);
  thirds.add(1, kPrime, kPrime - 1);
  EXPECT_EQ(thirds, TaskShare(2, 1, 1));
  thirds.add(2, kOtherPrime, 1);
  EXPECT_GT(thirds, TaskShare(2, 1, 1));
  TaskShare other(2, kOtherPrime, 1);
  other.add(3, 5, 5);
  EXPECT_EQ(thirds, other);
  EXPECT_LT(TaskShare(), other);
  EXPECT_TRUE(TaskShare().is_zero());
}

TEST(TaskShare, DifferencesBeyondTheReachOfDoublesDecide) {
  const std::int64_t large = std::int64_t{1} << 62;
  const TaskShare less(0, large - 1, large - 2), more(0, large, large - 1);
  EXPECT_EQ(less.units().hi, more.units().hi);
  EXPECT_LT(less, more);
  EXPECT_EQ(TaskShare::compare_products(less, 3, less, 3), std::strong_ordering::equal);
  EXPECT_EQ(TaskShare::compare_products(more, kWholeTask - 1, less, kWholeTask), std::strong_ordering::less);
  EXPECT_EQ(TaskShare::compare_products(TaskShare(0, 7, 3), 14, TaskShare(1, 11, 6), 11), std::strong_ordering::equal);
}

TEST(DoubleDoubleQuotient, ItsProductIsTheDividend) {
  for (const std::int64_t a : {std::int64_t{1}, std::int64_t{7}, kPrime, (std::int64_t{1} << 62) - 1}) {
    for (const std::int64_t b : {std::int64_t{3}, kOtherPrime, (std::int64_t{1} << 61) + 1}) {
      const DoubleDouble back = product(quotient(as_double_double(a), as_double_double(b)), as_double_double(b));
      EXPECT_LE(std::abs((back - as_double_double(a)).hi), 0x1p-99 * static_cast<double>(a));
    }
  }
}

}  // namespace
}  // namespace schedcore
