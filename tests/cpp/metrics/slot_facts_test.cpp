#include "schedcore/metrics/slot_facts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "metrics/slotted_maker.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/metrics/work_curves.hpp"

namespace schedcore {
namespace {

using Counts = std::vector<std::int64_t>;

SlotFacts facts_of(SlottedMaker& made, int k, Slot end_of_run = 0) {
  const SlotTasksView tasks = made.tasks();
  const SlotPiecesView pieces = made.pieces();
  require_measurable(tasks, made.n_machines(), pieces);
  return slot_facts(tasks, pieces, k, end_of_run);
}

TEST(SlotFacts, AddUpTheFractionalFlowTimeOfThreeJobsThatShareAMachine) {
  // Rates 1/3 each in slots 1-3, 1/2 for jobs 1 and 2 in slots 4-5, 1 for job 2 in slot 6.
  SlottedMaker made(1, {60});
  for (Slot time : {1, 2, 3}) made.job(0, time, {54});
  for (std::int64_t job : {0, 1, 2}) made.piece({job, -1, 0, 0, 3, 18});
  for (std::int64_t job : {1, 2}) made.piece({job, -1, 0, 3, 5, 27});
  made.piece({2, -1, 0, 5, 6, 54});
  const SlotFacts facts = facts_of(made, 1);
  EXPECT_NEAR(facts.fractional[0], 3, 1e-15);
  EXPECT_NEAR(facts.fractional[1], 21 / 4., 1e-15);
  EXPECT_NEAR(facts.fractional[2], 43 / 6., 1e-15);
  EXPECT_EQ(facts.completion_time, (std::vector<double>{3, 5, 6}));
  EXPECT_EQ(facts.preemptions, (Counts{0, 0, 0}));
}

TEST(SlotFacts, CountInterruptionsAndMovesByTheSetsOfMachines) {
  SlottedMaker made(1, {8, 8, 8});
  made.job(1, 20, {2});
  made.piece({0, -1, 0, 3, 4, 1});  // a gap of 2 since the release
  made.piece({0, -1, 1, 3, 4, 1});
  made.piece({0, -1, 1, 4, 6, 1});  // a subset of {0, 1}: no move
  made.piece({0, -1, 0, 5, 6, 1});  // machine 0 is not in {1}: a live move
  made.piece({0, -1, 0, 9, 10, 1});  // interrupted for 3 slots, back on a machine of the last slot
  made.piece({0, -1, 2, 12, 13, 1});  // interrupted for 2 slots, and moved
  made.piece({0, -1, 2, 13, 14, 2});  // more cores: nothing
  SlotFacts facts = facts_of(made, 1);
  EXPECT_EQ(facts.preemptions, Counts{2});
  EXPECT_EQ(facts.migrations, Counts{2});
  EXPECT_EQ(facts.live_migrations, Counts{1});
  EXPECT_EQ(facts.max_gap, Counts{3});
  EXPECT_TRUE(std::isinf(facts.completion_time[0]));
  facts = facts_of(made, 1, 19);  // the run went on for 5 slots without the job
  EXPECT_EQ(facts.preemptions, Counts{3});
  EXPECT_EQ(facts.max_gap, Counts{5});
}

TEST(SlotFacts, CountTasksOneByOneAndGapsOfTheWholeJob) {
  // Two map tasks of 1 core x 2 slots take turns, the reduce task of 1 x 1 follows: no slot of the job is empty.
  SlottedMaker made(1, {1, 1});
  made.map_reduce(0, 2, 1, 2, 1, 1, 1);
  made.piece({0, 0, 0, 0, 1, 1});
  made.piece({0, 1, 0, 1, 2, 1});
  made.piece({0, 0, 1, 2, 3, 1});  // interrupted, moved
  made.piece({0, 1, 0, 3, 4, 1});  // interrupted
  made.piece({0, 2, 0, 4, 5, 1});
  const SlotFacts facts = facts_of(made, 1);
  EXPECT_EQ(facts.preemptions, Counts{2});
  EXPECT_EQ(facts.migrations, Counts{1});
  EXPECT_EQ(facts.live_migrations, Counts{0});
  EXPECT_EQ(facts.max_gap, Counts{0});
  EXPECT_EQ(facts.completion_time, std::vector<double>{5});
  // (2 t + 3) / (2 * 2 * 2) in slots 1-4, (2 * 5 + 3) / 2 in slot 5
  EXPECT_NEAR(facts.fractional[0], (5 + 7 + 9 + 11) / 8. + 13 / 2., 1e-15);
}

TEST(SlotFacts, LetSuperfluousCoresDoNothing) {
  SlottedMaker made(1, {20});
  made.job(0, 2, {5});
  made.believe({9});
  made.piece({0, -1, 0, 0, 1, 4});
  made.piece({0, -1, 0, 1, 3, 9});  // 4 + 5 + 1 core-slots
  const SlotFacts facts = facts_of(made, 1);
  EXPECT_EQ(facts.completion_time, std::vector<double>{3});
  EXPECT_NEAR(facts.fractional[0], .8 * (.5 + 1) + 1 * (1 + 1) + .2 * (1.5 + 1), 1e-15);
}

TEST(SlotFacts, DoNotDependOnHowPiecesAreCut) {
  constexpr Slot kLong = 300'000;
  for (const int k : {1, 2, 3, 7}) {
    SlottedMaker whole(1, {1}), cut(1, {1});
    for (SlottedMaker* made : {&whole, &cut}) made->job(17, kLong, {1});
    whole.piece({0, -1, 0, 17, 17 + kLong, 1});
    for (Slot start = 17; start < 17 + kLong; start += 3) cut.piece({0, -1, 0, start, start + 3, 1});
    const SlotFacts once = facts_of(whole, k), often = facts_of(cut, k);
    EXPECT_NEAR(often.fractional[0] / once.fractional[0], 1, 1e-14) << k;
    EXPECT_EQ(often.preemptions, Counts{0});
    EXPECT_EQ(often.migrations, Counts{0});
  }
}

TEST(SlotFacts, RememberMachinesOfManyTasksAtATime) {
  // 3000 jobs alternate between two slots on and one off, on the same machine in odd rounds only.
  SlottedMaker made(1, {100000, 100000});
  constexpr std::int64_t kJobs = 3000, kRounds = 7;
  for (std::int64_t job = 0; job < kJobs; ++job) made.job(0, 2 * kRounds, {1});
  for (std::int64_t round = 0; round < kRounds; ++round) {
    for (std::int64_t job = 0; job < kJobs; ++job) made.piece({job, -1, round / 2 % 2, 3 * round, 3 * round + 2, 1});
  }
  const SlotFacts facts = facts_of(made, 1);
  EXPECT_EQ(facts.preemptions, Counts(kJobs, kRounds - 1));
  EXPECT_EQ(facts.migrations, Counts(kJobs, 3));  // in rounds 2, 4 and 6
  EXPECT_EQ(facts.live_migrations, Counts(kJobs, 0));
}

TEST(SlotFacts, RefuseWhatCannotBeMeasured) {
  const auto refuses = [](const SlottedPiece& piece) {
    SlottedMaker made(1, {4});
    made.job(2, 3, {2});
    made.piece(piece);
    EXPECT_THROW(facts_of(made, 1), InvalidInstanceError);
  };
  refuses({1, -1, 0, 2, 3, 1});
  refuses({-1, -1, 0, 2, 3, 1});
  refuses({0, 0, 0, 2, 3, 1});
  refuses({0, -1, 1, 2, 3, 1});
  refuses({0, -1, 0, 1, 3, 1});
  refuses({0, -1, 0, 3, 3, 1});
  refuses({0, -1, 0, 2, 3, 0});
}

}  // namespace
}  // namespace schedcore
