#include "schedcore/parallel_tasks/planned_usage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace schedcore {
namespace {

constexpr std::size_t kLast = 400;  // instants that the reference looks at

// The definition, instant by instant.
struct PlainUsage {
  std::size_t n_resources;
  std::vector<std::vector<Amount>> use = std::vector<std::vector<Amount>>(kLast, std::vector<Amount>(n_resources));

  void add(std::size_t start, std::size_t end, const std::vector<Amount>& demand) {
    for (std::size_t t = start; t < end; ++t) {
      for (std::size_t r = 0; r < n_resources; ++r) use[t][r] += demand[r];
    }
  }
  void interrupt(std::size_t start, std::size_t duration, const std::vector<Amount>& demand) {
    use.insert(use.begin() + static_cast<std::ptrdiff_t>(start), duration, demand);
    use.resize(kLast);
  }
  std::size_t first_within(std::size_t now, const std::vector<Amount>& limit) const {
    std::size_t t = kLast;
    while (t > now && std::equal(use[t - 1].begin(), use[t - 1].end(), limit.begin(), std::less_equal<>())) --t;
    return t;
  }
};

TEST(PlannedUsage, AgreesWithATableOfInstants) {
  std::mt19937_64 random(6);
  const auto draw = [&](std::size_t from, std::size_t to) { return from + random() % (to - from + 1); };
  for (int round = 0; round < 300; ++round) {
    const std::size_t n_resources = draw(1, 3);
    const auto amounts = [&](Amount from, Amount to) {
      std::vector<Amount> values(n_resources);
      for (Amount& value : values) value = from + static_cast<Amount>(random()) % (to - from + 1);
      for (Amount& value : values) value = std::max(from, std::abs(value));
      return values;
    };
    PlannedUsage usage(n_resources);
    PlainUsage plain{n_resources};
    std::size_t now = draw(0, 5);
    std::vector<std::vector<Amount>> demands;
    for (std::size_t i = draw(0, 5); i > 0; --i) demands.push_back(amounts(0, 4));
    std::vector<PlannedUsage::Running> running;
    for (const auto& demand : demands) {
      const std::size_t end = now + draw(1, 6);
      running.push_back({static_cast<Ticks>(end), demand});
      plain.add(now, end, demand);
    }
    usage.begin(static_cast<Ticks>(now), running);
    for (int step = 0; step < 15; ++step) {
      usage.check_invariants();
      for (int question = 0; question < 5; ++question) {
        const auto limit = amounts(0, 12);
        ASSERT_EQ(usage.first_within(limit), static_cast<Ticks>(plain.first_within(now, limit)));
      }
      const std::size_t start = now + draw(0, 4), duration = draw(1, 9);
      const auto demand = amounts(0, 4);
      if (draw(0, 2) == 0) {
        usage.interrupt(static_cast<Ticks>(start), static_cast<Ticks>(duration), demand);
        plain.interrupt(start, duration, demand);
      } else {
        usage.add(static_cast<Ticks>(start), static_cast<Ticks>(start + duration), demand);
        plain.add(start, start + duration, demand);
      }
      now = start;
    }
  }
}

TEST(PlannedUsage, LooksAtAllLaterTimes) {
  // 2 of 10 during [0, 4), then 9 during [4, 6) from an interruption, then 2 again until 8.
  PlannedUsage usage(1);
  const std::vector<Amount> two{2}, nine{9};
  usage.begin(0, {{6, two}});
  EXPECT_EQ(usage.first_within(std::vector<Amount>{5}), 0);
  usage.interrupt(4, 2, nine);
  EXPECT_EQ(usage.first_within(std::vector<Amount>{5}), 6);
  EXPECT_EQ(usage.first_within(std::vector<Amount>{1}), 8);
}

}  // namespace
}  // namespace schedcore
