#include "schedcore/parallel_tasks/measured_piece.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace schedcore {

std::vector<MeasuredPiece> measured(const std::vector<TaskPiece>& pieces) {
  std::vector<MeasuredPiece> result;
  result.reserve(pieces.size());
  for (const auto& [task, machine, start, end] : pieces) result.push_back({task, machine, start, end, end - start});
  return result;
}

void merge_touching(std::vector<MeasuredPiece>& pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const MeasuredPiece& a, const MeasuredPiece& b) {
    return std::tie(a.task, a.machine, a.start, a.end) < std::tie(b.task, b.machine, b.start, b.end);
  });
  std::size_t kept = 0;
  for (const MeasuredPiece& piece : pieces) {
    if (kept > 0) {
      MeasuredPiece& last = pieces[kept - 1];
      if (last.task == piece.task && last.machine == piece.machine && last.end == piece.start) {
        last.end = piece.end;
        last.length += piece.length;
        continue;
      }
    }
    pieces[kept++] = piece;
  }
  pieces.resize(kept);
}

std::vector<TaskPiece> drawn(const std::vector<MeasuredPiece>& pieces) {
  std::vector<TaskPiece> result;
  result.reserve(pieces.size());
  for (const MeasuredPiece& piece : pieces) {
    const Time end = piece.start < piece.end ? piece.end : std::nextafter(piece.start, kNever);
    result.push_back({piece.task, piece.machine, piece.start, end});
  }
  return result;
}

}  // namespace schedcore
