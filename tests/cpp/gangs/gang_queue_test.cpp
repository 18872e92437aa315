#include "schedcore/gangs/gang_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace schedcore {
namespace {

// Beside a sorted list of the same entries.
class Lists {
 public:
  explicit Lists(std::uint64_t seed) : random_(seed) {}

  void run(int n_steps) {
    for (int step = 0; step < n_steps; ++step) {
      if (list_.empty() || below(5) < 3) {
        insert();
      } else {
        erase();
      }
      compare();
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }

  void insert() {
    GangEntry entry;
    // Most come at the end of the queue, as jobs do.
    const auto high = below(4) == 0 ? below(next_ + 1) : next_++;
    entry.order = QueueOrder(0, {static_cast<std::uint64_t>(high), 0, 0, n_made_++}, 0);
    entry.n_tasks = 1 + below(20);
    entry.estimate = static_cast<Time>(1 + below(20));
    const auto place = std::ranges::lower_bound(list_, entry.order, {}, &GangEntry::order);
    list_.insert(place, entry);
    queue_.insert(entry);
  }
  void erase() {
    const auto place = list_.begin() + below(static_cast<std::int64_t>(list_.size()));
    queue_.erase(place->order);
    list_.erase(place);
  }
  void compare() {
    queue_.check_invariants();
    ASSERT_EQ(queue_.size(), list_.size());
    if (list_.empty()) return;
    EXPECT_EQ(queue_.front().order, list_.front().order);
    const auto n = static_cast<std::size_t>(below(static_cast<std::int64_t>(list_.size())));
    EXPECT_EQ(queue_.nth(n).order, list_[n].order);
    const GangQueue::Position behind = queue_.behind(list_[n].order);
    EXPECT_EQ(queue_.holds(behind, list_[n].order), false);
    GangQueue upside_down = queue_;
    const auto reversed = [](const GangEntry& entry) {
      QueueOrder order = entry.order;
      order.tier = -static_cast<std::int64_t>(order.high);
      order.id = -order.id;
      return order;
    };
    EXPECT_EQ(upside_down.reorder(reversed), list_.size() > 1);
    upside_down.check_invariants();
    EXPECT_EQ(upside_down.nth(n).order, reversed(list_[list_.size() - 1 - n]));
    compare_shifted();
    // The first that fits, then the next one behind it.
    const Amount most = below(6);
    const Time longest = static_cast<Time>(below(6));
    const auto fits = [&](const GangEntry& entry) { return entry.n_tasks <= most && entry.estimate <= longest; };
    const auto could = [&](Amount n_tasks, Time estimate) { return n_tasks <= most && estimate <= longest; };
    GangQueue::Position from;
    auto expected = std::ranges::find_if(list_, fits);
    for (int k = 0; k < 3; ++k) {
      const auto found = queue_.find(from, could, fits);
      ASSERT_EQ(found.has_value(), expected != list_.end());
      if (!found) return;
      EXPECT_EQ(queue_.at(*found).order, expected->order);
      from = {found->block, found->entry + 1};
      expected = std::find_if(expected + 1, list_.end(), fits);
    }
  }

  // Some jobs have other priorities, as a rule few, and go some way.
  void compare_shifted() {
    const std::int64_t one_in = std::int64_t{1} << below(8);
    const std::int64_t far = std::int64_t{1} << below(10);
    std::vector<std::uint64_t> high(static_cast<std::size_t>(n_made_));
    for (const GangEntry& entry : list_) {
      std::uint64_t& now = high[static_cast<std::size_t>(entry.order.id)];
      now = entry.order.high;
      if (below(one_in) == 0) now = static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(now) + below(2 * far) - far));
    }
    const auto shifted = [&](const GangEntry& entry) {
      QueueOrder order = entry.order;
      order.high = high[static_cast<std::size_t>(entry.order.id)];
      return order;
    };
    std::vector<QueueOrder> expected;
    for (const GangEntry& entry : list_) expected.push_back(shifted(entry));
    const bool moves = !std::ranges::is_sorted(expected);
    std::ranges::sort(expected);
    GangQueue copy = queue_;
    EXPECT_EQ(copy.reorder(shifted), moves);
    copy.check_invariants();
    std::vector<QueueOrder> orders;
    copy.for_each([&](const GangEntry& entry) { orders.push_back(entry.order); });
    EXPECT_EQ(orders, expected);
  }

  std::mt19937_64 random_;
  std::vector<GangEntry> list_;
  GangQueue queue_;
  std::int64_t next_ = 0;
  std::int64_t n_made_ = 0;
};

TEST(GangQueueTest, IsASortedListWhateverComesAndGoes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) Lists(seed).run(1500);
}

}  // namespace
}  // namespace schedcore
