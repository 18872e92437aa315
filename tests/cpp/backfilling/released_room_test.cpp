#include "schedcore/backfilling/released_room.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "schedcore/backfilling/plan_of_timelines.hpp"
#include "schedcore/backfilling/reservation_queue.hpp"

namespace schedcore::released_room_test {
namespace {

using Row = std::vector<Amount>;
using Fit = FitBounds::Fit;
using Entry = ReservationQueue::Entry;

struct Setting {
  std::size_t n_machines = 1;
  std::size_t n_resources = 1;
  Time resolution = 0;
  bool has_constraints = false;
  std::uint64_t n_amounts = 6;  // that demands have
  bool has_thirds = false;      // so that lengths beside powers of two differ by what is lost in rounding
};

// Reservations that give up and take room at random, looked at in the order of the queue, and the definition of the place
// that each should find.
class Plan {
 public:
  Plan(std::uint64_t seed, const Setting& setting)
      : random_(seed),
        setting_(setting),
        bounds_(setting.n_machines, setting.n_resources, setting.resolution),
        released_(setting.n_machines, setting.n_resources) {
    for (std::size_t machine = 0; machine < setting.n_machines; ++machine) {
      Row capacity(setting.n_resources);
      for (Amount& amount : capacity) amount = 8 + below(5);
      timelines_.emplace_back(capacity);
    }
  }

