#include "schedcore/preemptive/slot_packing.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "preemptive/plain_packing.hpp"

namespace schedcore {
namespace {

using Pieces = std::vector<CorePiece>;

TEST(SlotPacking, SplitsWhatFitsNowhereWhole) {
  SlotPacking packing(std::vector<Amount>{8, 4, 4});
  Pieces pieces;
  // Row 0 takes machine 0, row 2 machine 1; 2, 1, 4 cores are free for row 1, then the cut row gets the rest.
  packing.pack(std::vector<Amount>{6, 5, 3, 2}, 3, {}, pieces);
  EXPECT_EQ(pieces, (Pieces{{0, 0, 6}, {1, 0, 2}, {1, 1, 1}, {1, 2, 2}, {2, 1, 3}, {3, 2, 2}}));
  // Machine 0 keeps 3 cores after row 0, machines 1 and 2 are empty; rows 1 and 2 are split, the cut row comes last.
  packing.pack(std::vector<Amount>{5, 5, 5, 1}, 3, {}, pieces);
  EXPECT_EQ(pieces, (Pieces{{0, 0, 5}, {1, 0, 3}, {1, 1, 2}, {2, 1, 2}, {2, 2, 3}, {3, 2, 1}}));
}

TEST(SlotPacking, StickyRowsStayAndGrowInPlace) {
  SlotPacking packing(std::vector<Amount>{4, 4});
  Pieces pieces;
  // Both rows keep their two cores on machine 1; the core that row 0 wants more is free on machine 0.
  packing.pack(std::vector<Amount>{3, 2}, kNoRow, Pieces{{0, 1, 2}, {1, 1, 2}}, pieces);
  EXPECT_EQ(pieces, (Pieces{{0, 0, 1}, {0, 1, 2}, {1, 1, 2}}));
  // Kept and placed whole on the same machine: one piece.
  packing.pack(std::vector<Amount>{0, 3}, kNoRow, Pieces{{0, 0, 4}, {1, 0, 1}}, pieces);
  EXPECT_EQ(pieces, (Pieces{{1, 0, 3}}));
}

TEST(SlotPacking, NothingToPlaceLeavesEverythingFree) {
  SlotPacking packing(std::vector<Amount>{2, 3});
  Pieces pieces{{0, 0, 1}};
  packing.pack({}, kNoRow, {}, pieces);
  EXPECT_TRUE(pieces.empty());
  EXPECT_EQ(std::vector<Amount>(packing.free_cores().begin(), packing.free_cores().end()), (std::vector<Amount>{2, 3}));
}

TEST(SlotPacking, EqualsThePlainSteps) {
  std::mt19937_64 random(7);
  const auto draw = [&](Amount from, Amount to) { return std::uniform_int_distribution<Amount>(from, to)(random); };
  for (int round = 0; round < 2000; ++round) {
    const Amount unit = round % 5 == 0 ? Amount{1} << 40 : 1;  // amounts that are sorted by comparing, too
    const auto n_machines = static_cast<std::size_t>(draw(1, 6));
    std::vector<Amount> capacity(n_machines);
    for (Amount& cores : capacity) cores = draw(1, 9) * unit + (unit > 1 ? draw(0, 3) : 0);
    SlotPacking packing(capacity);
    Pieces previous;
    for (int slot = 0; slot < 4; ++slot) {
      Amount room = std::reduce(capacity.begin(), capacity.end(), Amount{0});
      std::vector<Amount> cores(static_cast<std::size_t>(draw(0, 12)));
      std::size_t cut = kNoRow;
      for (std::size_t row = 0; row < cores.size(); ++row) {
        if (draw(0, 3) == 0) continue;
        cores[row] = draw(1, draw(1, 12)) * unit;
        if (cores[row] >= room) cores[row] = room;
        if (room > 0 && cores[row] == room) cut = row;
        room -= cores[row];
      }
      std::erase_if(previous, [&](const CorePiece& piece) { return piece.row >= cores.size(); });
      for (const bool sticky : {false, true}) {
        const Pieces before = sticky ? previous : Pieces{};
        Pieces pieces;
        packing.pack(cores, cut, before, pieces);
        ASSERT_EQ(pieces, testing::plain_packing(capacity, cores, cut, before));
        std::vector<Amount> free = capacity;
        for (const CorePiece& piece : pieces) free[piece.machine] -= piece.cores;
        ASSERT_TRUE(std::ranges::equal(free, packing.free_cores()));
        if (sticky) previous = pieces;
      }
    }
  }
}

// After the step "whole" nothing that is left fits anywhere: a machine gets the tail of one row, the head of the next.
TEST(SlotPacking, AtMostTwoPartialPiecesAMachine) {
  std::mt19937_64 random(8);
  const auto draw = [&](Amount from, Amount to) { return std::uniform_int_distribution<Amount>(from, to)(random); };
  for (int round = 0; round < 500; ++round) {
    std::vector<Amount> capacity(static_cast<std::size_t>(draw(1, 30)));
    for (Amount& cores : capacity) cores = 16 << draw(0, 2);
    Amount room = std::reduce(capacity.begin(), capacity.end(), Amount{0});
    std::vector<Amount> cores;
    while (room > 0) {
      cores.push_back(std::min(draw(1, round % 2 == 0 ? 16 : 150), room));
      room -= cores.back();
    }
    SlotPacking packing(capacity);
    Pieces pieces;
    packing.pack(cores, cores.size() - 1, {}, pieces);
    std::vector<int> partial(capacity.size());
    for (const CorePiece& piece : pieces) partial[piece.machine] += piece.cores < cores[piece.row] ? 1 : 0;
    EXPECT_LE(*std::ranges::max_element(partial), 2);
  }
}

}  // namespace
}  // namespace schedcore
