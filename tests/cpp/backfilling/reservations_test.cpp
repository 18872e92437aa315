#include "schedcore/backfilling/reservations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "backfilling/backfill_makers.hpp"
#include "engine/plain_cluster.hpp"
#include "schedcore/engine/simulation.hpp"

namespace schedcore {
namespace {

using testing::BesidePlainScheduler;
using testing::PlainCluster;
using testing::PlainJob;
using testing::PlainRunning;
using testing::Punctuality;
using testing::Row;

constexpr std::uint64_t kAll = ReservationOptions{}.protected_jobs;

struct Rectangle {
  std::size_t machine;
  Time start;
  Time end;
  Row demand;
};
using Place = std::pair<Time, std::size_t>;  // start, machine

// The passes as they are defined, over a list of rectangles.  What is due and does not fit, because others run late, keeps
// its place, which moves along with the present; no job is ever given a later start.
class PlainReservations {
 public:
  PlainReservations(std::uint64_t protected_jobs, Compression compression)
      : protected_jobs_(protected_jobs), compression_(compression) {}

  Time operator()(PlainCluster& cluster, const std::vector<PlainRunning>& completed, Time now) {
    cluster_ = &cluster;
    now_ = now;
    bool gave_back = false;
    for (const PlainRunning& each : completed) gave_back |= planned_end_.at(each.job.id) > now;
    for (PlainRunning& each : cluster.running) {
      if (each.planned_end <= now) each.planned_end = now + each.job.estimate;
    }
    if (gave_back && compression_ != Compression::none) {
      while (compress() && compression_ == Compression::fixpoint) {
      }
    } else {
      start_due(now);
    }
    reserve_for_others();
    overtake();
    Time wakeup = kNever;
    for (const auto& [id, place] : held_) {
      if (place.first > now) wakeup = std::min(wakeup, place.first);
    }
    planned_end_.clear();
    for (const PlainRunning& each : cluster.running) planned_end_[each.job.id] = each.planned_end;
    return wakeup;
  }

 private:
  [[nodiscard]] std::size_t position_of(std::int64_t id) const {
    const auto found = std::find_if(cluster_->queue.begin(), cluster_->queue.end(),
                                    [&](const PlainJob& job) { return job.id == id; });
    return static_cast<std::size_t>(found - cluster_->queue.begin());
  }
  [[nodiscard]] std::vector<std::int64_t> holders() const {
    std::vector<std::int64_t> ids;
    for (const PlainJob& job : cluster_->queue) {
      if (held_.contains(job.id)) ids.push_back(job.id);
    }
    return ids;
  }
  // All rectangles but that of one job.
  [[nodiscard]] std::vector<Rectangle> profile(std::int64_t without) const {
    std::vector<Rectangle> all;
    for (const PlainRunning& each : cluster_->running) {
      all.push_back({each.machine, now_, each.planned_end, each.job.demand});
    }
    for (const PlainJob& job : cluster_->queue) {
      const auto place = held_.find(job.id);
      if (place == held_.end() || job.id == without) continue;
      const Time start = std::max(place->second.first, now_);
      all.push_back({place->second.second, start, start + job.estimate, job.demand});
    }
    return all;
  }
  [[nodiscard]] bool has_room(const std::vector<Rectangle>& profile, std::size_t machine, const PlainJob& job,
                              Time start) const {
    std::set<Time> instants{start};
    for (const Rectangle& each : profile) {
      if (each.start > start && each.start < start + job.estimate) instants.insert(each.start);
    }
    return std::ranges::all_of(instants, [&](Time instant) {
      Row available = cluster_->capacity[machine];
      for (const Rectangle& each : profile) {
        if (each.machine != machine || each.start > instant || each.end <= instant) continue;
        for (std::size_t k = 0; k < available.size(); ++k) available[k] -= each.demand[k];
      }
      return PlainCluster::covers(available, job.demand);
    });
  }
  [[nodiscard]] Place earliest(const PlainJob& job) const {
    const auto others = profile(job.id);
    std::set<Time> instants{now_};
    for (const Rectangle& each : others) instants.insert({each.start, each.end});
    for (const Time start : instants) {
      for (std::size_t machine = 0; machine < cluster_->capacity.size(); ++machine) {
        if (has_room(others, machine, job, start)) return {start, machine};
      }
    }
    return {kNever, 0};
  }
  void start(std::int64_t id, std::size_t machine) {
    held_.erase(id);
    cluster_->start(position_of(id), machine, now_);
  }
  bool start_if_it_fits(std::int64_t id) {
    const std::size_t machine = held_.at(id).second;
    const bool it_fits = PlainCluster::covers(cluster_->free[machine], cluster_->queue[position_of(id)].demand);
    if (it_fits) start(id, machine);
    return it_fits;
  }
  // Those with a reserved start not after `latest`, by start and arrival.
  void start_due(Time latest) {
    std::vector<std::int64_t> due = holders();
    std::erase_if(due, [&](std::int64_t id) { return held_.at(id).first > latest; });
    std::stable_sort(due.begin(), due.end(),
                     [&](std::int64_t a, std::int64_t b) { return held_.at(a).first < held_.at(b).first; });
    for (const std::int64_t id : due) start_if_it_fits(id);
  }
  bool compress() {
    start_due(std::nextafter(now_, -kNever));
    bool has_moved = false;
    for (const std::int64_t id : holders()) {
      const Place old = held_.at(id);
      const Place place = earliest(cluster_->queue[position_of(id)]);
      if (place.first <= std::max(old.first, now_)) {
        has_moved |= place != old;
        held_[id] = place;
      }
      if (held_[id].first <= now_) start_if_it_fits(id);
    }
    return has_moved;
  }
  void reserve_for_others() {
    for (std::size_t position = 0; position < cluster_->queue.size() && held_.size() < protected_jobs_;) {
      const PlainJob& job = cluster_->queue[position];
      if (!held_.contains(job.id)) {
        const Place place = earliest(job);
        if (place.first == now_) {
          start(job.id, place.second);
          continue;
        }
        held_[job.id] = place;
      }
      ++position;
    }
  }
  void overtake() {
    for (std::size_t position = 0; position < cluster_->queue.size();) {
      const PlainJob& job = cluster_->queue[position];
      std::size_t machine = held_.contains(job.id) ? cluster_->capacity.size() : 0;
      while (machine < cluster_->capacity.size() && !has_room(profile(job.id), machine, job, now_)) ++machine;
      if (machine < cluster_->capacity.size()) {
        start(job.id, machine);
      } else {
        ++position;
      }
    }
  }

