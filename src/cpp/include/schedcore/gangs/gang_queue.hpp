// Waiting jobs in the order of the queue, searched by how many tasks they have and how long they take.
//
// Blocks of up to kBlock jobs side by side, each with the least number of tasks and the least estimate among them: a search
// for the first job that fits skips whole blocks.  Insert and erase O(kBlock + n / kBlock), in few cache lines; a search
// O(n / kBlock) and the blocks that may hold one that fits.  Memory 80 bytes a job, twice that at worst,
// and that of one block which was emptied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "schedcore/exact/queue_order.hpp"
#include "schedcore/index/class_queue.hpp"
#include "schedcore/index/job_shape.hpp"

namespace schedcore {

struct GangEntry {
  QueueOrder order;  // smaller comes first; no two are equal
  Amount n_tasks = 1;
  Time estimate = 0;
  JobSlot job = 0;
  std::uint32_t job_class = 0;
  // Of the limits that count it.
  static constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t profile = kUnlimited;
};

class GangQueue {
 public:
  // Of an entry; void once the queue changes before it.
  struct Position {
    std::size_t block = 0;
    std::size_t entry = 0;
  };

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const GangEntry& front() const { return blocks_.front().entries.front(); }
  [[nodiscard]] const GangEntry& back() const { return blocks_.back().entries.back(); }
  // The least number of tasks, and the least estimate.  Neither is below `bound`; once they have reached it the search is over.
  // O(n / kBlock).
  [[nodiscard]] std::pair<Amount, Time> minima(const std::pair<Amount, Time>& bound) const;
  [[nodiscard]] const GangEntry& at(const Position& position) const {
    return blocks_[position.block].entries[position.entry];
  }
  // Whether an entry of that order is at that place.
  [[nodiscard]] bool holds(const Position& position, const QueueOrder& order) const {
    return position.block < blocks_.size() && position.entry < blocks_[position.block].entries.size() &&
           at(position).order == order;
  }
  // Number n in order, from 0 on.  Requires n < size().
  [[nodiscard]] const GangEntry& nth(std::size_t n) const;

  // Behind every entry that does not come after the order.
  [[nodiscard]] Position behind(const QueueOrder& order) const;

  void insert(const GangEntry& entry);
  // Of an entry that is there.
  void erase(const QueueOrder& order);

  // The first entry from `from` on that `fits`, or nothing.  `could_fit(n_tasks, estimate)` must hold wherever a job with
  // no fewer tasks and no shorter estimate fits.
  template <class CouldFit, class Fits>
  [[nodiscard]] std::optional<Position> find(Position from, const CouldFit& could_fit, const Fits& fits) const {
    for (std::size_t b = from.block; b < blocks_.size(); ++b) {
      const Block& block = blocks_[b];
      if (!could_fit(block.least_tasks, block.least_estimate)) continue;
      for (std::size_t e = b == from.block ? from.entry : 0; e < block.entries.size(); ++e) {
        const GangEntry& entry = block.entries[e];
        if (could_fit(entry.n_tasks, entry.estimate) && fits(entry)) return Position{b, e};
      }
    }
    return std::nullopt;
  }

  // The same without regard to tasks and estimates.
  template <class Matches>
  [[nodiscard]] std::optional<Position> find_first(Position from, const Matches& matches) const {
    return find(from, [](Amount /*n_tasks*/, Time /*estimate*/) { return true; }, matches);
  }

  // Every entry has the order that `order_of(entry)` says from now on; returns whether some have changed places.  As a rule
  // few do, and not by far.
  template <class OrderOf>
  bool reorder(const OrderOf& order_of) {
    bool any_moved = false;
    for (Block& block : blocks_) {
      bool is_sorted = true;
      const QueueOrder* previous = nullptr;
      for (GangEntry& entry : block.entries) {
        entry.order = order_of(entry);
        is_sorted = is_sorted && !(previous != nullptr && entry.order < *previous);
        previous = &entry.order;
      }
      if (is_sorted) continue;
      block.sort_anew();
      any_moved = true;
    }
    return sort_blocks() || any_moved;
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Block& block : blocks_) {
      for (const GangEntry& entry : block.entries) visit(entry);
    }
  }

  // Throws std::logic_error unless blocks are in order, none is empty, and their minima are those of their entries.
  void check_invariants() const;

 private:
  static constexpr std::size_t kBlock = 64;

  struct Block {
    std::vector<GangEntry> entries;
    Amount least_tasks = kAnyNumber;
    Time least_estimate = kNever;

    void include(const GangEntry& entry);
    void find_minima();
    void sort_anew();
  };

  // Each of them is sorted already; returns whether some entries have changed places.
  bool sort_blocks();
  void merge_into_next(std::size_t block);
  void sort_all();
  // Of the block that holds the entry, or where it belongs.
  [[nodiscard]] std::size_t block_of(const QueueOrder& order) const;

  std::vector<Block> blocks_;
  std::vector<GangEntry> spare_;  // without entries: the memory of a block that was emptied, for the next one
  std::size_t size_ = 0;
};

}  // namespace schedcore
