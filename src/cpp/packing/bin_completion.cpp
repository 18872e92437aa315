#include "schedcore/packing/bin_completion.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <vector>

#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

constexpr std::uint64_t kStepsPerBin = 8192;  // spent on the sets of one bin; then the search is no longer a proof
constexpr std::size_t kMostSets = 256;
constexpr Amount kNoLimit = std::numeric_limits<Amount>::max();

// Tasks of one size.
struct SizeClass {
  Amount size;
  std::uint32_t first_task;
  std::uint32_t left;  // how many are in no bin yet
};

struct Piece {
  std::uint32_t size_class;
  std::uint32_t count;
};

// A set that completes a bin: pieces[first, end) of its frame.
struct CompletingSet {
  Amount waste;
  std::size_t first;
  std::size_t end;
};

// A bin and the sets still to be tried for it.
struct Frame {
  Amount waste_left;  // what this bin and the later ones may waste together
  std::vector<Piece> pieces;
  std::vector<CompletingSet> completions;
  std::size_t chosen = 0;
};

class BinCompletion {
 public:
  BinCompletion(std::span<const Amount> sorted_size, std::size_t n_bins, Amount capacity)
      : n_bins_(n_bins), capacity_(capacity) {
    for (std::size_t i = 0; i < sorted_size.size(); ++i) {
      if (classes_.empty() || classes_.back().size != sorted_size[i]) {
        classes_.push_back({sorted_size[i], static_cast<std::uint32_t>(i), 0});
      }
      ++classes_.back().left;
    }
    left_ = std::accumulate(sorted_size.begin(), sorted_size.end(), Amount{0});
  }

  PackingAnswer search(std::uint64_t work_limit, std::uint64_t& work, Monitor* monitor) {
    const Int128 waste = static_cast<Int128>(n_bins_) * capacity_ - left_;
    if (waste < 0) return PackingAnswer::impossible;
    open_bin(waste < static_cast<Int128>(kNoLimit) ? static_cast<Amount>(waste) : kNoLimit, work);
    for (;;) {
      if (work > work_limit) return PackingAnswer::unknown;
      if (monitor != nullptr) monitor->poll(work, work_limit);
      Frame& frame = frames_[depth_ - 1];
      if (frame.chosen == frame.completions.size()) {
        if (!close_bin()) return complete_ ? PackingAnswer::impossible : PackingAnswer::unknown;
        continue;
      }
      take(frame, -1);
      if (left_ == 0) return PackingAnswer::packed;
      const Amount waste_left = frame.waste_left - frame.completions[frame.chosen].waste;
      if (depth_ == n_bins_) {
        take(frame, 1);
        ++frame.chosen;
      } else {
        open_bin(waste_left, work);
      }
    }
  }

  void write(std::span<std::uint32_t> bin) const {
    std::vector<std::uint32_t> next(classes_.size());
    for (std::size_t b = 0; b < depth_; ++b) {
      const Frame& frame = frames_[b];
      const CompletingSet& completion = frame.completions[frame.chosen];
      for (std::size_t p = completion.first; p < completion.end; ++p) {
        const Piece piece = frame.pieces[p];
        const SizeClass& one = classes_[piece.size_class];
        for (std::uint32_t t = 0; t < piece.count; ++t) {
          bin[one.first_task + next[piece.size_class]++] = static_cast<std::uint32_t>(b);
        }
      }
    }
  }

 private:
  // A class looked at while a set is made: how many of it are in, and what held before.
  struct Step {
    std::uint32_t size_class;
    std::uint32_t count;
    Amount room;       // before its tasks went in
    Amount remaining;  // of this class and the smaller ones, in no bin yet
    Amount most_waste;
    Amount larger_left;  // the smallest size above this class of which a task stays out; kNoLimit if none
  };

  // Adds the chosen set to what is left (sign 1) or takes it away (sign -1).
  void take(const Frame& frame, int sign) {
    const CompletingSet& completion = frame.completions[frame.chosen];
    for (std::size_t p = completion.first; p < completion.end; ++p) {
      const Piece piece = frame.pieces[p];
      SizeClass& one = classes_[piece.size_class];
      one.left = sign < 0 ? one.left - piece.count : one.left + piece.count;
    }
    const Amount load = capacity_ - completion.waste;
    left_ = sign < 0 ? left_ - load : left_ + load;
  }

  // Whether a bin is open after that; its next set is the one to try.
  bool close_bin() {
    --depth_;
    if (depth_ == 0) return false;
    Frame& frame = frames_[depth_ - 1];
    take(frame, 1);
    ++frame.chosen;
    return true;
  }

