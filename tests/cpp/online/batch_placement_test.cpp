#include "schedcore/online/batch_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "schedcore/engine/engine.hpp"
#include "schedcore/online/priority_queue.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kResources = 2;
constexpr Amount kCapacity = 6;
using Amounts = std::array<Amount, kResources>;
using Row = std::tuple<JobSlot, std::size_t, std::size_t>;  // job, machine, start

struct Shape {
  std::size_t n_machines = 1;
  std::size_t most_committed = 5;  // a machine
  std::size_t most_jobs = 14;
  std::size_t n_demands = 1000;  // different ones, at most
  std::size_t longest = 8;
};

// Committed work and a batch, on timelines and as free amounts at every integer instant.
struct Case {
  std::size_t horizon;
  std::vector<Amount> capacity;
  Engine engine;
  std::vector<ResourceTimeline> timelines;
  std::vector<std::vector<Amounts>> free;
  std::vector<WaitingJob> batch;
  std::size_t from = 0;

  Case(std::mt19937_64& random, const Shape& shape)
      : horizon(100 + 20 * shape.most_committed + shape.most_jobs * shape.longest),
        capacity(shape.n_machines * kResources, kCapacity),
        engine({capacity, shape.n_machines, kResources}, std::make_unique<PriorityQueuePolicy>(PriorityRule::by_id)),
        free(shape.n_machines, std::vector<Amounts>(horizon, {kCapacity, kCapacity})),
        from(random() % 10) {
    for (std::size_t machine = 0; machine < shape.n_machines; ++machine) {
      timelines.emplace_back(std::span(capacity).first(kResources));
      for (std::size_t n = random() % (shape.most_committed + 1); n > 0; --n) {
        const std::size_t start = random() % (5 * shape.most_committed);
        const std::size_t end = start + 1 + random() % 10;
        const Amounts demand = draw_demand(random);
        if (has_room(machine, start, end, demand)) commit(machine, start, end, demand);
      }
    }
    std::vector<Amounts> demands;
    for (std::size_t n = random() % (shape.most_jobs + 1); n > 0; --n) {
      if (demands.size() < shape.n_demands) demands.push_back(draw_demand(random));
      const Amounts demand = demands[random() % demands.size()];
      const auto id = static_cast<std::int64_t>(batch.size());
      const JobSlot job = engine.jobs().add({0, static_cast<Time>(1 + random() % shape.longest), 1, 0, id}, demand);
      batch.push_back({engine.jobs().priority(job, PriorityRule::by_id, {}), job});
    }
  }

  static Amounts draw_demand(std::mt19937_64& random) {
    Amounts demand{static_cast<Amount>(random() % (kCapacity + 1)), static_cast<Amount>(random() % (kCapacity + 1))};
    if (demand[0] + demand[1] == 0) demand[0] = 1;
    return demand;
  }
  [[nodiscard]] bool has_room(std::size_t machine, std::size_t start, std::size_t end, const Amounts& demand) const {
    for (std::size_t t = start; t < end; ++t) {
      for (std::size_t r = 0; r < kResources; ++r) {
        if (free[machine][t][r] < demand[r]) return false;
      }
    }
    return true;
  }
  void occupy(std::size_t machine, std::size_t start, std::size_t end, const Amounts& demand) {
    for (std::size_t t = start; t < end; ++t) {
      for (std::size_t r = 0; r < kResources; ++r) free[machine][t][r] -= demand[r];
    }
  }
  void commit(std::size_t machine, std::size_t start, std::size_t end, const Amounts& demand) {
    occupy(machine, start, end, demand);
    timelines[machine].reserve(static_cast<Time>(start), static_cast<Time>(end), demand);
  }

  // Places the job at `start` on the lowest machine with room, if there is one.
  bool place_at(std::size_t start, JobSlot job, std::vector<Row>& rows) {
    const auto row = engine.jobs().demand(job);
    const Amounts demand{row[0], row[1]};
    const std::size_t end = start + static_cast<std::size_t>(engine.jobs().processing_time(job));
    for (std::size_t machine = 0; machine < free.size(); ++machine) {
      if (!has_room(machine, start, end, demand)) continue;
      occupy(machine, start, end, demand);
      rows.emplace_back(job, machine, start);
      return true;
    }
    return false;
  }
  // At every instant, one pass over the batch.
  std::vector<Row> scanned() {
    std::vector<Row> rows;
    std::vector<WaitingJob> rest = batch;
    for (std::size_t now = from; !rest.empty(); ++now) {
      std::erase_if(rest, [&](const WaitingJob& job) { return place_at(now, job.job, rows); });
    }
    return rows;
  }
  // Every job in turn at its earliest fit.
  std::vector<Row> listed() {
    std::vector<Row> rows;
    for (const WaitingJob& job : batch) {
      std::size_t now = from;
      while (!place_at(now, job.job, rows)) ++now;
    }
    return rows;
  }

  template <class Place>
  std::vector<Row> placed(const Place& place) {
    Turn turn(engine);
    std::vector<Placement> placements;
    place(batch, static_cast<Time>(from), engine.jobs(), timelines, turn, placements);
    std::vector<Row> rows;
    for (const Placement& p : placements) rows.emplace_back(p.job, p.machine, static_cast<std::size_t>(p.start_time));
    return rows;
  }
  // The timelines show exactly what was committed and placed.
  void expect_reserved() const {
    Amounts out{};
    for (std::size_t machine = 0; machine < free.size(); ++machine) {
      timelines[machine].check_invariants();
      for (std::size_t t = from; t < horizon; ++t) {
        timelines[machine].free_at(static_cast<Time>(t), out);
        ASSERT_EQ(out, free[machine][t]) << "machine " << machine << " at " << t;
      }
    }
  }
};

std::vector<Row> sorted(std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(BatchPlacement, ScanEqualsTheWalkOverEveryInstant) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    Case input(random, {.n_machines = 1 + random() % 3});
    const auto placed = input.placed(place_by_scan);
    ASSERT_EQ(sorted(placed), sorted(input.scanned())) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(input.expect_reserved());
  }
}

TEST(BatchPlacement, ListEqualsTheEarliestFitOfEveryJobInTurn) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 400; ++round) {
    Case input(random, {.n_machines = 1 + random() % 3});
    const auto placed = input.placed(place_in_order);
    ASSERT_EQ(placed, input.listed()) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(input.expect_reserved());
  }
}

// Batches whose jobs have much to tell of each other, and plans long enough to need several blocks of starts.
TEST(BatchPlacement, ListEqualsTheEarliestFitOfEveryJobInTurnForLongBatches) {
  std::mt19937_64 random(4);
  for (const std::size_t n_demands : std::initializer_list<std::size_t>{1, 3, 1000}) {
    for (const std::size_t longest : std::initializer_list<std::size_t>{1, 4, 40}) {
      for (const std::size_t n_machines : std::initializer_list<std::size_t>{1, 2, 5, 20}) {
        Case input(random, {n_machines, 40, 300, n_demands, longest});
        const auto placed = input.placed(place_in_order);
        ASSERT_EQ(placed, input.listed()) << n_demands << " demands, longest " << longest << ", " << n_machines;
        ASSERT_NO_FATAL_FAILURE(input.expect_reserved());
      }
    }
  }
}

TEST(BatchPlacement, AnEmptyBatchChangesNothing) {
  std::mt19937_64 random(3);
  Case input(random, {.n_machines = 2});
  input.batch.clear();
  EXPECT_TRUE(input.placed(place_by_scan).empty());
  EXPECT_TRUE(input.placed(place_in_order).empty());
  input.expect_reserved();
}

}  // namespace
}  // namespace schedcore
