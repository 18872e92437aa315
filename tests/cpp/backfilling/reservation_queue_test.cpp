#include "schedcore/backfilling/reservation_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace schedcore {
namespace {

using Position = ReservationQueue::Position;
using Entry = ReservationQueue::Entry;

struct PlainEntry {
  JobSlot job = 0;
  Time start = kNever;
  std::uint32_t machine = 0;
};

// Every operation beside a map from positions to entries; slots are used again as soon as a job has left.
class QueueBesideAMap {
 public:
  explicit QueueBesideAMap(std::uint64_t seed, std::size_t most_waiting) : random_(seed), most_waiting_(most_waiting) {}

  void run(int n_steps) {
    for (int step = 0; step < n_steps; ++step) {
      const bool is_growing = plain_.size() < random_() % most_waiting_;
      if (is_growing || plain_.empty()) {
        push();
      } else {
        switch (random_() % 6) {
          case 0: remove(); break;
          case 1:
          case 2: reserve(); break;
          case 3: cancel(); break;
          case 4: let_time_pass(); break;
          default: position_after();
        }
      }
      compare();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  std::pair<const Position, PlainEntry>& any() {
    return *std::next(plain_.begin(), static_cast<std::ptrdiff_t>(random_() % std::min<std::size_t>(plain_.size(), 40)));
  }
  void push() {
    JobSlot slot = n_slots_;
    if (free_slots_.empty()) {
      ++n_slots_;
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    queue_.push(slot, 1);
    plain_[next_position_++] = {slot, kNever, 0};
  }
  void take_out(Position position) {
    Entry& entry = queue_.of_job(plain_.at(position).job);
    ASSERT_EQ(entry.position, position);
    queue_.remove(entry);
    free_slots_.push_back(plain_.at(position).job);
    plain_.erase(position);
  }
  void remove() { take_out(any().first); }
  void reserve() {
    auto& [position, entry] = any();
    entry.start = now_ + static_cast<Time>(random_() % 12);
    entry.machine = static_cast<std::uint32_t>(random_() % 3);
    queue_.reserve(queue_.of_job(entry.job), entry.start, entry.start + 5, entry.machine);
  }
  void cancel() {
    PlainEntry& entry = any().second;
    queue_.cancel(queue_.of_job(entry.job));
    entry.start = kNever;
  }
  // Some of the due jobs start, the others are overdue.
  void let_time_pass() {
    now_ += static_cast<Time>(random_() % 5);
    if (random_() % 3 != 0) {
      std::vector<std::pair<Time, Position>> expected;
      for (const auto& [position, entry] : plain_) {
        if (entry.start <= now_) expected.emplace_back(entry.start, position);
      }
      std::sort(expected.begin(), expected.end());
      std::vector<std::pair<Time, Position>> due;
      bool some_wait = false;
      std::vector<Position> starting;
      for (const Entry* entry : queue_.take_due(now_)) {
        due.emplace_back(entry->start, entry->position);
        if (random_() % 2 == 0) {
          starting.push_back(entry->position);
        } else {
          queue_.keep_overdue(*entry);
          some_wait = true;
        }
      }
      ASSERT_EQ(due, expected);
      for (const Position position : starting) take_out(position);
      ASSERT_EQ(queue_.has_overdue(), some_wait);
    }
    Time next = kNever;
    for (const auto& [position, entry] : plain_) {
      if (entry.start > now_) next = std::min(next, entry.start);
    }
    ASSERT_EQ(queue_.next_start(now_), next);
  }
  void position_after() {
    const std::uint64_t n = 1 + random_() % (plain_.size() + 2);
    const Position expected =
        n >= plain_.size() ? next_position_ : std::next(plain_.begin(), static_cast<std::ptrdiff_t>(n - 1))->first + 1;
    ASSERT_EQ(queue_.position_after(n), expected);
  }
  void compare() {
    ASSERT_EQ(queue_.size(), plain_.size());
    ASSERT_EQ(queue_.empty(), plain_.empty());
    std::size_t n_reserved = 0;
    auto next = plain_.begin();
    for (const Entry& entry : queue_.entries()) {
      if (!entry.waits) continue;
      ASSERT_TRUE(next != plain_.end());
      const PlainEntry& plain = next->second;
      ASSERT_EQ(entry.position, next->first);
      ASSERT_EQ(entry.job, plain.job);
      ASSERT_EQ(entry.job_class, FitBounds::kNoClass);
      ASSERT_EQ(entry.start, plain.start);
      ASSERT_EQ(entry.is_reserved(), plain.start < kNever);
      if (entry.is_reserved()) ++n_reserved;
      ++next;
    }
    ASSERT_TRUE(next == plain_.end());
    ASSERT_EQ(queue_.n_reserved(), n_reserved);
    const Position from = next_position_ - std::min<Position>(next_position_, random_() % 50);
    for (const Entry& entry : queue_.entries_from(from)) ASSERT_GE(entry.position, from);
    compare_order();
    if (random_() % 4 == 0) return;
    queue_.put_in_order();
    compare_order();
  }
  void compare_order() {
    std::vector<std::pair<Time, Position>> expected;
    for (const auto& [position, entry] : plain_) {
      if (entry.start < kNever) expected.emplace_back(entry.start, position);
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::pair<Time, Position>> reserved;
    for (const Entry* entry : queue_.reserved_entries()) reserved.emplace_back(entry->start, entry->position);
    ASSERT_EQ(reserved, expected);
    std::vector<std::pair<Time, Position>> placed;
    for (const Placement& each : queue_.placements()) {
      placed.emplace_back(each.start_time, queue_.of_job(each.job).position);
      ASSERT_EQ(each.machine, plain_.at(placed.back().second).machine);
    }
    ASSERT_EQ(placed, expected);
  }

  std::mt19937_64 random_;
  std::size_t most_waiting_;
  ReservationQueue queue_;
  std::map<Position, PlainEntry> plain_;
  std::vector<JobSlot> free_slots_;
  JobSlot n_slots_ = 0;
  Position next_position_ = 0;
  Time now_ = 0;
};

TEST(ReservationQueue, EqualsAMapInShortQueues) { QueueBesideAMap(1, 5).run(4000); }
TEST(ReservationQueue, EqualsAMapWhileItIsSweptOften) { QueueBesideAMap(2, 80).run(6000); }
TEST(ReservationQueue, EqualsAMapInLongQueues) { QueueBesideAMap(3, 700).run(5000); }

// Reservations that move ten thousand times leave no more behind than a few entries each.
TEST(ReservationQueue, DropsTheStartsThatHaveBecomeVoid) {
  ReservationQueue queue;
  for (JobSlot job = 0; job < 10; ++job) queue.push(job, 1);
  std::size_t most_kept = 0;
  for (int round = 0; round < 10'000; ++round) {
    for (JobSlot job = 0; job < 10; ++job) {
      queue.reserve(queue.of_job(job), 20'000 - round + static_cast<int>(job), 30'000, 0);
      if (round % 100 > 50) queue.put_in_order();
      most_kept = std::max(most_kept, queue.n_kept());
    }
  }
  EXPECT_EQ(queue.next_start(0), 10'001);
  EXPECT_LT(most_kept, 200u);
}

TEST(ReservationQueue, DueStartsComeInOrderOfStartThenArrival) {
  ReservationQueue queue;
  const std::vector<Time> starts{4, 2, 4, 2, 9};
  for (JobSlot job = 0; job < starts.size(); ++job) queue.push(job, 1);
  for (JobSlot job = 0; job < starts.size(); ++job) queue.reserve(queue.of_job(job), starts[job], starts[job] + 1, 0);
  std::vector<JobSlot> order;
  for (const Entry* entry : queue.take_due(4)) order.push_back(entry->job);
  EXPECT_EQ(order, (std::vector<JobSlot>{1, 3, 0, 2}));
  EXPECT_EQ(queue.next_start(4), 9);
}

}  // namespace
}  // namespace schedcore
