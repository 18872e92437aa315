#include "schedcore/parallel_tasks/shift_left.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kPiecesPerPoll = 1 << 8;

// Instants closer than this stand for one.
Time rounding_at(Time t) { return 0x1p-40 * (1 + t); }

bool is_integer(Time t) { return std::floor(t) == t && t < 0x1p53; }

bool all_integers(const ParallelTasksView& tasks, const std::vector<MeasuredPiece>& pieces) {
  const auto lasts_integers = [](const MeasuredPiece& p) {
    return is_integer(p.start) && is_integer(p.end) && p.length == p.end - p.start;
  };
  return std::all_of(pieces.begin(), pieces.end(), lasts_integers) &&
         std::all_of(tasks.release_time.begin(), tasks.release_time.end(), is_integer);
}

struct Stretch {
  Time start, end;
};

// When the pieces of one task run.
class OwnPieces {
 public:
  // The first piece that ends after `start`, or nothing.
  [[nodiscard]] const Stretch* first_after(Time start) const {
    const auto found = std::upper_bound(stretch_.begin(), stretch_.end(), start,
                                        [](Time t, const Stretch& s) { return t < s.end; });
    return found == stretch_.end() ? nullptr : &*found;
  }
  void insert(Stretch stretch) {
    const auto after = std::upper_bound(stretch_.begin(), stretch_.end(), stretch.start,
                                        [](Time t, const Stretch& s) { return t < s.start; });
    stretch_.insert(after, stretch);
  }

 private:
  std::vector<Stretch> stretch_;  // ascending, disjoint
};

// All instants at which a piece starts or ends, so that what rounding drove apart becomes one again.
class Instants {
 public:
  void add(Time t) { known_.insert(t); }
  // The known instant next to t where rounding can have parted them; otherwise t, which is known from now on.
  [[nodiscard]] Time known(Time t) {
    const auto above = known_.lower_bound(t);
    Time nearest = kNever;
    if (above != known_.end()) nearest = *above;
    if (above != known_.begin() && t - *std::prev(above) < nearest - t) nearest = *std::prev(above);
    if (std::abs(nearest - t) <= rounding_at(t)) return nearest;
    known_.insert(above, t);
    return t;
  }

 private:
  std::set<Time> known_;
};

class LeftShift {
 public:
  LeftShift(const ParallelTasksView& tasks, const std::vector<MeasuredPiece>& pieces)
      : tasks_(tasks),
        is_exact_(all_integers(tasks, pieces)),
        timelines_(tasks.n_machines()),
        own_pieces_(tasks.n_tasks()),
        available_(tasks.n_resources()) {
    if (is_exact_) return;
    for (const MeasuredPiece& piece : pieces) {
      instants_.add(piece.start);
      instants_.add(piece.end);
    }
  }

  void place(MeasuredPiece& piece) {
    ResourceTimeline& timeline = timeline_of(piece.machine);
    const Time start = earliest_start(timeline, piece);
    if (start < piece.start) {
      piece.end = end_of(timeline, piece, start);
      piece.start = start;
    }
    if (piece.start == piece.end) return;  // too short to show
    timeline.reserve(piece.start, piece.end, tasks_.demand_of(piece.task));
    own_pieces_[piece.task].insert({piece.start, piece.end});
  }

 private:
  ResourceTimeline& timeline_of(std::size_t machine) {
    auto& timeline = timelines_[machine];
    if (!timeline) timeline.emplace(tasks_.machines.capacity_of(machine));
    return *timeline;
  }

  // What a piece of this length must have at least if it ends about `end`.
  [[nodiscard]] Time needed(Time length, Time end) const {
    return is_exact_ ? length : length - std::min(rounding_at(end), length / 2);
  }

  [[nodiscard]] Time earliest_start(const ResourceTimeline& timeline, const MeasuredPiece& piece) {
    const auto demand = tasks_.demand_of(piece.task);
    const Time least = needed(piece.length, piece.end);  // further left rounding excuses less
    for (Time from = tasks_.release_time[tasks_.job_of(piece.task)]; from < piece.start;) {
      const Time start = timeline.earliest_fit(from, least, demand, piece.start);
      if (start == kNever) break;
      const Time end = start + needed(piece.length, start + piece.length);
      const Stretch* const own = own_pieces_[piece.task].first_after(start);
      if (own != nullptr && own->start < end) {
        from = own->end;
        continue;
      }
      const Time shortage = end > start + least ? timeline.shortage_before(start, end, demand, available_) : kNever;
      if (shortage == kNever) return start;
      from = shortage;
    }
    return piece.start;
  }

  // The end of a piece that begins at `start` instead, less what it lacks there.
  [[nodiscard]] Time end_of(const ResourceTimeline& timeline, const MeasuredPiece& piece, Time start) {
    const Time sum = start + piece.length;
    if (is_exact_) return sum;
    const Time known = instants_.known(sum);
    Time end = std::min(known > start ? known : sum, piece.end);
    if (const Stretch* const own = own_pieces_[piece.task].first_after(start)) end = std::min(end, own->start);
    return std::min(end, timeline.shortage_before(start, end, tasks_.demand_of(piece.task), available_));
  }

  const ParallelTasksView& tasks_;
  bool is_exact_;      // all times are integers
  Instants instants_;  // where they are not
  std::vector<std::optional<ResourceTimeline>> timelines_;  // of the machines that have a piece
  std::vector<OwnPieces> own_pieces_;                       // of each task
  std::vector<Amount> available_;                           // scratch
};

}  // namespace

std::vector<TaskPiece> shift_left(const ParallelTasksView& tasks, std::vector<MeasuredPiece> pieces,
                                  Monitor* monitor) {
  merge_touching(pieces);
  std::sort(pieces.begin(), pieces.end(), [](const MeasuredPiece& a, const MeasuredPiece& b) {
    return std::tie(a.start, a.task, a.machine) < std::tie(b.start, b.task, b.machine);
  });
  LeftShift shift(tasks, pieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (monitor != nullptr && i % kPiecesPerPoll == 0) monitor->poll(i, pieces.size());
    assert(pieces[i].start >= 0 && pieces[i].start <= pieces[i].end && pieces[i].end < kNever && pieces[i].length > 0);
    shift.place(pieces[i]);
  }
  return drawn(pieces);
}

}  // namespace schedcore
