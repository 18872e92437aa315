#include "schedcore/base/slot_set.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>
#include <vector>

namespace schedcore {
namespace {

TEST(SlotSet, EqualsAnOrderedSet) {
  for (const std::size_t n_slots : {1U, 64U, 65U, 1000U}) {
    std::mt19937_64 random(n_slots);
    SlotSet slots;
    std::set<std::size_t> plain;
    for (int step = 0; step < 2000; ++step) {
      const std::size_t slot = random() % n_slots;
      if (plain.contains(slot)) {
        slots.erase(slot);
        plain.erase(slot);
      } else {
        slots.insert(slot);
        plain.insert(slot);
      }
      EXPECT_EQ(slots.contains(slot), plain.contains(slot));
      EXPECT_FALSE(slots.contains(n_slots + random() % 1000));
      if (step % 50 > 0) continue;
      std::vector<std::size_t> members;
      slots.for_each([&](std::size_t member) { members.push_back(member); });
      EXPECT_EQ(members, std::vector<std::size_t>(plain.begin(), plain.end()));
    }
  }
}

}  // namespace
}  // namespace schedcore
