// Pieces whose length is known better than their ends tell.
//
// At a time t a double resolves 2^-53 t.  That is enough for what happens there, but not for a piece that was computed
// there and then moves to a time near 0; so its length goes along.  A piece may be too short to show at its place:
// start == end, and yet a length above 0.
#pragma once

#include <cstddef>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

struct MeasuredPiece {
  std::size_t task = 0;
  std::size_t machine = 0;
  Time start = 0;
  Time end = 0;  // start + length but for rounding
  Time length = 0;

  friend bool operator==(const MeasuredPiece&, const MeasuredPiece&) = default;
};

[[nodiscard]] std::vector<MeasuredPiece> measured(const std::vector<TaskPiece>& pieces);

// Makes one of the pieces of a task on a machine that touch: start == end of the one before.  They come back ascending
// by task, machine and start. O(n log n).
void merge_touching(std::vector<MeasuredPiece>& pieces);

// The pieces by their ends. One that is too short to show takes the time up to the next double, at which others may
// already run: an overlap within rounding, where else a task would lack some of its processing.
[[nodiscard]] std::vector<TaskPiece> drawn(const std::vector<MeasuredPiece>& pieces);

}  // namespace schedcore
