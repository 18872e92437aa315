#include "schedcore/validation/slot_validator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <tuple>
#include <utility>

#include "metrics/slotted_maker.hpp"
#include "schedcore/base/errors.hpp"

namespace schedcore::slot_validator_test {
namespace {

using Kind = SlotViolationKind;

std::optional<SlotViolation> check(SlottedMaker& made, bool complete = true) {
  const SlotTasksView tasks = made.tasks();
  const MachinesView machines = made.machines();
  return find_first_slot_violation(tasks, machines, made.pieces(), complete);
}

// Machines of 4 and 2 cores with 8 and 4 units of memory.  Job 0: 3 cores, 5 memory, 2 slots; job 1, released at 1:
// 2 cores, 4 memory, 3 slots.
SlottedMaker two_jobs(const std::vector<SlottedPiece>& pieces) {
  SlottedMaker made(2, {4, 8, 2, 4});
  made.job(0, 2, {3, 5});
  made.job(1, 3, {2, 4});
  for (const SlottedPiece& piece : pieces) made.piece(piece);
  return made;
}

const std::vector<SlottedPiece> kFeasible{{0, -1, 0, 0, 2, 3}, {1, -1, 1, 1, 4, 2}};

TEST(SlotValidator, AcceptsPiecesThatServeAllWork) {
  SlottedMaker made = two_jobs(kFeasible);
  EXPECT_FALSE(check(made));
  // Job 1 with one core, then on two machines, then done.
  SlottedMaker split = two_jobs({kFeasible[0], {1, -1, 1, 1, 2, 1}, {1, -1, 1, 2, 4, 1}, {1, -1, 0, 2, 4, 1},
                                 {1, -1, 0, 5, 6, 1}});
  EXPECT_FALSE(check(split));
}

TEST(SlotValidator, NamesTheRuleThatAPieceBreaks) {
  const auto broken = [](const SlottedPiece& piece) {
    SlottedMaker made = two_jobs({kFeasible[0], piece});
    const auto violation = check(made);
    return violation ? std::tuple(violation->kind, violation->excess) : std::tuple(Kind::time_not_integer, Amount{-1});
  };
  EXPECT_EQ(broken({2, -1, 1, 1, 4, 2}), std::tuple(Kind::unknown_job, 0));
  EXPECT_EQ(broken({-1, -1, 1, 1, 4, 2}), std::tuple(Kind::unknown_job, 0));
  EXPECT_EQ(broken({1, 0, 1, 1, 4, 2}), std::tuple(Kind::unknown_task, 0));
  EXPECT_EQ(broken({1, -1, 2, 1, 4, 2}), std::tuple(Kind::unknown_machine, 0));
  EXPECT_EQ(broken({1, -1, 1, 4, 4, 2}), std::tuple(Kind::no_progress, 0));
  EXPECT_EQ(broken({1, -1, 1, 1, 4, 0}), std::tuple(Kind::no_cores, 0));
  EXPECT_EQ(broken({1, -1, 1, 0, 3, 2}), std::tuple(Kind::start_before_release, 1));
  EXPECT_EQ(broken({1, -1, 1, 1, 4, 5}), std::tuple(Kind::demand_exceeded, 3));
  EXPECT_EQ(broken({1, -1, 0, 1, 4, 2}), std::tuple(Kind::capacity_exceeded, 1));  // cores
  EXPECT_EQ(broken({1, -1, 0, 1, 4, 1}), std::tuple(Kind::capacity_exceeded, 1));  // memory
  EXPECT_EQ(broken({0, -1, 0, 1, 3, 1}), std::tuple(Kind::piece_overlaps, 1));
  EXPECT_EQ(broken({1, -1, 1, 1, 5, 2}), std::tuple(Kind::work_exceeded, 2));
  EXPECT_EQ(broken({1, -1, 1, 1, 3, 2}), std::tuple(Kind::work_missing, 2));
}

TEST(SlotValidator, AsksForAllWorkOfCompleteSchedulesAlone) {
  SlottedMaker made = two_jobs({kFeasible[0], {1, -1, 1, 1, 3, 2}});
  EXPECT_FALSE(check(made, false));
  EXPECT_EQ(check(made)->job, 1);
  SlottedMaker nothing = two_jobs({});
  EXPECT_FALSE(check(nothing, false));
  EXPECT_EQ(check(nothing)->excess, 6);
}

TEST(SlotValidator, RefusesUnsortedPiecesAndTimesBetweenSlots) {
  const std::vector<std::int64_t> job{0, 0}, task{-1, -1}, machine{0, 0};
  const std::vector<Time> later_first{1, 0}, ends{2, 1}, halves{0, 0.5};
  const std::vector<Amount> cores{3, 3};
  SlottedMaker made = two_jobs({});
  const SlotTasksView tasks = made.tasks();
  const MachinesView machines = made.machines();
  EXPECT_THROW((void)find_first_slot_violation(tasks, machines, {job, task, machine, later_first, ends, cores}, false),
               InvalidInstanceError);
  const auto violation = find_first_slot_violation(tasks, machines, {job, task, machine, halves, ends, cores}, false);
  EXPECT_EQ(std::tuple(violation->kind, violation->instant), std::tuple(Kind::time_not_integer, 0.5));
}

TEST(SlotValidator, FollowsStretchesOfAThousandMillionSlotsExactly) {
  constexpr Slot kLong = 1'000'000'000;
  SlottedMaker made(1, {9'000'000});
  made.job(5, kLong, {9'000'000});  // 9e15 core-slots, just below 2^53
  made.piece({0, -1, 0, 5, 5 + kLong, 8'999'999});
  made.piece({0, -1, 0, 5 + kLong, 6 + kLong + 111, 8'928'571});
  EXPECT_EQ(check(made)->kind, Kind::work_missing);  // 1e9 are left, 112 slots of 8928571 are 48 less
  EXPECT_EQ(check(made)->excess, 48);
  made.piece({0, -1, 0, 6 + kLong + 111, 7 + kLong + 111, 48});
  EXPECT_FALSE(check(made));
  made.list().back().cores = 49;
  const auto violation = check(made);
  EXPECT_EQ(std::tuple(violation->kind, violation->instant, violation->excess),
            std::tuple(Kind::work_exceeded, static_cast<Time>(6 + kLong + 111), 1));
}

TEST(SlotValidator, LetsAJobHoldWhatTheSchedulerBelievesItCanUse) {
  // 5 cores, thought to be 9, for 2 slots: 10 core-slots.  Held 9: 5 + 5 work.  Held 4: 4 + 4 + 2, since 2 left are
  // thought to be ceil(2 * 9 / 5) = 4.
  const auto made = [](std::vector<SlottedPiece> pieces) {
    SlottedMaker m(1, {20});
    m.job(0, 2, {5});
    m.believe({9});
    for (const SlottedPiece& piece : pieces) m.piece(piece);
    return m;
  };
  SlottedMaker all = made({{0, -1, 0, 0, 2, 9}});
  EXPECT_FALSE(check(all));
  SlottedMaker four = made({{0, -1, 0, 0, 3, 4}});
  EXPECT_FALSE(check(four));
  SlottedMaker too_many = made({{0, -1, 0, 0, 2, 4}, {0, -1, 0, 2, 3, 5}});
  EXPECT_EQ(std::tuple(check(too_many)->kind, check(too_many)->instant, check(too_many)->excess),
            std::tuple(Kind::work_exceeded, 2.0, 1));
  SlottedMaker too_long = made({{0, -1, 0, 0, 3, 9}});
  EXPECT_EQ(std::tuple(check(too_long)->kind, check(too_long)->instant, check(too_long)->excess),
            std::tuple(Kind::work_exceeded, 2.0, 9));
  SlottedMaker ten = made({{0, -1, 0, 0, 2, 10}});
  EXPECT_EQ(check(ten)->kind, Kind::demand_exceeded);
}

TEST(SlotValidator, LetsReduceTasksWaitForAllMapWork) {
  // Two map tasks of 2 cores x 2 slots, one reduce task of 1 core x 1 slot.
  const auto kind = [](std::vector<SlottedPiece> pieces) {
    SlottedMaker m(1, {8, 8});
    m.map_reduce(0, 2, 2, 2, 1, 1, 1);
    for (const SlottedPiece& piece : pieces) m.piece(piece);
    const auto violation = check(m);
    return violation ? std::optional(violation->kind) : std::nullopt;
  };
  EXPECT_EQ(kind({{0, 0, 0, 0, 2, 2}, {0, 1, 0, 0, 2, 1}, {0, 1, 1, 0, 2, 1}, {0, 2, 0, 2, 3, 1}}), std::nullopt);
  EXPECT_EQ(kind({{0, 0, 0, 0, 2, 2}, {0, 1, 0, 1, 3, 2}, {0, 2, 0, 2, 3, 1}}), Kind::reduce_before_map);
  EXPECT_EQ(kind({{0, 0, 0, 0, 2, 2}, {0, 2, 0, 2, 3, 1}}), Kind::reduce_before_map);
  EXPECT_EQ(kind({{0, 0, 0, 0, 2, 2}, {0, 1, 0, 0, 2, 2}, {0, 2, 0, 2, 3, 1}, {0, 3, 0, 2, 3, 1}}), Kind::unknown_task);
  EXPECT_EQ(kind({{0, 0, 0, 0, 2, 2}, {0, 1, 0, 0, 2, 2}}), Kind::work_missing);
}

// The definition of the header, slot by slot.
std::optional<SlotViolation> literal_check(SlottedMaker& made, bool complete) {
  const SlotTasksView tasks = made.tasks();
  const MachinesView machines = made.machines();
  (void)made.pieces();  // sorts the list
  const std::vector<SlottedPiece>& pieces = made.list();
  const auto row_of = [&](const SlottedPiece& p) { return tasks.row_of(static_cast<std::size_t>(p.job), p.task); };
  const auto cores_in = [&](std::size_t row, Slot slot, std::size_t n_visited) {  // slot is [slot - 1, slot)
    Amount cores = 0;
    for (std::size_t i = 0; i < n_visited; ++i) {
      if (row_of(pieces[i]) == row && pieces[i].start < slot && slot <= pieces[i].end) cores += pieces[i].cores;
    }
    return cores;
  };
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    const SlottedPiece& p = pieces[n];
    const auto found = [&](Kind kind, std::int64_t excess = 0, std::size_t resource = 0) {
      return SlotViolation{kind, p.job, p.task, p.machine, static_cast<Time>(p.start), resource, excess};
    };
    const auto job = static_cast<std::size_t>(p.job);
    if (job >= tasks.n_jobs()) return found(Kind::unknown_job);
    if (!tasks.has_task(job, p.task)) return found(Kind::unknown_task);
    if (static_cast<std::size_t>(p.machine) >= machines.n_machines) return found(Kind::unknown_machine);
    if (p.end <= p.start) return found(Kind::no_progress);
    if (p.cores < 1) return found(Kind::no_cores);
    if (p.start < tasks.release_time[job]) return found(Kind::start_before_release, tasks.release_time[job] - p.start);
    if (tasks.is_reduce(job, p.task)) {
      bool ready = true;
      for (std::int64_t task = 0; task < tasks.map_tasks[job]; ++task) {
        Amount left = tasks.work_of(tasks.row_of(job, task));
        for (Slot slot = 1; slot <= p.start; ++slot) left -= cores_in(tasks.row_of(job, task), slot, n);
        if (left > 0) ready = false;
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (pieces[i].job == p.job && !tasks.is_reduce(job, pieces[i].task) && pieces[i].end > p.start) ready = false;
      }
      if (!ready) return found(Kind::reduce_before_map);
    }
    const auto believed = tasks.believed_demand_of(row_of(p));
    Amount held = p.cores;
    std::vector<Amount> used(machines.n_resources);
    for (std::size_t l = 0; l < used.size(); ++l) used[l] = l == 0 ? p.cores : believed[l];
    for (std::size_t i = 0; i < n; ++i) {
      const SlottedPiece& q = pieces[i];
      if (q.end <= p.start) continue;
      if (row_of(q) == row_of(p)) {
        if (q.machine == p.machine) return found(Kind::piece_overlaps, std::min(q.end, p.end) - p.start);
        held += q.cores;
      }
      if (q.machine != p.machine) continue;
      for (std::size_t l = 0; l < used.size(); ++l) {
        used[l] += l == 0 ? q.cores : tasks.believed_demand_of(row_of(q))[l];
      }
    }
    if (held > believed[0]) return found(Kind::demand_exceeded, held - believed[0]);
    for (std::size_t l = 0; l < used.size(); ++l) {
      const Amount capacity = machines.capacity_of(static_cast<std::size_t>(p.machine))[l];
      if (used[l] > capacity) return found(Kind::capacity_exceeded, used[l] - capacity, l);
    }
  }
  std::vector<Amount> left;
  std::vector<std::pair<std::int64_t, std::int64_t>> name;
  for (std::size_t job = 0; job < tasks.n_jobs(); ++job) {
    for (std::size_t row = tasks.first_row(job); row < tasks.end_row(job); ++row) {
      left.push_back(tasks.work_of(row));
      name.emplace_back(job, tasks.has_tasks() ? static_cast<std::int64_t>(row - tasks.first_row(job)) : -1);
    }
  }
  for (Slot slot = 1; slot <= 40; ++slot) {
    for (std::size_t row = 0; row < left.size(); ++row) {
      const Amount held = cores_in(row, slot, pieces.size());
      const Amount d = tasks.cores_of(row), believed = tasks.believed_demand_of(row)[0];
      const Amount limit = std::min(believed, (left[row] * believed + d - 1) / d);
      if (held > limit) {
        return SlotViolation{Kind::work_exceeded, name[row].first, name[row].second, -1, static_cast<Time>(slot - 1), 0,
                             held - limit};
      }
      left[row] -= std::min({held, d, left[row]});
    }
  }
  for (std::size_t row = 0; complete && row < left.size(); ++row) {
    if (left[row] > 0) {
      return SlotViolation{Kind::work_missing, name[row].first, name[row].second, -1, 0, 0, left[row]};
    }
  }
  return std::nullopt;
}

// A schedule that gives cores slot by slot, nearly always within the rules, and is then merged into pieces.
SlottedMaker random_schedule(std::mt19937_64& random) {
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  const bool has_tasks = draw(0, 2) == 0, has_estimates = !has_tasks && draw(0, 1) == 0;
  const std::size_t n_resources = has_tasks ? 1 : static_cast<std::size_t>(draw(1, 2)), n_machines = 2;
  std::vector<Amount> capacity(n_machines * n_resources);
  for (Amount& amount : capacity) amount = draw(3, 8);
  SlottedMaker made(n_resources, capacity);
  for (int job = 0; job < 3; ++job) {
    if (has_tasks) {
      made.map_reduce(draw(0, 3), draw(1, 2), draw(1, 3), draw(1, 3), draw(0, 2), draw(1, 3), draw(1, 2));
      continue;
    }
    std::vector<Amount> demand(n_resources), believed(n_resources);
    for (Amount& amount : demand) amount = draw(1, 5);
    for (Amount& amount : believed) amount = draw(1, 6);
    made.job(draw(0, 3), draw(1, 5), demand);
    if (has_estimates) made.believe(believed);
  }
  const SlotTasksView tasks = made.tasks();
  std::vector<Amount> left(tasks.n_rows());
  for (std::size_t row = 0; row < left.size(); ++row) left[row] = tasks.work_of(row);
  std::map<std::tuple<std::size_t, std::size_t>, SlottedPiece> open;  // by row and machine
  const int sloppy = static_cast<int>(draw(0, 2));
  for (Slot slot = 1; slot <= 30; ++slot) {
    std::vector<Amount> free = capacity;
    for (std::size_t job = 0; job < tasks.n_jobs(); ++job) {
      bool maps_done = true;
      for (std::size_t row = tasks.first_row(job); row < tasks.end_row(job); ++row) {
        const auto task = has_tasks ? static_cast<std::int64_t>(row - tasks.first_row(job)) : -1;
        const Amount d = tasks.cores_of(row), believed = tasks.believed_demand_of(row)[0];
        Amount limit = std::min(believed, (left[row] * believed + d - 1) / d);
        if (sloppy == 1 && draw(0, 40) == 0) ++limit;
        const bool may_run = slot > tasks.release_time[job] && (!tasks.is_reduce(job, task) || maps_done);
        if (!may_run && !(sloppy == 1 && draw(0, 60) == 0)) limit = 0;
        Amount held = 0;
        for (std::size_t machine = 0; machine < n_machines; ++machine) {
          Amount* room = &free[machine * n_resources];
          Amount cores = draw(0, 3) == 0 ? 0 : std::min({limit - held, room[0], draw(1, 6)});
          if (n_resources == 2 && tasks.believed_demand_of(row)[1] > room[1]) cores = 0;
          if (sloppy == 2 && draw(0, 200) == 0) ++cores;
          const auto key = std::tuple(row, machine);
          const auto old = open.find(key);
          if (old != open.end() && (old->second.cores != cores || draw(0, 5) == 0)) {
            made.piece(old->second);
            open.erase(old);
          }
          if (cores > 0) {
            const auto [now, is_new] = open.try_emplace(
                key, SlottedPiece{static_cast<std::int64_t>(job), task, static_cast<std::int64_t>(machine), slot - 1,
                                  slot, cores});
            now->second.end = slot;
            if (n_resources == 2) room[1] -= tasks.believed_demand_of(row)[1];
          }
          held += cores;
          room[0] -= cores;
        }
        if (!tasks.is_reduce(job, task)) maps_done = maps_done && left[row] == 0;
        left[row] -= std::min({held, d, left[row]});
      }
    }
  }
  for (const auto& [key, piece] : open) made.piece(piece);
  if (draw(0, 3) == 0 && !made.list().empty()) {
    SlottedPiece& victim = made.list()[static_cast<std::size_t>(draw(0, std::ssize(made.list()) - 1))];
    switch (draw(0, 6)) {
      case 0: victim.job += draw(-1, 1); break;
      case 1: victim.task += draw(-1, 1); break;
      case 2: victim.machine += draw(-1, 1); break;
      case 3: victim.end += draw(-2, 2); break;
      case 4: victim.start = std::max<Slot>(0, victim.start + draw(-2, 2)); break;
      case 5: victim.cores += draw(-1, 1); break;
      default: victim = made.list().back(); made.list().pop_back();
    }
  }
  return made;
}

TEST(SlotValidator, EqualsTheDefinitionSlotBySlot) {
  std::mt19937_64 random(7);
  std::array<int, 13> seen{};
  int n_feasible = 0;
  for (int round = 0; round < 12000; ++round) {
    SlottedMaker made = random_schedule(random);
    for (const bool complete : {true, false}) {
      const auto actual = check(made, complete), expected = literal_check(made, complete);
      ASSERT_EQ(actual.has_value(), expected.has_value()) << round;
      if (!actual) {
        ++n_feasible;
        continue;
      }
      ++seen[static_cast<std::size_t>(actual->kind)];
      ASSERT_EQ(actual->kind, expected->kind) << round;
      ASSERT_EQ(std::tuple(actual->job, actual->task, actual->machine, actual->instant),
                std::tuple(expected->job, expected->task, expected->machine, expected->instant));
      ASSERT_EQ(std::tuple(actual->resource, actual->excess), std::tuple(expected->resource, expected->excess));
    }
  }
  EXPECT_GT(n_feasible, 8000);
  for (std::size_t kind = 1; kind < seen.size(); ++kind) EXPECT_GT(seen[kind], 20) << kind;
}

}  // namespace
}  // namespace schedcore::slot_validator_test
