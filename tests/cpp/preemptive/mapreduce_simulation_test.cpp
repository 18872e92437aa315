#include "schedcore/preemptive/mapreduce_simulation.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Jobs {
  std::vector<Slot> release_time;
  std::vector<std::int64_t> map_tasks;
  std::vector<Amount> map_cores;
  std::vector<Slot> map_time;
  std::vector<std::int64_t> reduce_tasks;
  std::vector<Amount> reduce_cores;
  std::vector<Slot> reduce_time;

  MapReduceJobs view() const {
    return {release_time, {map_tasks, map_cores, map_time}, {reduce_tasks, reduce_cores, reduce_time}};
  }
};

struct Piece {
  std::int64_t job, task, machine;
  double start, end;
  std::int64_t cores;
  friend bool operator==(const Piece&, const Piece&) = default;
};

std::vector<Piece> pieces_of(MapReduceOutcome& outcome) {
  PieceRecorder& recorder = outcome.pieces;
  const std::size_t n = recorder.n_pieces();
  std::vector<std::int64_t> job(n), task(n), machine(n), amount(n);
  std::vector<double> start(n), end(n);
  recorder.take_job(job);
  recorder.take_task(task);
  recorder.take_machine(machine);
  recorder.take_amount(amount);
  recorder.take_times(start, end);
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < n; ++k)
    pieces.push_back({job[k], task[k], machine[k], start[k], end[k], amount[k]});
  return pieces;
}

MapReduceRules rules(MapReduceOrder order, double gamma = 18.0, unsigned k = 1) {
  MapReduceRules made;
  made.order = order;
  made.dual.k = k;
  made.dual.gamma = gamma;
  made.dual.initial = InitialMultiplier::zero;
  return made;
}

// Two cores; job 0: two map tasks of one core and 2 slots, a reduce task of 2 cores and 1 slot; job 1: a map task of
// 1 slot and a reduce task of 2 slots, one core each.
const Jobs kExample{{0, 0}, {2, 1}, {1, 1}, {2, 1}, {1, 1}, {2, 1}, {1, 2}};
const std::vector<Amount> kTwoCores{2};

TEST(MapReduceSimulation, WorksThroughTheExample) {
  // Slots 1 and 2 both map tasks of job 0, 3 its reduce task, 4 the map task of job 1, 5 and 6 its reduce task.
  MapReduceOutcome outcome = run_mapreduce(kExample.view(), kTwoCores, rules(MapReduceOrder::ocorp), nullptr);
  EXPECT_EQ(outcome.completion_time, (std::vector<double>{3, 6}));
  EXPECT_EQ(outcome.map_completion_time, (std::vector<double>{2, 4}));
  const std::vector<Piece> expected{
      {0, 0, 0, 0, 2, 1}, {0, 1, 0, 0, 2, 1}, {0, 2, 0, 2, 3, 2}, {1, 0, 0, 3, 4, 1}, {1, 1, 0, 4, 6, 1}};
  EXPECT_EQ(pieces_of(outcome), expected);
  const MapReduceOutcome by_work = run_mapreduce(kExample.view(), kTwoCores, rules(MapReduceOrder::srvf), nullptr);
  EXPECT_EQ(by_work.completion_time, (std::vector<double>{5, 3}));
}

TEST(MapReduceSimulation, ReduceTasksWaitForAllMapTasksAndMayBeMissing) {
  // Three map tasks of 2 slots on two cores: tasks 0 and 1, then task 2 alone, although a core is free; no reduce.
  const Jobs jobs{{5}, {3}, {1}, {2}, {0}, {0}, {0}};
  MapReduceOutcome outcome = run_mapreduce(jobs.view(), kTwoCores, rules(MapReduceOrder::fifo), nullptr);
  EXPECT_EQ(outcome.completion_time, (std::vector<double>{9}));
  EXPECT_EQ(outcome.map_completion_time, (std::vector<double>{9}));
  EXPECT_EQ(pieces_of(outcome), (std::vector<Piece>{{0, 0, 0, 5, 7, 1}, {0, 1, 0, 5, 7, 1}, {0, 2, 0, 7, 9, 1}}));
}

TEST(MapReduceSimulation, EndsWithTheLastSlotAllowed) {
  MapReduceRules made = rules(MapReduceOrder::ocorp);
  made.max_slots = 4;
  const MapReduceOutcome outcome = run_mapreduce(kExample.view(), kTwoCores, made, nullptr);
  EXPECT_EQ(outcome.completion_time, (std::vector<double>{3, kInfinity}));
  EXPECT_EQ(outcome.map_completion_time, (std::vector<double>{2, 4}));
}

