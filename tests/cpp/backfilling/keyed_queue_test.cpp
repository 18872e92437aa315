#include "schedcore/backfilling/keyed_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "backfilling/queue_snapshots.hpp"

namespace schedcore::keyed_queue_test {
namespace {

const std::vector<Amount> kDemand{1};

Priority place_of(double key, std::int64_t id) { return number_priority(key, id); }

KeyedQueue through_a_snapshot(const KeyedQueue& queue, const JobTable& jobs, const std::vector<double>& key_of,
                              std::set<std::int64_t>& shown) {
  testing::QueueSnapshot snapshot(jobs);
  queue.write(snapshot.writer());
  SnapshotReader reader = snapshot.reader();
  KeyedQueue copy;
  copy.read(
      reader, [&](JobSlot job) { return place_of(key_of[static_cast<std::size_t>(jobs.id(job))], jobs.id(job)); },
      [&](JobSlot job) { shown.insert(jobs.id(job)); });
  EXPECT_TRUE(reader.at_end());
  return copy;
}

// Random arrivals, starts anywhere in the queue and completions, so that slots go to other jobs while marks of the old ones
// are still in the queue; now and then through a snapshot.
void expect_same_queue(std::uint64_t seed, std::uint64_t most_waiting, bool shows) {
  std::mt19937_64 random(seed);
  JobTable jobs(1);
  KeyedQueue queue;
  std::set<std::pair<double, std::int64_t>> waiting;
  std::set<std::int64_t> shown;
  std::vector<JobSlot> slot_of;  // by id
  std::vector<double> key_of;
  std::deque<std::int64_t> running;
  for (int step = 0; step < 6000; ++step) {
    if (waiting.empty() || waiting.size() < random() % most_waiting) {
      const auto id = static_cast<std::int64_t>(slot_of.size());
      key_of.push_back(static_cast<double>(random() % 50));
      slot_of.push_back(jobs.add({0, 1, 1, 0, id}, kDemand));
      queue.push(slot_of.back(), place_of(key_of.back(), id), jobs);
      waiting.emplace(key_of.back(), id);
    } else {
      const auto head = *waiting.begin();
      ASSERT_EQ(jobs.id(queue.head(jobs)), head.second);
      ASSERT_EQ(queue.place_of_head(), place_of(head.first, head.second));
      ASSERT_EQ(queue.head_is_shown(), shown.contains(head.second));
      auto leaves = waiting.begin();
      if (random() % 2 == 0) std::advance(leaves, static_cast<std::ptrdiff_t>(random() % waiting.size()));
      const std::int64_t id = leaves->second;
      jobs.set_running(slot_of[static_cast<std::size_t>(id)], 0, 0);
      running.push_back(id);
      waiting.erase(leaves);
      queue.remove(shown.erase(id) > 0);
    }
    while (!running.empty() && (running.size() > 20 || random() % 3 == 0)) {
      jobs.remove(slot_of[static_cast<std::size_t>(running.front())]);
      running.pop_front();
    }
    while (shows && queue.n_shown() < queue.size() && random() % 3 != 0) {
      ASSERT_TRUE(shown.insert(jobs.id(queue.show_next(jobs))).second);
    }
    ASSERT_EQ(queue.size(), waiting.size());
    ASSERT_EQ(queue.n_shown(), shown.size());
    if (step % 97 == 0) {
      std::set<std::int64_t> told;
      queue = through_a_snapshot(queue, jobs, key_of, told);
      ASSERT_EQ(told, shown);
    }
  }
}

TEST(KeyedQueue, KeepsTheOrderOfKeysInShortQueues) { expect_same_queue(1, 4, true); }
TEST(KeyedQueue, KeepsTheOrderOfKeysWhileItIsSweptOften) { expect_same_queue(2, 60, true); }
TEST(KeyedQueue, KeepsTheOrderOfKeysInLongQueues) { expect_same_queue(3, 1500, true); }
TEST(KeyedQueue, NeedsNoJobShown) { expect_same_queue(4, 40, false); }

// Jobs start from the front, as under FCFS, or behind a head that stays, for longer than the queue is.
TEST(KeyedQueue, ForgetsWhatHasLeft) {
  for (const bool behind_a_head : {false, true}) {
    JobTable jobs(1);
    KeyedQueue queue;
    if (behind_a_head) queue.push(jobs.add({0, 1, 1, 0, 0}, kDemand), place_of(-1, 0), jobs);
    for (std::int64_t id = 1; id < 10'000; ++id) {
      const JobSlot slot = jobs.add({0, 1, 1, 0, id}, kDemand);
      queue.push(slot, place_of(0, id), jobs);
      if (!behind_a_head) {
        ASSERT_EQ(queue.head(jobs), slot);
      }
      jobs.set_running(slot, 0, 0);
      queue.remove(false);
      jobs.remove(slot);
    }
    EXPECT_LT(queue.n_kept(), 300u);
  }
}

}  // namespace
}  // namespace schedcore::keyed_queue_test