  std::uint64_t protected_jobs_;
  Compression compression_;
  PlainCluster* cluster_ = nullptr;
  Time now_ = 0;
  std::map<std::int64_t, Place> held_;
  std::map<std::int64_t, Time> planned_end_;  // of the running jobs, after the last pass
};

void expect_the_defined_passes(std::uint64_t protected_jobs, Compression compression, Punctuality punctuality) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    BesidePlainScheduler beside(seed, 1 + seed / 4 % 3,
                                testing::reservation_maker(protected_jobs, testing::kFirstFit, compression), punctuality);
    beside.run(90, PlainReservations(protected_jobs, compression), [](const Decision&, Time) {});
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

TEST(Reservations, PassesAreAsDefinedForExactEstimates) {
  expect_the_defined_passes(kAll, Compression::pass, Punctuality::exact);
  expect_the_defined_passes(3, Compression::pass, Punctuality::exact);
}
TEST(Reservations, PassesAreAsDefinedForEstimatesThatAreTooLong) {
  for (const Compression compression : {Compression::none, Compression::pass, Compression::fixpoint}) {
    for (const std::uint64_t protected_jobs : {std::uint64_t{1}, std::uint64_t{4}, kAll}) {
      expect_the_defined_passes(protected_jobs, compression, Punctuality::never_late);
    }
  }
}
TEST(Reservations, PassesAreAsDefinedWhileJobsOutliveTheirEstimates) {
  for (const Compression compression : {Compression::none, Compression::pass, Compression::fixpoint}) {
    for (const std::uint64_t protected_jobs : {std::uint64_t{2}, kAll}) {
      expect_the_defined_passes(protected_jobs, compression, Punctuality::any);
    }
  }
}

TEST(Reservations, NoReservationIsDelayedWhileNobodyRunsLate) {
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    const Compression compression = std::vector{Compression::none, Compression::pass, Compression::fixpoint}[seed % 3];
    std::map<std::int64_t, Time> promised;
    BesidePlainScheduler beside(seed, 1 + seed / 3, testing::reservation_maker(kAll, testing::kFirstFit, compression),
                                Punctuality::never_late);
    beside.run(120, PlainReservations(kAll, compression), [&](const Decision& decision, Time now) {
      for (const IdPlacement& start : decision.starts) {
        const auto reserved = promised.find(start.id);
        if (reserved != promised.end()) {
          EXPECT_LE(now, reserved->second);
        }
      }
      for (const IdPlacement& place : decision.plan) {
        const auto [reserved, is_new] = promised.try_emplace(place.id, place.start_time);
        EXPECT_LE(place.start_time, reserved->second);
        reserved->second = place.start_time;
      }
    });
  }
}

// Workloads through simulate, with estimates.
struct Workload {
  std::vector<Time> release, length, estimate;
  std::vector<double> weight;
  Row demand, capacity;
  std::size_t n_resources = 0;

