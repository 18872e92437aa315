#include "schedcore/engine/availability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace schedcore {
namespace {

// Whether some of the announced outages lasts.
bool lasts(const std::vector<AnnouncedOutage>& all, std::uint32_t machine, Time now) {
  return std::ranges::any_of(all, [&](const AnnouncedOutage& each) {
    return each.machine == machine && each.span.begin <= now && now < each.span.end;
  });
}

TEST(AvailabilityTest, IsWhatWasAnnouncedAndWhatFailed) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    constexpr std::size_t kMachines = 4;
    Availability availability;
    std::vector<AnnouncedOutage> all;
    std::vector<bool> is_down(kMachines);
    std::vector<bool> was_blocked(kMachines);
    for (Time now = 0; now < 60; now += static_cast<Time>(below(3))) {
      const auto machine = static_cast<std::uint32_t>(below(kMachines));
      switch (below(4)) {
        case 0: {
          const Time begin = now + static_cast<Time>(below(12));
          const Time end = below(20) == 0 ? kNever : begin + 1 + static_cast<Time>(below(8));
          all.push_back({machine, {begin, end}});
          availability.announce(all.back(), kMachines);
          break;
        }
        case 1:
          availability.fail(machine, kMachines);
          is_down[machine] = true;
          break;
        case 2:
          if (is_down[machine]) availability.repair(machine);
          is_down[machine] = false;
          break;
        default: break;
      }
      availability.pass_to(now, [&](std::uint32_t /*machine*/, bool /*was_blocked*/) {});
      Time next_end = kNever;
      for (std::uint32_t each = 0; each < kMachines; ++each) {
        ASSERT_EQ(availability.is_down(each), is_down[each]);
        ASSERT_EQ(availability.is_blocked(each), is_down[each] || lasts(all, each, now)) << seed << " at " << now;
        const auto outages = availability.outages(each);
        for (std::size_t i = 0; i < outages.size(); ++i) {
          EXPECT_GT(outages[i].end, now);
          if (i == 0) continue;
          EXPECT_GT(outages[i].begin, outages[i - 1].end);  // else they would be one
        }
        for (Time then = now; then < 90; ++then) {
          const bool is_listed = std::ranges::any_of(
              outages, [&](const Outage& outage) { return outage.begin <= then && then < outage.end; });
          ASSERT_EQ(is_listed, lasts(all, each, then));
        }
        if (!outages.empty()) next_end = std::min(next_end, outages.front().end);
      }
      EXPECT_EQ(availability.next_end(), next_end);
    }
  }
}

}  // namespace
}  // namespace schedcore