  void run(int n_rounds) {
    for (int round = 0; round < n_rounds; ++round) {
      const Amount n_arrivals = below(6);
      for (Amount i = 0; i < n_arrivals; ++i) arrive();
      pass_time();
      for (Amount i = below(3); i > 0; --i) end_early();
      if (below(25) == 0) released_.forget();  // as after a snapshot: then everybody is put at the earliest place
      for (Amount i = 1 + below(2); i > 0; --i) pass();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  [[nodiscard]] std::size_t n_moves() const { return n_moves_; }
  [[nodiscard]] std::size_t n_moves_of_owed() const { return n_moves_of_owed_; }

 private:
  struct Running {
    std::uint32_t machine;
    Time end;
    Row demand;
  };

  Amount below(std::int64_t n) { return static_cast<Amount>(random_() % static_cast<std::uint64_t>(n)); }

  // Now or an instant at which room appears, on the first machine, with its own reservation out of the way.
  [[nodiscard]] Fit first_place(const Entry& entry, const Fit& limit) {
    const auto demand = bounds_.demand(entry.job_class);
    Fit best = limit;
    for (std::uint32_t machine = 0; machine < timelines_.size(); ++machine) {
      if (!bounds_.may_use(entry.job_class, machine)) continue;
      const ResourceTimeline& timeline = timelines_[machine];
      for (Time start = now_; start < kNever && Fit{start, machine} < best; start = timeline.next_change(start)) {
        if (timeline.first_shortage(start, demand) < bounds_.planned_end(entry.estimate, start, now_)) continue;
        best = {start, machine};
      }
    }
    return best;
  }
  [[nodiscard]] PlanOfTimelines seen() const { return {bounds_, timelines_, now_}; }
  [[nodiscard]] static ReleasedRoom::Holder holder_of(Entry& entry) {
    return {entry.position, {entry.start, entry.machine}, entry.end, entry.estimate, entry.job_class, &entry.cluster};
  }
  void occupy(const Entry& entry) {
    timelines_[entry.machine].reserve(std::max(entry.start, now_), entry.end, bounds_.demand(entry.job_class));
  }
  void vacate(const Entry& entry) {
    timelines_[entry.machine].release(std::max(entry.start, now_), entry.end, bounds_.demand(entry.job_class));
  }
  void put(Entry& entry, const Fit& fit) {
    queue_.reserve(entry, fit.time, bounds_.planned_end(entry.estimate, fit.time, now_), fit.machine);
    occupy(entry);
  }

  void arrive() {
    Row demand(setting_.n_resources);
    for (Amount& amount : demand) amount = 1 + below(static_cast<std::int64_t>(setting_.n_amounts));
    const bool is_third = setting_.resolution > 0 || (setting_.has_thirds && below(2) == 0);
    const auto estimate = static_cast<Time>((1 + below(6)) << below(5)) / (is_third ? 3 : 1);
    Eligibility eligibility;
    if (setting_.has_constraints && below(2) == 0) {
      std::vector<std::uint32_t> machines;
      for (std::uint32_t machine = 0; machine < setting_.n_machines; ++machine) {
        if (below(3) > 0) machines.push_back(machine);
      }
      if (!machines.empty()) eligibility = sets_.intern(machines, setting_.n_machines);
    }
    const JobSlot job = next_job_++;
    queue_.push(job, estimate);
    Entry& entry = queue_.of_job(job);
    entry.job_class = bounds_.add(demand, estimate, eligibility);
    const Fit fit = first_place(entry, Fit{});
    if (fit.time <= now_) {
      const Time end = bounds_.planned_end(estimate, now_, now_);
      timelines_[fit.machine].reserve(now_, end, demand);
      running_.push_back({fit.machine, end, demand});
      leave(entry);
    } else {
      put(entry, fit);
    }
  }
  void leave(Entry& entry) {
    bounds_.remove(entry.job_class);
    queue_.remove(entry);
  }
  void start(Entry& entry) {
    const auto demand = bounds_.demand(entry.job_class);
    running_.push_back({entry.machine, entry.end, Row(demand.begin(), demand.end())});
    leave(entry);
  }
  void pass_time() {
    const Time next = queue_.next_start(now_);
    now_ = std::min(next, now_ + static_cast<Time>(below(6)) / 2);
    for (ResourceTimeline& timeline : timelines_) {
      if (below(2) == 0) timeline.forget_before(now_);
    }
    for (Entry* entry : queue_.take_due(now_)) start(*entry);
    std::erase_if(running_, [&](const Running& each) { return each.end <= now_; });
  }
  void end_early() {
    if (running_.empty()) return;
    std::swap(running_[random_() % running_.size()], running_.back());
    const Running last = std::move(running_.back());
    running_.pop_back();
    timelines_[last.machine].release(now_, last.end, last.demand);
    bounds_.note_release(last.machine, now_, last.end);
    released_.note_release(last.machine, now_, last.end, seen());
  }

  void pass() {
    std::vector<ReleasedRoom::Holder> holders;
    for (Entry& entry : queue_.entries()) {
      if (entry.is_reserved()) holders.push_back(holder_of(entry));
    }
    released_.begin_pass(now_, holders, seen());
    for (Entry& entry : queue_.entries()) {
      if (!entry.waits || !entry.is_reserved()) continue;
      released_.look_at(holder_of(entry));
      const Fit held{entry.start, entry.machine};
      vacate(entry);
      const Fit expected = first_place(entry, held);
      occupy(entry);
      if (released_.is_known()) {
        const ReleasedRoom::Place found = released_.earliest(seen());
        ASSERT_EQ(found, (ReleasedRoom::Place{expected.time, expected.machine}));
      }
      if (expected < held) move(entry, expected);
      if (entry.start <= now_) start(entry);
    }
    released_.end_pass(true);
  }
  void move(Entry& entry, const Fit& fit) {
    const Entry old = entry;
    ++n_moves_;
    vacate(entry);
    put(entry, fit);
    released_.note_taken(entry.machine, entry.start, entry.end);
    const Time from = old.machine == entry.machine ? std::max(old.start, entry.end) : old.start;
    if (from >= old.end) return;
    bounds_.note_release(old.machine, from, old.end);
    released_.note_release(old.machine, from, old.end, seen());
    if (old.position < last_moved_) ++n_moves_of_owed_;
    last_moved_ = old.position;
  }

  std::mt19937_64 random_;
  Setting setting_;
  FitBounds bounds_;
  ReleasedRoom released_;
  EligibilitySets sets_;
  std::vector<ResourceTimeline> timelines_;
  ReservationQueue queue_;
  std::vector<Running> running_;
  JobSlot next_job_ = 0;
  Time now_ = 0;
  std::size_t n_moves_ = 0;
  std::size_t n_moves_of_owed_ = 0;
  ReservationQueue::Position last_moved_ = 0;
};

void run_plans(const Setting& base) {
  std::size_t n_moves = 0;
  std::size_t n_moves_of_owed = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Setting setting = base;
    setting.n_machines = 1 + seed % 5;
    setting.n_resources = 1 + seed % 3;
    Plan plan(seed, setting);
    plan.run(160);
    if (::testing::Test::HasFatalFailure()) return;
    n_moves += plan.n_moves();
    n_moves_of_owed += plan.n_moves_of_owed();
  }
  EXPECT_GT(n_moves, 1000u);
  EXPECT_GT(n_moves_of_owed, 100u);
}

TEST(ReleasedRoom, LetsEachReservationFindTheEarliestPlace) { run_plans({}); }
TEST(ReleasedRoom, LetsEachReservationFindTheEarliestPlaceWithRoundedEnds) { run_plans({.resolution = 4}); }
TEST(ReleasedRoom, LetsEachReservationFindTheEarliestPlaceItMayUse) { run_plans({.has_constraints = true}); }
TEST(ReleasedRoom, LetsEachReservationFindTheEarliestPlaceWhereDemandsAreAlike) { run_plans({.n_amounts = 2}); }
TEST(ReleasedRoom, LetsEachReservationFindTheEarliestPlaceWhereLengthsAreRounded) { run_plans({.has_thirds = true}); }

}  // namespace
}  // namespace schedcore::released_room_test