  Workload(std::uint64_t seed, std::size_t n_jobs, std::size_t n_machines, bool is_exact) : n_resources(1 + seed % 3) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < n_machines * n_resources; ++i) capacity.push_back(10 + static_cast<Amount>(random() % 4));
    Time now = 0;
    for (std::size_t job = 0; job < n_jobs; ++job) {
      release.push_back(now += static_cast<Time>(random() % 4));
      length.push_back(static_cast<Time>(1 + random() % 15));
      estimate.push_back(length.back() + (is_exact ? 0 : static_cast<Time>(random() % 20)));
      weight.push_back(1);
      for (std::size_t k = 0; k < n_resources; ++k) demand.push_back(static_cast<Amount>(1 + random() % 8));
    }
  }
  [[nodiscard]] std::vector<std::tuple<Time, std::int64_t>> schedule(const testing::PolicyMaker& maker) const {
    std::vector<Time> start(release.size());
    std::vector<std::int64_t> machine(release.size());
    const MachinesView machines{capacity, capacity.size() / n_resources, n_resources};
    Engine engine(machines, maker());
    simulate({release, length, weight, demand, n_resources}, estimate, {}, {}, engine, machines, nullptr, start, machine);
    std::vector<std::tuple<Time, std::int64_t>> rows;
    for (std::size_t job = 0; job < start.size(); ++job) rows.emplace_back(start[job], machine[job]);
    return rows;
  }
};

TEST(Reservations, OneProtectedJobIsEasyWhateverTheSelection) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Workload workload(seed, 200, 1 + seed % 3, false);
    for (const Selection& selection : {testing::kFirstFit, testing::kBalanced, testing::kLowest,
                                       testing::kShortBalanced}) {
      EXPECT_EQ(workload.schedule(testing::reservation_maker(1, selection)),
                workload.schedule(testing::backfill_maker(Overtaking::protected_head, selection)));
    }
  }
}

TEST(Reservations, WithExactEstimatesAllConservativeFormsAgree) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Workload workload(seed, 200, 1 + seed % 3, true);
    const auto expected = workload.schedule(testing::reservation_maker(kAll, testing::kFirstFit));
    EXPECT_EQ(workload.schedule(testing::reservation_maker(kAll, testing::kBalanced)), expected);
    EXPECT_EQ(workload.schedule(testing::reservation_maker(kAll, testing::kLowest)), expected);
    EXPECT_EQ(workload.schedule(testing::reservation_maker(kAll, testing::kFirstFit, Compression::none)), expected);
    EXPECT_EQ(workload.schedule(testing::reservation_maker(kAll, testing::kFirstFit, Compression::fixpoint)), expected);
    EXPECT_EQ(workload.schedule(testing::reservation_maker(1'000'000, testing::kFirstFit)), expected);
    EXPECT_EQ(workload.schedule(testing::rebuild_maker()), expected);
  }
}

TEST(Reservations, AsManyProtectedJobsAsThereAreIsConservative) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Workload workload(seed, 200, 1 + seed % 3, false);
    EXPECT_EQ(workload.schedule(testing::reservation_maker(200, testing::kLowest)),
              workload.schedule(testing::reservation_maker(kAll, testing::kFirstFit)));
  }
}

// Capacity 4; jobs (submit, demand, length, estimate): 0 (0,2,3,4), 1 (0,3,4,7), 2 (0,1,3,3), 3 (1,2,1,1).  Job 1 holds 4,
// job 3 the hole [3, 4).  At 3 job 0 ends early: job 1 cannot move, the hole is taken.  Rebuilt, job 1 is placed first.
TEST(Reservations, ACompressionKeepsWhatARebuildGivesAway) {
  Workload workload(0, 0, 1, true);
  workload.capacity = {4};
  workload.release = {0, 0, 0, 1};
  workload.demand = {2, 3, 1, 2};
  workload.length = {3, 4, 3, 1};
  workload.estimate = {4, 7, 3, 1};
  workload.weight = {1, 1, 1, 1};
  const auto starts = [&](const testing::PolicyMaker& maker) {
    std::vector<Time> times;
    for (const auto& [time, machine] : workload.schedule(maker)) times.push_back(time);
    return times;
  };
  EXPECT_EQ(starts(testing::reservation_maker(kAll, testing::kFirstFit)), (std::vector<Time>{0, 4, 0, 3}));
  EXPECT_EQ(starts(testing::rebuild_maker()), (std::vector<Time>{0, 3, 0, 7}));
}

}  // namespace
}  // namespace schedcore