TEST(MapReduceSimulation, LongStretchesAreOneStep) {
  constexpr Slot kLong = Slot{1} << 40;
  const Jobs jobs{{0, kLong}, {3, 1}, {1, 2}, {kLong, kLong}, {1, 0}, {1, 0}, {kLong, 0}};
  for (const MapReduceOrder order : {MapReduceOrder::ocorp, MapReduceOrder::svf, MapReduceOrder::srpt}) {
    const MapReduceOutcome outcome = run_mapreduce(jobs.view(), std::vector<Amount>{3, 2}, rules(order), nullptr);
    EXPECT_EQ(outcome.completion_time, (std::vector<double>{2.0 * kLong, 2.0 * kLong}));
    EXPECT_LE(outcome.pieces.n_pieces(), 6U);
  }
}

TEST(MapReduceSimulation, ServesTheLastExactSlotAndNoneAfterIt) {
  Jobs jobs{{(Slot{1} << 53) - 2}, {1}, {1}, {1}, {1}, {1}, {1}};
  for (const MapReduceOrder order : {MapReduceOrder::ocorp, MapReduceOrder::srpt}) {
    EXPECT_EQ(run_mapreduce(jobs.view(), kTwoCores, rules(order), nullptr).completion_time[0], 0x1p53);
    jobs.map_time = {2};
    EXPECT_THROW((void)run_mapreduce(jobs.view(), kTwoCores, rules(order), nullptr), UnsupportedError);
    jobs.map_time = {1};
  }
}

// A run is interrupted by an exception of its monitor.
class EndsAfter final : public Monitor {
 public:
  explicit EndsAfter(int n_polls) : left_(n_polls) {}
  void poll(std::uint64_t, std::uint64_t) override {
    if (--left_ == 0) throw UnsupportedError("interrupted");
  }

 private:
  int left_;
};

TEST(MapReduceSimulation, LooksAtTheMonitorWithinAFewThousandSlots) {
  // A multiplier this high falls in every slot, so that all of them are gone through.
  const Jobs jobs{{0}, {1}, {1}, {Slot{1} << 40}, {0}, {1}, {1}};
  MapReduceRules ocorp = rules(MapReduceOrder::ocorp, 0x1p50);
  ocorp.dual.initial = InitialMultiplier::big;
  ocorp.max_slots = 20'000;
  EndsAfter monitor(3);
  EXPECT_THROW((void)run_mapreduce(jobs.view(), kTwoCores, ocorp, &monitor), UnsupportedError);
}

TEST(MapReduceSimulation, TasksStayWhereTheyAreOrGoWhereLatencyIsLeast) {
  // Task 0 of job 0 shares machine 0 with job 1, which comes at 1, is larger and is placed first from scratch.
  const Jobs jobs{{0, 1}, {1, 1}, {1, 2}, {4, 1}, {0, 0}, {0, 0}, {0, 0}};
  const std::vector<Amount> capacity{2, 2};
  MapReduceRules made = rules(MapReduceOrder::fifo);
  MapReduceOutcome moved = run_mapreduce(jobs.view(), capacity, made, nullptr);
  EXPECT_EQ(pieces_of(moved),
            (std::vector<Piece>{{0, 0, 0, 0, 1, 1}, {0, 0, 1, 1, 2, 1}, {1, 0, 0, 1, 2, 2}, {0, 0, 0, 2, 4, 1}}));
  made.sticky = true;
  MapReduceOutcome stayed = run_mapreduce(jobs.view(), capacity, made, nullptr);
  EXPECT_EQ(pieces_of(stayed), (std::vector<Piece>{{0, 0, 0, 0, 4, 1}, {1, 0, 1, 1, 2, 2}}));
  const std::vector<double> latency{3, 0, 0, 1};
  made.latency = latency;
  MapReduceOutcome near = run_mapreduce(jobs.view(), capacity, made, nullptr);
  EXPECT_EQ(pieces_of(near), (std::vector<Piece>{{0, 0, 1, 0, 4, 1}, {1, 0, 0, 1, 2, 2}}));
}

TEST(MapReduceSimulation, RecordsTheMultipliersOfEverySlot) {
  MapReduceRules made = rules(MapReduceOrder::ocorp);
  made.record_multipliers = true;
  const MapReduceOutcome outcome = run_mapreduce(kExample.view(), kTwoCores, made, nullptr);
  EXPECT_EQ(outcome.multiplier_slot, (std::vector<Slot>{1, 1, 2, 2, 3, 3, 4, 5, 6}));
  EXPECT_EQ(outcome.multiplier_job, (std::vector<std::int64_t>{0, 1, 0, 1, 0, 1, 1, 1, 1}));
  // Job 1 waits in slot 1: mu(1) r with r = (1 * 1 + 1 * 2) / (1 * 18).
  EXPECT_EQ(outcome.multiplier[3], 3.0 / 18.0);
}

}  // namespace
}  // namespace schedcore
