// Bit slices against comparing every demand vector: nothing that fits is left out, and few distinct values are exact.
#include "schedcore/index/demand_slices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

class Vectors {
 public:
  Vectors(std::uint64_t seed, std::size_t n_resources, Amount most) : random_(seed), n_resources_(n_resources), most_(most) {}

  std::vector<Amount> one() {
    std::vector<Amount> vector(n_resources_);
    for (Amount& amount : vector) amount = static_cast<Amount>(random_() % static_cast<std::uint64_t>(most_ + 1));
    return vector;
  }
  void append_to(std::vector<Amount>& rows) {
    const auto vector = one();
    rows.insert(rows.end(), vector.begin(), vector.end());
  }

 private:
  std::mt19937_64 random_;
  std::size_t n_resources_;
  Amount most_;
};

std::vector<bool> candidates(const DemandSlices& slices, std::size_t n_slots, const std::vector<Amount>& available) {
  std::vector<std::uint64_t> all(slices.n_words(), 0);
  for (std::size_t slot = 0; slot < n_slots; ++slot) all[slot / 64] |= std::uint64_t{1} << (slot % 64);
  std::vector<bool> passed(n_slots, false);
  std::size_t last = 0;
  const auto among = [&](std::size_t i) { return all[i]; };
  const bool stopped = slices.any_candidate_word(among, available.data(), [&](std::size_t i, std::uint64_t word) {
    EXPECT_GE(i, last);
    EXPECT_NE(word, 0U);
    last = i + 1;
    for (std::size_t b = 0; b < 64; ++b) {
      if ((word >> b & 1) != 0) passed.at(64 * i + b) = true;
    }
    return false;
  });
  EXPECT_FALSE(stopped);
  return passed;
}

struct Shape {
  std::size_t n_resources;
  std::size_t n_first;  // given when the slices are made
  std::size_t n_added;
  Amount most;
};

void compare_with_every_vector(const Shape& shape, bool is_exact) {
  Vectors vectors(shape.n_resources * 1000 + shape.n_first, shape.n_resources, shape.most);
  std::vector<Amount> rows;
  for (std::size_t i = 0; i < shape.n_first; ++i) vectors.append_to(rows);
  const std::size_t n = shape.n_first + shape.n_added;
  DemandSlices slices(shape.n_resources, n, rows);
  for (std::size_t slot = shape.n_first; slot < n; ++slot) {
    vectors.append_to(rows);
    slices.add(slot, rows.data() + slot * shape.n_resources);
  }
  for (std::size_t slot = 0; slot < n; ++slot) slices.check_slot(slot, rows.data() + slot * shape.n_resources);
  for (int query = 0; query < 60; ++query) {
    const auto available = vectors.one();
    const auto passed = candidates(slices, n, available);
    for (std::size_t slot = 0; slot < n; ++slot) {
      const bool does_fit = fits(rows.data() + slot * shape.n_resources, available.data(), shape.n_resources);
      if (does_fit || is_exact) {
        ASSERT_EQ(passed[slot], does_fit) << "slot " << slot;
      }
    }
  }
}

TEST(DemandSlices, LeavesNothingOutThatFits) {
  for (const Shape& shape : {Shape{1, 1000, 0, 1 << 20}, Shape{4, 3000, 500, 1 << 20}, Shape{20, 300, 300, 100},
                             Shape{3, 0, 200, 50}, Shape{2, 5000, 0, 1000}}) {
    compare_with_every_vector(shape, false);
  }
}

TEST(DemandSlices, IsExactForFewDistinctValues) {
  for (const Shape& shape : {Shape{1, 70, 0, 30}, Shape{3, 600, 200, 9}, Shape{5, 1000, 0, 20}}) {
    compare_with_every_vector(shape, true);
  }
}

TEST(DemandSlices, LooksAtTheMostTellingOfManyResources) {
  compare_with_every_vector({100, 200, 50, 6}, false);
  // Only the last resource tells anything: it must be among those that are looked at.
  std::vector<Amount> rows;
  for (Amount i = 0; i < 64; ++i) {
    rows.insert(rows.end(), 99, 1);
    rows.push_back(i % 8);
  }
  const DemandSlices slices(100, 64, rows);
  std::vector<Amount> available(100, 1);
  available.back() = 3;
  const auto passed = candidates(slices, 64, available);
  for (std::size_t slot = 0; slot < 64; ++slot) EXPECT_EQ(passed[slot], slot % 8 <= 3);
}

TEST(DemandSlices, WithoutResourcesEverythingPasses) {
  const DemandSlices slices(0, 70, {});
  const auto passed = candidates(slices, 70, {});
  EXPECT_EQ(std::count(passed.begin(), passed.end(), true), 70);
}

}  // namespace
}  // namespace schedcore
