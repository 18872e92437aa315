#include "schedcore/parallel_tasks/shift_left.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "parallel_tasks/parallel_task_maker.hpp"

namespace schedcore {
namespace {

using Pieces = std::vector<TaskPiece>;

Pieces shifted_pieces(const ParallelTasksView& tasks, const Pieces& pieces) {
  return shift_left(tasks, measured(pieces));
}

// The definition: every candidate start, compared with every piece already placed.
Pieces plain_shift_left(const ParallelTasksView& tasks, Pieces pieces) {
  const auto order = [](const TaskPiece& p) { return std::tie(p.start, p.task, p.machine); };
  for (bool merged = true; merged;) {
    merged = false;
    for (std::size_t a = 0; a < pieces.size() && !merged; ++a) {
      for (std::size_t b = 0; b < pieces.size() && !merged; ++b) {
        if (pieces[a].task != pieces[b].task || pieces[a].machine != pieces[b].machine) continue;
        if (pieces[a].end != pieces[b].start) continue;
        pieces[a].end = pieces[b].end;
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(b));
        merged = true;
      }
    }
  }
  std::sort(pieces.begin(), pieces.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  Pieces placed;
  for (const TaskPiece& piece : pieces) {
    std::vector<Time> candidates{tasks.release_time[tasks.job_of(piece.task)]};
    for (const TaskPiece& other : placed) {
      if (other.machine == piece.machine || other.task == piece.task) candidates.push_back(other.end);
    }
    std::sort(candidates.begin(), candidates.end());
    TaskPiece moved = piece;
    for (const Time start : candidates) {
      if (start < tasks.release_time[tasks.job_of(piece.task)] || start >= piece.start) continue;
      Pieces with = placed;
      with.push_back({piece.task, piece.machine, start, start + (piece.end - piece.start)});
      if (!is_feasible(tasks, with)) continue;
      moved = with.back();
      break;
    }
    placed.push_back(moved);
  }
  return placed;
}

// Pieces with integer times put one after the other where they fit, some of them later than need be.
Pieces random_pieces(std::mt19937_64& random, const ParallelTasksView& tasks) {
  Pieces pieces;
  for (std::size_t round = 0; round < 2; ++round) {
    for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
      for (std::size_t at = tasks.first_placement(task); at < tasks.first_placement(task + 1); ++at) {
        if (random() % 3 == 0) continue;
        const auto length = static_cast<Time>(1 + random() % 4);
        TaskPiece piece{task, tasks.machine_of(at), static_cast<Time>(random() % 30), 0};
        for (;; ++piece.start) {
          piece.end = piece.start + length;
          pieces.push_back(piece);
          if (is_feasible(tasks, pieces)) break;
          pieces.pop_back();
        }
      }
    }
  }
  return pieces;
}

std::map<std::size_t, Time> completions(const ParallelTasksView& tasks, const Pieces& pieces) {
  std::map<std::size_t, Time> end;
  for (const TaskPiece& piece : pieces) {
    Time& own = end[tasks.job_of(piece.task)];
    own = std::max(own, piece.end);
  }
  return end;
}

TEST(ShiftLeft, EqualsTheDefinitionOnIntegerTimes) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    ParallelTaskMaker made = random_parallel_tasks(random, 1 + random() % 5, 1 + random() % 3, 1 + random() % 2);
    const ParallelTasksView tasks = made.view();
    const Pieces pieces = random_pieces(random, tasks);
    const Pieces shifted = shifted_pieces(tasks, pieces);
    ASSERT_EQ(shifted, plain_shift_left(tasks, pieces)) << "round " << round;
    ASSERT_TRUE(is_feasible(tasks, shifted));
  }
}

TEST(ShiftLeft, ScalingAllTimesScalesTheScheduleAndNothingOverlapsOrEndsLater) {
  // Thirds and sevenths: gaps that a piece fills exactly look too short to doubles, or too long.
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    ParallelTaskMaker made = random_parallel_tasks(random, 1 + random() % 5, 1 + random() % 3, 1);
    const ParallelTasksView tasks = made.view();
    const Pieces pieces = random_pieces(random, tasks);
    const double scale = round % 2 == 0 ? 0.3 : 7;
    const auto scaled = [&](Pieces all) {
      for (TaskPiece& piece : all) {
        piece.start /= scale;
        piece.end /= scale;
      }
      return all;
    };
    const Pieces expected = scaled(shifted_pieces(tasks, pieces));
    const Pieces found = shifted_pieces(tasks, scaled(pieces));
    ASSERT_TRUE(is_feasible(tasks, found)) << "round " << round;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].task, expected[i].task);
      EXPECT_NEAR(found[i].start, expected[i].start, 1e-12 * (1 + expected[i].start));
      EXPECT_NEAR(found[i].end, expected[i].end, 1e-12 * (1 + expected[i].end));
    }
    const auto before = completions(tasks, scaled(pieces));
    for (const auto& [job, end] : completions(tasks, found)) EXPECT_LE(end, before.at(job));
  }
}

