// A set of ranks 0 .. size-1 with the smallest one at hand: the priority queue for keys that are known beforehand.
//
// Sort once, then insert and erase ranks.  One bit a rank, 64 bits a word, a level of words above tells which words
// below are not empty: insert, erase and min touch log64(size) words (4 for 16 million), memory is size/8 bytes.
// Several times faster than a binary heap of doubles; of no use where priorities are not known up front.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcore {

class RankSet {
 public:
  explicit RankSet(std::size_t size) {
    do {
      size = (size + 63) / 64;
      levels_.emplace_back(size);
    } while (size > 1);
  }

  [[nodiscard]] bool empty() const { return levels_.back().empty() || levels_.back()[0] == 0; }

  // Smallest rank; requires a non-empty set.
  [[nodiscard]] std::size_t min() const {
    assert(!empty());
    std::size_t position = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      position = position * 64 + static_cast<std::size_t>(std::countr_zero((*level)[position]));
    }
    return position;
  }

  void insert(std::size_t rank) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[rank / 64];
      const bool parent_knows = word != 0;
      word |= std::uint64_t{1} << (rank % 64);
      if (parent_knows) return;
      rank /= 64;
    }
  }

  void erase(std::size_t rank) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[rank / 64];
      word &= ~(std::uint64_t{1} << (rank % 64));
      if (word != 0) return;
      rank /= 64;
    }
  }

 private:
  // levels_[0] has a bit a rank; bit i of levels_[k + 1] is set iff word i of levels_[k] is not zero.
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace schedcore
