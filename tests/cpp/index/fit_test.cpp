#include "schedcore/index/fit.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace schedcore {
namespace {

constexpr Amount kLeast = std::numeric_limits<Amount>::min();
constexpr Amount kMost = std::numeric_limits<Amount>::max();

TEST(Fit, EqualFitsAndOneUnitMoreDoesNot) {
  const std::vector<Amount> available{5, 0, 7};
  EXPECT_TRUE(fits(std::vector<Amount>{5, 0, 7}, available));
  EXPECT_FALSE(fits(std::vector<Amount>{5, 1, 7}, available));
  EXPECT_FALSE(fits(std::vector<Amount>{0, 0, 8}, available));
}

TEST(Fit, IsExactForExtremeAmounts) {
  const std::vector<Amount> available{kLeast, kMost};
  EXPECT_TRUE(fits(std::vector<Amount>{kLeast, kMost}, available));
  EXPECT_FALSE(fits(std::vector<Amount>{kMost, kMost}, available));
  EXPECT_FALSE(fits(std::vector<Amount>{kLeast + 1, kLeast}, available));
}

TEST(Fit, WithoutResourcesEverythingFits) {
  std::vector<std::uint8_t> mask(70, 9);
  fits_many_columns(nullptr, mask.size(), 0, nullptr, mask.data());
  EXPECT_EQ(mask, std::vector<std::uint8_t>(70, 1));
  EXPECT_EQ(first_fitting_row(nullptr, 3, 0, nullptr), 0u);
}

// Both layouts against `fits`, for every remainder of a block and few to many resources.
TEST(Fit, ManyCandidatesEqualOneAtATime) {
  std::mt19937_64 random(11);
  for (const std::size_t n_resources : std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 20, 32, 40}) {
    for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 7, 63, 64, 65, 130, 300}) {
      // Few demands exceed what is available, so that some candidates fit even with many resources.
      const std::uint64_t range = 1000 + 1000 / n_resources;
      std::vector<Amount> rows(n * n_resources), columns(n * n_resources);
      const std::vector<Amount> available(n_resources, 999);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t l = 0; l < n_resources; ++l) {
          columns[l * n + j] = rows[j * n_resources + l] = static_cast<Amount>(random() % range);
        }
      }
      std::vector<std::uint8_t> expected(n), by_rows(n, 9), by_columns(n, 9);
      std::size_t first = kNoCandidate;
      for (std::size_t j = n; j-- > 0;) {
        expected[j] = fits(rows.data() + j * n_resources, available.data(), n_resources);
        if (expected[j]) first = j;
      }
      fits_many_rows(rows.data(), n, n_resources, available.data(), by_rows.data());
      fits_many_columns(columns.data(), n, n_resources, available.data(), by_columns.data());
      EXPECT_EQ(by_rows, expected);
      EXPECT_EQ(by_columns, expected);
      EXPECT_EQ(first_fitting_row(rows.data(), n, n_resources, available.data()), first);
      EXPECT_EQ(first_fitting_column(columns.data(), n, n_resources, available.data()), first);
    }
  }
}

TEST(Fit, TheFirstOfSeveralBlocksIsFound) {
  std::vector<Amount> columns(1000, 10);
  const Amount available = 9;
  EXPECT_EQ(first_fitting_column(columns.data(), columns.size(), 1, &available), kNoCandidate);
  for (const std::size_t place : std::initializer_list<std::size_t>{999, 500, 64, 63, 0}) {
    columns[place] = 9;
    EXPECT_EQ(first_fitting_column(columns.data(), columns.size(), 1, &available), place);
    EXPECT_EQ(first_fitting_row(columns.data(), columns.size(), 1, &available), place);
  }
}

}  // namespace
}  // namespace schedcore
