#include "schedcore/site/awaited_jobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "site/snapshot_damage.hpp"

namespace schedcore {
namespace {

using Standing = AwaitedJobs::Standing;

std::string written(const AwaitedJobs& awaited) {
  SnapshotWriter archive;
  awaited.write(archive);
  return archive.bytes();
}

bool as_asked(AwaitedEnd end, bool has_completed) {
  if (end == AwaitedEnd::any) return true;
  return end == AwaitedEnd::ok ? has_completed : !has_completed;
}

// Beside a list that is gone through for every question.
class Waiters {
 public:
  Waiters(std::uint64_t seed, bool remembers) : random_(seed), remembers_(remembers), awaited_(remembers) {}

  void run(int n_steps) {
    for (int step = 0; step < n_steps; ++step) {
      switch (below(6)) {
        case 0:
        case 1: add(); break;
        case 2: arrive(); break;
        case 3: end(); break;
        case 4: below(2) == 0 ? use_again() : end(); break;
        default: below(3) == 0 ? forget() : save_and_load(); break;
      }
      compare();
      if (step % 16 == 0) awaited_.check_invariants();
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(n_freed_, 5);
    EXPECT_GT(n_lost_, 5);
  }

 private:
  struct Row {
    std::vector<AwaitedJob> open;
    bool is_lost = false;
    std::optional<JobSlot> job;

    [[nodiscard]] Standing standing() const {
      if (is_lost) return Standing::lost;
      return open.empty() ? Standing::free : Standing::waits;
    }
  };

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  std::int64_t some_id() { return below(kIds); }

  void add() {
    const std::int64_t id = kIds + n_made_++;
    std::vector<AwaitedJob> awaited;
    for (auto left = below(4); left > 0; --left) {
      // Jobs that wait are waited for as well.
      const std::int64_t of = below(4) == 0 ? kIds + below(n_made_) : some_id();
      if (of != id) awaited.push_back({of, static_cast<AwaitedEnd>(below(3))});
    }
    awaited_.add(id, awaited);
    if (awaited.empty()) return;
    Row row;
    for (const AwaitedJob& each : awaited) {
      const auto ended = ended_.find(each.id);
      if (ended == ended_.end()) {
        row.open.push_back(each);
      } else {
        row.is_lost |= !as_asked(each.end, ended->second);
      }
    }
    rows_[id] = row;
  }
  void arrive() {
    // Most of those that were added last.
    const std::int64_t id = kIds + (below(5) == 0 ? below(n_made_ + 1) : n_made_ - below(std::min<std::int64_t>(n_made_, 6) + 1));
    const auto job = static_cast<JobSlot>(n_slots_++);
    const auto found = rows_.find(id);
    EXPECT_EQ(awaited_.arrive(id, job), found == rows_.end() ? Standing::free : found->second.standing());
    if (found != rows_.end()) found->second.job = job;
  }
  void end() {
    const std::int64_t id = below(4) == 0 ? kIds + below(n_made_ + 1) : some_id();
    const bool has_completed = below(3) != 0;
    std::vector<AwaitedJobs::Settled> settled{{kMark, Standing::free}};  // they are added
    awaited_.ended(id, has_completed, settled);
    if (remembers_) ended_.emplace(id, has_completed);
    std::vector<std::pair<JobSlot, Standing>> expected{{kMark, Standing::free}};
    for (auto& [follower, row] : rows_) {
      const Standing before = row.standing();
      for (const AwaitedJob& each : row.open) row.is_lost |= each.id == id && !as_asked(each.end, has_completed);
      std::erase_if(row.open, [&](const AwaitedJob& each) { return each.id == id; });
      if (!row.job || before != Standing::waits || row.standing() == before) continue;
      expected.emplace_back(*row.job, row.standing());
      ++(row.is_lost ? n_lost_ : n_freed_);
    }
    std::vector<std::pair<JobSlot, Standing>> found;
    for (const auto& each : settled) found.emplace_back(each.job, each.standing);
    std::ranges::sort(found);
    std::ranges::sort(expected);
    EXPECT_EQ(found, expected);
  }
  void forget() {
    const std::int64_t id = kIds + below(n_made_ + 1);
    awaited_.forget(id);
    rows_.erase(id);
  }
  void use_again() {
    const std::int64_t id = some_id();
    awaited_.use_again(id);
    ended_.erase(id);
  }
  void save_and_load() {
    const std::string bytes = written(awaited_);
    AwaitedJobs again(remembers_);
    SnapshotReader archive(bytes);
    again.read(archive);
    EXPECT_TRUE(archive.at_end());
    EXPECT_EQ(written(again), bytes);
    for (const auto& [id, row] : rows_) {
      if (!row.job) continue;
      EXPECT_EQ(again.arrive(id, *row.job), row.standing());
    }
    awaited_ = again;
  }
  void compare() {
    ASSERT_EQ(awaited_.n_waiting(), rows_.size());
    EXPECT_EQ(awaited_.is_idle(), !remembers_ && rows_.empty());
    for (std::int64_t id = 0; id < kIds + n_made_; ++id) {
      const auto found = rows_.find(id);
      ASSERT_EQ(awaited_.waits(id), found != rows_.end());
      EXPECT_EQ(awaited_.has_ended(id), ended_.contains(id));
      std::vector<std::int64_t> open;
      if (found != rows_.end()) {
        for (const AwaitedJob& each : found->second.open) open.push_back(each.id);
      }
      std::ranges::sort(open);
      open.erase(std::unique(open.begin(), open.end()), open.end());
      EXPECT_EQ(awaited_.open(id), open);
    }
  }

  static constexpr std::int64_t kIds = 40;
  static constexpr JobSlot kMark = 1000000;
  std::mt19937_64 random_;
  bool remembers_;
  AwaitedJobs awaited_;
  std::map<std::int64_t, Row> rows_;
  std::map<std::int64_t, bool> ended_;  // whether it has completed
  std::int64_t n_made_ = 0;
  std::int64_t n_slots_ = 0;
  int n_freed_ = 0;
  int n_lost_ = 0;
};

TEST(AwaitedJobsTest, TellWhoIsFreeAndWhoIsLostWhateverEnds) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Waiters(seed, false).run(1500);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(AwaitedJobsTest, ThoseThatComeLaterHearOfWhatIsRemembered) {
  for (std::uint64_t seed = 101; seed <= 112; ++seed) {
    Waiters(seed, true).run(1500);
    if (::testing::Test::HasFailure()) return;
  }
}

// What is kept of one that waits no more would be kept until the one that it waited for ends.
TEST(AwaitedJobsTest, ThoseThatWaitNoMoreAreForgottenBeforeTheAwaitedEnds) {
  AwaitedJobs awaited;
  const std::vector<AwaitedJob> both{{1, AwaitedEnd::ok}, {2, AwaitedEnd::any}, {1, AwaitedEnd::any}};
  awaited.add(3, both);
  for (std::int64_t id = 10; id < 2000; ++id) {
    awaited.add(id, both);
    awaited.forget(id);
    awaited.check_invariants();
  }
  for (int times = 0; times < 5; ++times) {  // the same id again
    awaited.add(10, both);
    awaited.forget(10);
  }
  awaited.add(10, both);
  awaited.check_invariants();
  std::vector<AwaitedJobs::Settled> settled;
  EXPECT_EQ(awaited.arrive(3, 0), Standing::waits);
  EXPECT_EQ(awaited.arrive(10, 1), Standing::waits);
  awaited.ended(1, true, settled);
  EXPECT_TRUE(settled.empty());
  awaited.ended(2, false, settled);
  EXPECT_EQ(settled.size(), 2u);
}

TEST(AwaitedJobsTest, NothingIsToldOfJobsThatHaveNotArrived) {
  AwaitedJobs awaited;
  const std::vector<AwaitedJob> one{{1, AwaitedEnd::ok}};
  awaited.add(7, one);
  awaited.add(8, one);
  std::vector<AwaitedJobs::Settled> settled;
  EXPECT_EQ(awaited.arrive(8, 3), Standing::waits);
  awaited.ended(1, false, settled);
  ASSERT_EQ(settled.size(), 1u);
  EXPECT_EQ(settled.front().job, 3u);
  EXPECT_EQ(settled.front().standing, Standing::lost);
  EXPECT_EQ(awaited.arrive(7, 4), Standing::lost);
}

TEST(AwaitedJobsTest, OfThoseThatEndedTheLargestIdsAreRemembered) {
  AwaitedJobs awaited(true);
  std::vector<AwaitedJobs::Settled> settled;
  const auto n = static_cast<std::int64_t>(AwaitedJobs::kRemembered);
  for (std::int64_t id = 0; id < n + 100; ++id) awaited.ended(id, id % 2 == 0, settled);
  EXPECT_TRUE(settled.empty());
  EXPECT_FALSE(awaited.has_ended(99));
  EXPECT_TRUE(awaited.has_ended(100));
  awaited.ended(5, true, settled);  // one lower than all of them
  EXPECT_FALSE(awaited.has_ended(5));
  EXPECT_TRUE(awaited.has_ended(100));
  const std::vector<AwaitedJob> met{{100, AwaitedEnd::ok}, {101, AwaitedEnd::not_ok}};
  const std::vector<AwaitedJob> not_met{{101, AwaitedEnd::ok}};
  const std::vector<AwaitedJob> forgotten{{99, AwaitedEnd::ok}};
  awaited.add(n + 200, met);
  awaited.add(n + 201, not_met);
  awaited.add(n + 202, forgotten);
  EXPECT_EQ(awaited.arrive(n + 200, 0), Standing::free);
  EXPECT_EQ(awaited.arrive(n + 201, 1), Standing::lost);
  EXPECT_EQ(awaited.arrive(n + 202, 2), Standing::waits);
  // Every other of them completed, and the bytes say so: two for each.
  EXPECT_LE(written(awaited).size(), AwaitedJobs::kRemembered + 200u);
}

// The bytes of jobs that ended, of some that did not complete, and of one that waits.
std::string of_parts(std::initializer_list<std::int64_t> ended, std::initializer_list<std::int64_t> not_completed, std::int64_t awaited) {
  SnapshotWriter archive;
  archive(std::uint64_t{1}, std::int64_t{50}, false, std::uint64_t{1}, awaited, std::uint8_t{0});
  for (const auto* ids : {&ended, &not_completed}) {
    IdRanges ranges;
    for (const std::int64_t id : *ids) ranges.insert(id);
    ranges.write(archive);
  }
  return archive.bytes();
}

TEST(AwaitedJobsTest, RefuseWhatContradictsItself) {
  const auto read = [](const std::string& bytes) {
    AwaitedJobs awaited(true);
    SnapshotReader archive(bytes);
    awaited.read(archive);
  };
  EXPECT_NO_THROW(read(of_parts({1, 2, 3}, {2}, 4)));
  EXPECT_THROW(read(of_parts({1, 2, 3}, {4}, 5)), InvalidInstanceError);  // it has not completed, nor ended
  EXPECT_THROW(read(of_parts({1, 2, 3}, {2}, 3)), InvalidInstanceError);  // it waits for one that has ended
}

// Whatever is read knows for each job whether it waits, and goes on without a crash.
TEST(AwaitedJobsTest, DamagedBytesAreRefusedOrKeepWhatTheyPromise) {
  AwaitedJobs awaited(true);
  std::vector<AwaitedJobs::Settled> settled;
  for (const std::int64_t id : {2, 3, 9}) awaited.ended(id, id == 3, settled);
  const std::vector<AwaitedJob> some{{1, AwaitedEnd::ok}, {4, AwaitedEnd::not_ok}};
  const std::vector<AwaitedJob> lost{{2, AwaitedEnd::ok}, {5, AwaitedEnd::any}};
  awaited.add(10, some);
  awaited.add(11, lost);
  int n_refused = 0;
  int n_read = 0;
  testing::for_each_damage(written(awaited), [&](const std::string& damaged) {
    AwaitedJobs found(true);
    SnapshotReader archive(damaged);
    try {
      found.read(archive);
    } catch (const InvalidInstanceError&) {
      ++n_refused;
      return;
    }
    ++n_read;
    const std::string bytes = written(found);
    AwaitedJobs again(true);
    SnapshotReader second(bytes);
    again.read(second);
    EXPECT_EQ(written(again), bytes);
    for (std::int64_t id = 0; id < 20; ++id) {
      const Standing standing = again.arrive(id, static_cast<JobSlot>(id));
      EXPECT_TRUE(standing != Standing::waits || !again.open(id).empty());
      for (const std::int64_t open : again.open(id)) EXPECT_FALSE(again.has_ended(open)) << open;
    }
    std::vector<std::int64_t> had_ended;
    for (std::int64_t id = 0; id < 20; ++id) {
      if (again.has_ended(id)) had_ended.push_back(id);
      again.ended(id, id % 3 == 0, settled);
    }
    for (std::int64_t id = 0; id < 20; ++id) EXPECT_TRUE(again.has_ended(id));
    // What has become of each is remembered.
    for (std::int64_t id = 12; id < 20; ++id) {
      if (std::ranges::find(had_ended, id) != had_ended.end()) continue;
      const std::vector<AwaitedJob> follower{{id, AwaitedEnd::ok}};
      again.add(100 + id, follower);
      EXPECT_EQ(again.arrive(100 + id, 50), id % 3 == 0 ? Standing::free : Standing::lost) << id;
    }
  });
  EXPECT_GT(n_refused, 100);
  EXPECT_GT(n_read, 20);
}

}  // namespace
}  // namespace schedcore
