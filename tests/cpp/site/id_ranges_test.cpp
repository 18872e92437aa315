#include "schedcore/site/id_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "site/snapshot_damage.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kGreatestId = std::numeric_limits<std::int64_t>::max() - 1;

std::string written(const IdRanges& ids) {
  SnapshotWriter archive;
  ids.write(archive);
  return archive.bytes();
}

IdRanges read(const std::string& bytes) {
  SnapshotReader archive(bytes);
  IdRanges ids;
  ids.read(archive);
  EXPECT_TRUE(archive.at_end());
  return ids;
}

void expect_same(const IdRanges& ids, const std::set<std::int64_t>& expected) {
  ASSERT_EQ(ids.size(), expected.size());
  if (expected.empty()) return;
  EXPECT_EQ(ids.front(), *expected.begin());
  for (const std::int64_t id : expected) {
    EXPECT_TRUE(ids.contains(id)) << id;
    for (const std::int64_t near : {id - 1, id + 1}) EXPECT_EQ(ids.contains(near), expected.contains(near)) << near;
  }
}

TEST(IdRangesTest, AreASetWhateverComesAndGoes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    // Few places, so that ranges meet and break; at both ends of what ids there are.
    const std::int64_t lowest = seed % 2 == 0 ? 0 : kGreatestId - 59;
    IdRanges ids;
    std::set<std::int64_t> expected;
    for (int step = 0; step < 600; ++step) {
      const std::int64_t id = lowest + below(60);
      if (below(5) < (step / 100 % 2 == 0 ? 3 : 2)) {
        if (expected.insert(id).second) ids.insert(id);
      } else {
        expected.erase(id);
        ids.erase(id);
      }
      expect_same(ids, expected);
      if (below(10) == 0) {
        const IdRanges again = read(written(ids));
        expect_same(again, expected);
        EXPECT_EQ(written(again), written(ids));
        ids = again;  // and goes on
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(IdRangesTest, ArePartOfOthersThatHaveAllOfThem) {
  int n_parts = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    std::mt19937_64 random(seed);
    IdRanges some;
    IdRanges many;
    std::set<std::int64_t> of_some;
    std::set<std::int64_t> of_many;
    for (std::int64_t id = 0; id < 12; ++id) {
      if (random() % 4 == 0) some.insert(*of_some.insert(id).first);
      if (random() % 4 != 0) many.insert(*of_many.insert(id).first);
    }
    const bool is_part = std::ranges::includes(of_many, of_some);
    EXPECT_EQ(some.is_part_of(many), is_part) << "seed " << seed;
    n_parts += is_part ? 1 : 0;
  }
  EXPECT_GT(n_parts, 50);
  EXPECT_LT(n_parts, 350);
}

TEST(IdRangesTest, TheSameIdsAreTheSameBytesInWhateverOrderTheyCame) {
  IdRanges upwards;
  IdRanges downwards;
  for (std::int64_t id = 0; id < 1000; ++id) {
    if (id % 7 == 3) continue;
    upwards.insert(id);
  }
  for (std::int64_t id = 999; id >= 0; --id) downwards.insert(id);
  for (std::int64_t id = 3; id < 1000; id += 7) downwards.erase(id);
  EXPECT_EQ(written(upwards), written(downwards));
}

TEST(IdRangesTest, ManyIdsThatFollowOneAnotherAreFewBytes) {
  IdRanges ids;
  for (std::int64_t id = 1000; id < 101000; ++id) ids.insert(id);
  const std::size_t one_range = written(ids).size();
  EXPECT_LE(one_range, sizeof(std::uint64_t) + 5);
  for (int k = 1; k <= 20; ++k) ids.erase(1000 + 100 * k);
  EXPECT_EQ(ids.size(), 100000u - 20);
  EXPECT_LE(written(ids).size(), one_range + 20 * 3);
}

// Whatever is read is a set of ids, in order: written again and read, it is the same.
TEST(IdRangesTest, DamagedBytesAreRefusedOrAreASet) {
  IdRanges ids;
  for (const std::int64_t id : std::initializer_list<std::int64_t>{0, 1, 5, 300, 301, 302, 70000, kGreatestId}) ids.insert(id);
  int n_refused = 0;
  testing::for_each_damage(written(ids), [&](const std::string& damaged) {
    IdRanges found;
    SnapshotReader archive(damaged);
    try {
      found.read(archive);
    } catch (const InvalidInstanceError&) {
      ++n_refused;
      return;
    }
    const IdRanges again = read(written(found));
    EXPECT_EQ(again.size(), found.size());
    EXPECT_EQ(written(again), written(found));
    if (found.size() > 0) {
      EXPECT_GE(found.front(), 0);
      EXPECT_TRUE(found.contains(found.front()));
    }
  });
  EXPECT_GT(n_refused, 40);
}

TEST(IdRangesTest, RefuseRangesThatTouchOrOverflow) {
  const auto refuses = [](std::initializer_list<std::uint8_t> numbers) {
    SnapshotWriter writer;
    writer(std::vector<std::uint8_t>(numbers));
    SnapshotReader reader(writer.bytes());
    IdRanges ids;
    EXPECT_THROW(ids.read(reader), InvalidInstanceError);
  };
  refuses({4, 0, 0, 0});        // 4, then 4 again
  refuses({4, 0, 1, 0});        // 4, then 5, which is one range
  refuses({4});                 // a first one without a last one
  refuses({128});               // half a number
  refuses({0, 255, 255, 255, 255, 255, 255, 255, 255, 127});  // up to 2^63 - 1, which is no id
  refuses({2, 254, 255, 255, 255, 255, 255, 255, 255, 127});
  refuses({128, 128, 128, 128, 128, 128, 128, 128, 128, 1, 0});
}

}  // namespace
}  // namespace schedcore
