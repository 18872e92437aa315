#include "schedcore/preemptive/piece_recorder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace schedcore {
namespace {

struct Columns {
  std::vector<std::int64_t> job, task, machine, amount;
  std::vector<double> start, end;
};

Columns columns_of(PieceRecorder& recorder) {
  recorder.finish();
  const std::size_t n = recorder.n_pieces();
  Columns columns{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n), std::vector<std::int64_t>(n),
                  std::vector<std::int64_t>(n), std::vector<double>(n), std::vector<double>(n)};
  recorder.take_job(columns.job);
  recorder.take_task(columns.task);
  recorder.take_machine(columns.machine);
  recorder.take_amount(columns.amount);
  recorder.take_times(columns.start, columns.end);
  return columns;
}

TEST(PieceRecorder, KeepsAPieceOpenWhileNothingChanges) {
  PieceRecorder recorder;
  recorder.record(1, std::vector<SlotPiece>{{0, 0, 1, 2}, {3, 0, 0, 1}});
  recorder.record(2, std::vector<SlotPiece>{{0, 0, 1, 2}, {2, 0, 0, 4}, {3, 0, 0, 2}});
  recorder.extend(5);
  recorder.record(8, std::vector<SlotPiece>{{0, 0, 1, 2}});
  recorder.record(10, std::vector<SlotPiece>{{0, 0, 1, 2}});
  const Columns columns = columns_of(recorder);
  EXPECT_EQ(columns.job, (std::vector<std::int64_t>{0, 3, 2, 3, 0}));
  EXPECT_EQ(columns.task, std::vector<std::int64_t>(5, -1));
  EXPECT_EQ(columns.machine, (std::vector<std::int64_t>{1, 0, 0, 0, 1}));
  EXPECT_EQ(columns.amount, (std::vector<std::int64_t>{2, 1, 4, 2, 2}));
  EXPECT_EQ(columns.start, (std::vector<double>{0, 0, 1, 1, 9}));
  EXPECT_EQ(columns.end, (std::vector<double>{8, 1, 7, 7, 10}));
}

TEST(PieceRecorder, HoldsLengthsAndAmountsBeyond32Bits) {
  const Amount many = Amount{1} << 52;
  PieceRecorder recorder(true);
  recorder.record(1, std::vector<SlotPiece>{{0, 7, 0, many}});
  recorder.extend(Slot{1} << 50);
  const Columns columns = columns_of(recorder);
  EXPECT_EQ(columns.task, std::vector<std::int64_t>{7});
  EXPECT_EQ(columns.amount, std::vector<std::int64_t>{many});
  EXPECT_EQ(columns.end, std::vector<double>{static_cast<double>((Slot{1} << 50) + 1)});
}

TEST(PieceRecorder, SaysForEverySlotWhatWasRecordedAndIsSorted) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // slot, job, task, machine
    std::map<Place, Amount> recorded;
    PieceRecorder recorder(true);
    std::vector<SlotPiece> pieces;
    for (Slot slot = 1 + static_cast<Slot>(random() % 3); slot < 30; slot += random() % 8 == 0 ? 2 : 1) {
      if (random() % 2 == 0) {
        pieces.clear();
        for (std::uint32_t job = 0; job < 3; ++job)
          for (std::uint32_t task = 0; task < 2; ++task)
            for (std::uint32_t machine = 0; machine < 2; ++machine)
              if (random() % 3 != 0) pieces.push_back({job, task, machine, 1 + static_cast<Amount>(random() % 2)});
      }
      recorder.record(slot, pieces);
      for (const SlotPiece& p : pieces) recorded[{slot, p.job, p.task, p.machine}] = p.cores;
    }
    const Columns columns = columns_of(recorder);
    std::map<Place, Amount> told;
    for (std::size_t i = 0; i < columns.job.size(); ++i) {
      for (Slot slot = static_cast<Slot>(columns.start[i]) + 1; slot <= static_cast<Slot>(columns.end[i]); ++slot)
        ASSERT_TRUE(told.emplace(Place{slot, columns.job[i], columns.task[i], columns.machine[i]}, columns.amount[i])
                        .second);
      if (i == 0) continue;
      const auto key = [&](std::size_t j) {
        return std::tuple(columns.start[j], columns.job[j], columns.task[j], columns.machine[j]);
      };
      ASSERT_LT(key(i - 1), key(i));
    }
    ASSERT_EQ(told, recorded);
  }
}

}  // namespace
}  // namespace schedcore
