#include "schedcore/gangs/limited_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace schedcore {
namespace {

// Beside a sorted list of the same jobs, each of which is asked whether a limit holds it.
class Queued {
 public:
  Queued(std::uint64_t seed, std::int64_t n_users)
      : random_(seed), n_users_(n_users), classes_(MachinesView{capacity_, 1, 2}) {
    for (const auto what : {SiteLimit::What::jobs, SiteLimit::What::tasks, SiteLimit::What::resource}) {
      SiteLimit limit;
      limit.what = what;
      limit.most = what == SiteLimit::What::jobs ? 1 + below(2) : 1 + below(60);
      limits_.push_back(limit);
    }
    std::ranges::shuffle(limits_, random_);
    use_ = LimitUse(limits_);
  }

  void run(int n_steps) {
    for (int step = 0; step < n_steps; ++step) {
      const auto action = below(10);
      if (waiting_.empty() || action < 4) {
        wait();
      } else if (action < 6) {
        start();
      } else if (action < 8 && !running_.empty()) {
        end();
      } else if (action == 8) {
        withdraw();
      } else if (below(20) == 0) {
        turn_upside_down();
      }
      compare();
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  const std::vector<Amount>& demand_of(const GangEntry& entry) const { return demands_.at(entry.job_class); }
  bool is_held(const GangEntry& entry) const {
    return use_.first_exceeded(entry.profile, entry.n_tasks, demand_of(entry)).has_value();
  }

  void wait() {
    GangEntry entry;
    const auto high = below(4) == 0 ? below(next_ + 1) : next_++;
    entry.order = QueueOrder(0, {static_cast<std::uint64_t>(high), 0, 0, n_made_++}, 0);
    entry.n_tasks = 1 + below(4);
    entry.estimate = static_cast<Time>(1 + below(20));
    const std::vector<Amount> demand{1, below(3)};
    entry.job_class = classes_.add(demand, {}, {});
    demands_[entry.job_class] = demand;
    // A user of his own, and groups that many share.
    const std::vector<std::int64_t> values{below(n_users_), below(3) - 1, below(2)};
    entry.profile = use_.add(values);
    waiting_.insert(std::ranges::lower_bound(waiting_, entry.order, {}, &GangEntry::order), entry);
    queue_.insert(entry);
  }
  std::vector<GangEntry>::iterator one_that_waits() {
    return waiting_.begin() + below(static_cast<std::int64_t>(waiting_.size()));
  }
  // As a rule one that no limit holds.
  void start() {
    auto one = std::ranges::find_if(waiting_, [&](const GangEntry& entry) { return !is_held(entry); });
    if (one == waiting_.end()) return;
    const GangEntry entry = *one;
    queue_.erase(entry);
    waiting_.erase(one);
    use_.begin(entry.profile, entry.n_tasks, demand_of(entry));
    running_.push_back(entry);
  }
  void end() {
    const auto one = running_.begin() + below(static_cast<std::int64_t>(running_.size()));
    use_.end(one->profile, one->n_tasks, demand_of(*one));
    forget(*one);
    running_.erase(one);
  }
  void withdraw() {
    const auto one = one_that_waits();
    queue_.erase(*one);
    forget(*one);
    waiting_.erase(one);
  }
  void forget(const GangEntry& entry) {
    use_.remove(entry.profile);
    classes_.remove(entry.job_class);
  }
  void turn_upside_down() {
    const auto reversed = [](const GangEntry& entry) {
      QueueOrder order = entry.order;
      order.tier = -static_cast<std::int64_t>(order.high);
      order.id = -order.id;
      return order;
    };
    std::map<std::int64_t, QueueOrder> orders;
    for (GangEntry& entry : waiting_) orders[entry.order.id] = reversed(entry);
    for (GangEntry& entry : waiting_) entry.order = orders.at(entry.order.id);
    queue_.reorder([&](const GangEntry& entry) { return orders.at(entry.order.id); });
    std::ranges::sort(waiting_, {}, &GangEntry::order);
  }
  void compare() {
    use_.check_invariants();
    queue_.check_invariants();
    ASSERT_EQ(queue_.empty(), waiting_.empty());
    if (waiting_.empty()) return;
    const Amount most = 1 + below(5);
    const Time longest = static_cast<Time>(below(25));
    const auto could = [&](Amount n_tasks, Time estimate) { return n_tasks <= most && estimate <= longest; };
    const auto other_class = static_cast<GangClasses::Class>(below(6));
    const auto any_could = [&](const GangEntry& entry) { return entry.job_class != other_class; };
    const auto fits = [&](const GangEntry& entry) { return could(entry.n_tasks, entry.estimate) && any_could(entry); };
    std::optional<QueueOrder> after;
    if (below(2) == 0) after = one_that_waits()->order;
    for (int k = 0; k < 3; ++k) {
      const auto expected = std::ranges::find_if(waiting_, [&](const GangEntry& entry) {
        return !(after && !(*after < entry.order)) && !is_held(entry) && fits(entry);
      });
      const auto found = queue_.find(after, &use_, classes_, could, any_could, fits);
      queue_.check_invariants();
      ASSERT_EQ(found.has_value(), expected != waiting_.end());
      if (!found) return;
      ASSERT_EQ(found->order, expected->order);
      after = found->order;
    }
  }

  std::mt19937_64 random_;
  std::int64_t n_users_;
  std::vector<Amount> capacity_{100, 100};
  GangClasses classes_;
  std::map<GangClasses::Class, std::vector<Amount>> demands_;
  std::vector<SiteLimit> limits_;
  LimitUse use_;
  LimitedQueue queue_;
  std::vector<GangEntry> waiting_;
  std::vector<GangEntry> running_;
  std::int64_t next_ = 0;
  std::int64_t n_made_ = 0;
};

TEST(LimitedQueueTest, FindsWhomAskingEveryJobInOrderFinds) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Queued(seed, seed % 2 == 0 ? 4 : 12).run(600);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// So many users that those at one limit stay together there.
TEST(LimitedQueueTest, FindsThemWhereManyShareALimit) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Queued(seed, 2000).run(1500);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(LimitedQueueTest, IsAPlainQueueWithoutLimits) {
  const std::vector<Amount> capacity{1};
  const GangClasses classes(MachinesView{capacity, 1, 1});
  LimitedQueue queue;
  std::vector<GangEntry> entries(3);
  for (std::int64_t n = 0; n < 3; ++n) {
    GangEntry& entry = entries[static_cast<std::size_t>(n)];
    entry.order = QueueOrder(0, {0, 0, 0, n}, 0);
    entry.n_tasks = 3 - n;
    queue.insert(entry);
  }
  const auto any = [](const GangEntry&) { return true; };
  const auto at_most_two = [](Amount n_tasks, Time) { return n_tasks <= 2; };
  EXPECT_EQ(queue.find(std::nullopt, nullptr, classes, at_most_two, any, any)->order, entries[1].order);
  EXPECT_EQ(queue.find(entries[1].order, nullptr, classes, at_most_two, any, any)->order, entries[2].order);
  queue.erase(entries[2]);
  EXPECT_EQ(queue.find(entries[1].order, nullptr, classes, at_most_two, any, any), std::nullopt);
  queue.check_invariants();
}

}  // namespace
}  // namespace schedcore