  void open_bin(Amount waste_left, std::uint64_t& work) {
    if (depth_ == frames_.size()) frames_.emplace_back();
    Frame& frame = frames_[depth_++];
    frame.waste_left = waste_left;
    frame.pieces.clear();
    frame.completions.clear();
    frame.chosen = 0;
    complete(frame, work);
    std::stable_sort(frame.completions.begin(), frame.completions.end(),
                     [](const CompletingSet& a, const CompletingSet& b) { return a.waste < b.waste; });
  }

  // All sets with the largest task left, in lexicographic order: as many as possible of the larger sizes first.
  void complete(Frame& frame, std::uint64_t& work) {
    std::uint32_t largest = 0;
    while (classes_[largest].left == 0) ++largest;
    const std::uint64_t work_before = work;
    work += largest;
    --classes_[largest].left;
    steps_.clear();
    const Amount size = classes_[largest].size;
    Step next{largest, 0, capacity_ - size, left_ - size, frame.waste_left, kNoLimit};
    for (;;) {
      if (extend(next, work)) record(frame, largest);
      if (!backtrack(next)) break;
      if (work - work_before > kStepsPerBin || frame.completions.size() >= kMostSets) {
        complete_ = false;
        break;
      }
    }
    ++classes_[largest].left;
  }

  // Fills up from `next` on, smaller sizes later; false where the waste would be more than allowed.
  bool extend(Step next, std::uint64_t& work) {
    while (next.room > 0 && next.size_class < classes_.size()) {
      ++work;
      if (next.room - next.remaining > next.most_waste) return false;
      const SizeClass& one = classes_[next.size_class];
      if (one.left == 0 || one.size > next.room) {
        next.remaining -= one.size * one.left;
        ++next.size_class;
        continue;
      }
      next.count = static_cast<std::uint32_t>(std::min<Amount>(one.left, next.room / one.size));
      steps_.push_back(next);
      next = after(next);
    }
    waste_ = next.room;
    return next.room <= next.most_waste;
  }

  // The state after the tasks of a step.
  [[nodiscard]] Step after(const Step& step) const {
    const SizeClass& one = classes_[step.size_class];
    Step next = step;
    if (step.count > 0 && step.larger_left != kNoLimit) {
      // A larger task left over must not fit in the place of one of these.
      next.most_waste = std::min(next.most_waste, step.larger_left - one.size - 1);
    }
    if (step.count < one.left) {
      next.most_waste = std::min(next.most_waste, one.size - 1);  // nor one of this size beside them
      next.larger_left = one.size;
    }
    next.room -= one.size * step.count;
    next.remaining -= one.size * one.left;
    ++next.size_class;
    return next;
  }

  // Takes one task out of the last class that has one, and sets `next` behind it; false where none is left.
  bool backtrack(Step& next) {
    while (!steps_.empty() && steps_.back().count == 0) steps_.pop_back();
    if (steps_.empty()) return false;
    --steps_.back().count;
    next = after(steps_.back());
    return true;
  }

  void record(Frame& frame, std::uint32_t largest) {
    const std::size_t first = frame.pieces.size();
    frame.pieces.push_back({largest, 1});
    for (const Step& step : steps_) {
      if (step.count > 0) frame.pieces.push_back({step.size_class, step.count});
    }
    frame.completions.push_back({waste_, first, frame.pieces.size()});
  }

  std::size_t n_bins_;
  Amount capacity_;
  std::vector<SizeClass> classes_;  // largest first
  Amount left_ = 0;                 // total of what is in no bin
  std::vector<Frame> frames_;       // the first depth_ are the open bins; the rest keeps its memory
  std::size_t depth_ = 0;
  std::vector<Step> steps_;
  Amount waste_ = 0;      // of the set that `extend` made
  bool complete_ = true;  // no set was left out but by proof
};

}  // namespace

PackingAnswer pack_bins(std::span<const Amount> sorted_size, std::size_t n_bins, Amount capacity,
                        std::uint64_t work_limit, std::uint64_t& work, Monitor* monitor,
                        std::span<std::uint32_t> bin) {
  assert(std::is_sorted(sorted_size.rbegin(), sorted_size.rend()));
  if (sorted_size.empty()) return PackingAnswer::packed;
  if (n_bins == 0 || sorted_size.front() > capacity) return PackingAnswer::impossible;
  BinCompletion completion(sorted_size, n_bins, capacity);
  const PackingAnswer answer = completion.search(work_limit, work, monitor);
  if (answer == PackingAnswer::packed) completion.write(bin);
  return answer;
}

}  // namespace schedcore
