#include "schedcore/backfilling/arrival_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <ranges>
#include <vector>

#include "backfilling/queue_snapshots.hpp"

namespace schedcore {
namespace {

const std::vector<Amount> kDemand{1};

// The definition: waiting ids in the order of arrival, the first few of them shown.
struct PlainQueue {
  std::vector<std::int64_t> waiting;
  std::vector<std::int64_t> shown;

  bool remove(std::int64_t id) {
    std::erase(waiting, id);
    return std::erase(shown, id) > 0;
  }
};

void go_through_a_snapshot(const ArrivalQueue& queue, const JobTable& jobs, ArrivalQueue& copy) {
  testing::QueueSnapshot snapshot(jobs);
  queue.write(snapshot.writer());
  SnapshotReader reader = snapshot.reader();
  copy.read(reader);
  ASSERT_TRUE(reader.at_end());
  std::vector<JobSlot>& waiting = snapshot.cluster().waiting;
  if (waiting.empty()) return;
  waiting.pop_back();
  SnapshotReader other = snapshot.reader();
  ArrivalQueue refused;
  try {
    refused.read(other);
    ASSERT_FALSE(other.at_end());  // the job that does not wait any more was the last one
  } catch (const InvalidInstanceError&) {  // it names a job that does not wait
  }
}

// Random arrivals, starts anywhere in the queue and completions, so that slots go to other jobs while marks of the old ones
// are still in the queue; now and then through a snapshot.
void expect_same_queue(std::uint64_t seed, std::uint64_t most_waiting, bool shows) {
  std::mt19937_64 random(seed);
  JobTable jobs(1);
  ArrivalQueue queue;
  PlainQueue plain;
  std::vector<JobSlot> slot_of;  // by id
  std::deque<std::int64_t> running;
  for (int step = 0; step < 6000; ++step) {
    const bool is_growing = plain.waiting.size() < random() % most_waiting;
    if (is_growing || plain.waiting.empty()) {
      const auto id = static_cast<std::int64_t>(slot_of.size());
      slot_of.push_back(jobs.add({0, 1, 1, 0, id}, kDemand));
      queue.push(slot_of.back(), jobs);
      plain.waiting.push_back(id);
    } else {
      const std::int64_t head = plain.waiting.front();
      ASSERT_EQ(jobs.id(queue.head(jobs)), head);
      ASSERT_EQ(queue.head_is_shown(), !plain.shown.empty() && plain.shown.front() == head);
      // What is shown is a prefix of the queue; of the jobs behind it those in a window may leave.
      const std::size_t most = std::max(plain.shown.size(), std::min<std::size_t>(6, plain.waiting.size()));
      const std::int64_t id = random() % 2 == 0 ? head : plain.waiting[random() % most];
      jobs.set_running(slot_of[static_cast<std::size_t>(id)], 0, 0);
      running.push_back(id);
      queue.remove(plain.remove(id));
    }
    while (!running.empty() && (running.size() > 20 || random() % 3 == 0)) {
      jobs.remove(slot_of[static_cast<std::size_t>(running.front())]);
      running.pop_front();
    }
    while (shows && queue.n_shown() < queue.size() && random() % 3 != 0) {
      const std::int64_t next = plain.waiting[plain.shown.size()];
      ASSERT_EQ(jobs.id(queue.show_next(jobs)), next);
      plain.shown.push_back(next);
    }
    if (random() % 3 == 0) {
      std::vector<std::int64_t> first;
      queue.for_each_first(random() % 8, jobs, [&](JobSlot job, bool is_shown) {
        EXPECT_EQ(is_shown, first.size() < plain.shown.size());
        first.push_back(jobs.id(job));
      });
      ASSERT_LE(first.size(), plain.waiting.size());
      ASSERT_TRUE(std::ranges::equal(first, plain.waiting | std::views::take(first.size())));
    }
    ASSERT_EQ(queue.size(), plain.waiting.size());
    ASSERT_EQ(queue.empty(), plain.waiting.empty());
    ASSERT_EQ(queue.n_shown(), plain.shown.size());
    if (step % 97 == 0) {
      ArrivalQueue copy;
      go_through_a_snapshot(queue, jobs, copy);
      queue = copy;
    }
  }
}

TEST(ArrivalQueue, KeepsTheOrderOfArrivalInShortQueues) { expect_same_queue(1, 4, true); }
TEST(ArrivalQueue, KeepsTheOrderOfArrivalWhileItIsSweptOften) { expect_same_queue(2, 60, true); }
TEST(ArrivalQueue, KeepsTheOrderOfArrivalInLongQueues) { expect_same_queue(3, 1500, true); }
TEST(ArrivalQueue, NeedsNoJobShown) { expect_same_queue(4, 40, false); }

// Jobs behind the head start, for longer than the queue is: what has left is not kept.
TEST(ArrivalQueue, ForgetsWhatHasLeftBehindAHeadThatStays) {
  JobTable jobs(1);
  ArrivalQueue queue;
  const JobSlot head = jobs.add({0, 1, 1, 0, 0}, kDemand);
  queue.push(head, jobs);
  for (std::int64_t id = 1; id < 10'000; ++id) {
    const JobSlot slot = jobs.add({0, 1, 1, 0, id}, kDemand);
    queue.push(slot, jobs);
    while (queue.n_shown() < queue.size()) static_cast<void>(queue.show_next(jobs));
    jobs.set_running(slot, 0, 0);
    queue.remove(true);
    jobs.remove(slot);
  }
  EXPECT_EQ(queue.head(jobs), head);
  EXPECT_LT(queue.n_kept(), 100u);
}

}  // namespace
}  // namespace schedcore