TEST(ShiftLeft, TouchingPiecesOfATaskMoveAsOne) {
  // The gap [0, 2) before task 1 holds one half of task 0 and not both.
  ParallelTaskMaker made(1, {10});
  made.job(1);
  made.task({6}, {{0, 4}});
  made.job(1);
  made.task({6}, {{0, 4}});
  const ParallelTasksView tasks = made.view();
  const Pieces shifted = shifted_pieces(tasks, {{0, 0, 6, 8}, {1, 0, 2, 6}, {0, 0, 8, 10}});
  EXPECT_EQ(shifted, (Pieces{{1, 0, 0, 4}, {0, 0, 4, 8}}));
}

TEST(ShiftLeft, PiecesStayAtTheirReleaseTimeAndClearOfTheirOwnTask) {
  ParallelTaskMaker made(1, {10, 10});
  made.job(1, 3);
  made.task({5}, {{0, 4}, {1, 4}});
  const ParallelTasksView tasks = made.view();
  // Both machines are empty; the second piece waits for the first of its task.
  EXPECT_EQ(shifted_pieces(tasks, {{0, 1, 20, 22}, {0, 0, 9, 11}}), (Pieces{{0, 0, 3, 5}, {0, 1, 5, 7}}));
}

TEST(ShiftLeft, LargeIntegerTimesAreComparedExactly) {
  // The gap is one unit too short at times at which a tolerance relative to the time would let it pass.
  constexpr Time kLarge = 0x1p50;
  ParallelTaskMaker made(1, {10});
  made.job(1, kLarge);
  made.task({6}, {{0, 100}});
  made.job(1, kLarge + 99);
  made.task({6}, {{0, 10}});
  const ParallelTasksView tasks = made.view();
  const Pieces pieces{{1, 0, kLarge + 99, kLarge + 109}, {0, 0, kLarge + 109, kLarge + 209}};
  EXPECT_EQ(shifted_pieces(tasks, pieces), pieces);
}

TEST(ShiftLeft, PiecesThatMoveFarKeepTheLengthThatDidNotShowAtTheirPlace) {
  ParallelTaskMaker made(1, {10});
  for (int j = 0; j < 3; ++j) {
    made.job(1);
    made.task({6}, {{0, 4}});
  }
  const ParallelTasksView tasks = made.view();
  constexpr Time kFar = 0x1p50, kTiny = 1e-9;
  ASSERT_EQ(kFar + kTiny, kFar);
  const std::vector<MeasuredPiece> pieces{{0, 0, kFar, kFar, kTiny}, {1, 0, kFar, kFar + 0.25, 0.3}};
  EXPECT_EQ(shift_left(tasks, pieces), (Pieces{{0, 0, 0, kTiny}, {1, 0, kTiny, kTiny + 0.3}}));
  // In the gap before task 2 there is no room for 0.3: rounding at the old place is no excuse at the new one.
  const std::vector<MeasuredPiece> late{{2, 0, 0.125, 1, 0.875}, {1, 0, kFar, kFar + 0.25, 0.3}};
  EXPECT_EQ(shift_left(tasks, late), (Pieces{{2, 0, 0, 0.875}, {1, 0, 0.875, 1.175}}));
}

TEST(ShiftLeft, APieceTooShortToShowWhereItHasToStayTakesTheTimeUpToTheNextDouble) {
  ParallelTaskMaker made(1, {10});
  for (int j = 0; j < 2; ++j) {
    made.job(1);
    made.task({6}, {{0, 4}});
  }
  const ParallelTasksView tasks = made.view();
  const std::vector<MeasuredPiece> pieces{{0, 0, 0, 5.5, 5.5}, {1, 0, 5.5, 5.5, 1e-17}};
  EXPECT_EQ(shift_left(tasks, pieces), (Pieces{{0, 0, 0, 5.5}, {1, 0, 5.5, std::nextafter(5.5, 6)}}));
}

}  // namespace
}  // namespace schedcore
