// Where a job fits first, over all machines: the instants at which availability rises on one of them, in one order.
//
// An earliest fit lies at `from` or where availability rises on its machine, or else the job would fit earlier.  So the
// index holds (instant, machine) for `from` and every later rise, in sorted blocks.  Each entry keeps the free amounts
// there and those at a later instant at which a job ran out of room.  Both are as they were when last looked at: while
// a batch is placed machines only fill up, so they are upper limits, and what they rule out is not asked of a timeline.
// An entry that lets a job pass asks its timeline, which answers with a fit or with a limit to keep instead.
//
// Cost for k entries and R resources: build O(k (R + log k)); earliest_fit O(R (b + c log k)) where b entries between
// `not_before` and the answer are read in order of memory and c of them ask a timeline (two or three beyond the answer
// where MRIS places azure_like's batches, whatever the number of machines); reserve O(R (log k + block)) and what the
// timeline takes.  Memory 16 (R + 1.3) bytes an entry, a quarter to a half of a block left free.
// For few jobs on full machines the build outweighs a search of each machine in turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

class StartIndex {
 public:
  struct Place {
    std::size_t rank = 0;  // of the block
    std::size_t entry = 0;
  };
  struct Start {
    Time time = kNever;
    std::size_t machine = 0;
    Place place;  // in this index, until it changes
  };

  // Refers to the timelines, which from now on are changed through `reserve` alone.
  StartIndex(std::vector<ResourceTimeline>& timelines, Time from);

  // The earliest fit from `not_before` on and its lowest machine; the time is kNever if there is none.  Requires
  // not_before >= from and that the job fits nowhere in [from, not_before).
  [[nodiscard]] Start earliest_fit(Time not_before, Time processing_time, std::span<const Amount> demand);
  // Reserves an earliest fit, just found, for its job.
  void reserve(const Start& start, Time processing_time, std::span<const Amount> demand);

  // Throws std::logic_error unless what is said at the data members holds.
  void check_invariants() const;

 private:
  static constexpr std::size_t kBlockSize = 64;

  // Entries side by side.  `free` is no less than what is free at `time`, and `later_free` no less than what is free at
  // `later`, an instant after `time`, or kNever.
  struct Block {
    std::size_t size = 0;
    std::array<Time, kBlockSize> time;
    std::array<Time, kBlockSize> later;
    std::array<std::uint32_t, kBlockSize> machine;
    std::vector<Amount> free;        // a row an entry
    std::vector<Amount> later_free;  // a row an entry
  };
  struct Key {
    Time time = 0;
    std::uint32_t machine = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Ranked {
    Key first;
    std::uint32_t block = 0;
  };

  [[nodiscard]] Block& block(std::size_t rank) { return block_[order_[rank].block]; }
  [[nodiscard]] static Key key_at(const Block& block, std::size_t entry) {
    return {block.time[entry], block.machine[entry]};
  }
  // The first entry whose key is not below, perhaps past the last one of a block.
  [[nodiscard]] Place lower_bound(const Key& key) const;
  void add_block(std::size_t rank, const Key& first);
  void set_entry(Block& to, std::size_t entry, const Key& key, const Amount* free);
  void move_entries(const Block& from, std::size_t first, std::size_t end, Block& to, std::size_t target) const;
  void insert(const Key& key);
  template <class Width>
  [[nodiscard]] Start search(Time not_before, Time processing_time, const Amount* demand, Width width);

  std::vector<ResourceTimeline>& timelines_;
  std::size_t n_resources_;
  Time from_;
  std::vector<Block> block_;
  std::vector<Ranked> order_;      // the blocks, none of them empty, with the key of their first entry, increasing
  std::vector<Amount> available_;  // scratch: what a timeline answers
};

}  // namespace schedcore
