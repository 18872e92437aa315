#include "schedcore/preemptive/slot_policies.hpp"

#include <gtest/gtest.h>

#include <random>

#include "schedcore/preemptive/slot_calendar.hpp"

namespace schedcore {
namespace {

TEST(SlotPolicies, KeysAreWhatTheirNamesSay) {
  const SlotJob job{3, 10, 4, 6};
  EXPECT_EQ(constant_key(SlotPolicy::fifo, job), 3.0);
  EXPECT_EQ(constant_key(SlotPolicy::svf, job), 60.0);
  EXPECT_EQ(constant_key(SlotPolicy::srf, job), 6.0);
  EXPECT_EQ(key_ratio(SlotPolicy::srpt, job).key(30), 7.5);
  EXPECT_EQ(key_ratio(SlotPolicy::srvf, job).key(30), 45.0);
  EXPECT_EQ(key_ratio(SlotPolicy::srvf, SlotJob{3, 10, 4, 4}).key(30), 30.0);
}

TEST(SlotPolicies, OrderLastsAsLongAsTheKeysSay) {
  std::mt19937_64 random(5);
  const auto draw = [&](int most) { return 1 + static_cast<Amount>(random() % static_cast<std::uint64_t>(most)); };
  for (int round = 0; round < 20000; ++round) {
    const SlotPolicy policy = random() % 2 == 0 ? SlotPolicy::srpt : SlotPolicy::srvf;
    SteadyRow rows[2];
    for (std::uint32_t i = 0; i < 2; ++i) {
      const Amount work = draw(4) - 1;
      rows[i] = {key_ratio(policy, SlotJob{0, 0, draw(4), draw(4)}), work * 30 + draw(60), work, i};
    }
    const auto is_first = [&](const SteadyRow& a, const SteadyRow& b, Slot slots) {
      const double key_a = a.ratio.key(a.remaining - slots * a.work), key_b = b.ratio.key(b.remaining - slots * b.work);
      return key_a < key_b || (key_a == key_b && a.row < b.row);
    };
    const bool swapped = !is_first(rows[0], rows[1], 0);
    const SteadyRow &a = rows[swapped ? 1 : 0], &b = rows[swapped ? 0 : 1];
    const Slot lasts = slots_in_order(a, b);
    for (Slot slots = 0; slots <= 30; ++slots) ASSERT_EQ(is_first(a, b, slots), slots <= lasts);
  }
}

TEST(SlotPolicies, ProductsBelow2To52AreExact) {
  constexpr Amount bound = Amount{1} << 52;
  EXPECT_TRUE(key_products_are_exact(bound - 1, 1, 1));
  EXPECT_FALSE(key_products_are_exact(bound, 1, 1));
  EXPECT_FALSE(key_products_are_exact(bound / 8, 4, 2));
  EXPECT_TRUE(key_products_are_exact(bound / 8 - 1, 4, 2));
}

}  // namespace
}  // namespace schedcore
