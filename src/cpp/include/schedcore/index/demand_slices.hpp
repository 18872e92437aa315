// Bit slices of many demand vectors: which of them may fit a free vector, 64 at a time.
//
// For every resource a few thresholds are kept, and for every threshold a row of bits that says which demands do not
// exceed it.  What may fit a free vector has its bit set in the row of the next threshold, for every resource: an AND
// of at most R rows.  No demand that fits is left out; some that do not fit pass, so the caller compares what passes.
// A resource with at most kThresholds distinct values (among those that thresholds were chosen for) lets nothing else
// pass.
//
// Cost with C slots: a search chooses the rows in O(R log kThresholds) and reads O(R C / 64) words in order, less where
// a few resources already exclude a chunk; add O(R kThresholds), at once for all C O(R C).  Memory 4 R C bytes, C
// rounded up to 256.  Not for a handful of vectors: compare them.
//
// Invariant: the bit of a used slot is set in exactly the rows whose threshold is at least its demand.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class DemandSlices {
 public:
  DemandSlices() = default;

  // Room for n_slots vectors, of which the rows of `demands` (row-major) take the first; thresholds are chosen for them.
  DemandSlices(std::size_t n_resources, std::size_t n_slots, std::span<const Amount> demands);

  // Puts a vector into a slot that holds none.
  void add(std::size_t slot, const Amount* demand);

  // The number of words that a set of slots has.
  [[nodiscard]] std::size_t n_words() const { return n_words_; }

  // Calls stops(i, word) with every nonzero word i, in order, of the slots that may fit `available` and whose bit is set
  // in among(i), until it holds for one.  Returns whether it did.
  template <class Among, class Stops>
  bool any_candidate_word(const Among& among, const Amount* available, const Stops& stops) const {
    const Rows rows = rows_for(available);
    for (std::size_t begin = 0; begin < n_words_; begin += kChunk) {
      std::array<std::uint64_t, kChunk> left;
      std::uint64_t any = 0;
      for (std::size_t i = 0; i < kChunk; ++i) any |= left[i] = among(begin + i);
      for (std::size_t k = 0; k < rows.count && any != 0; ++k) {
        const std::uint64_t* row = bits_.data() + rows.offset[k] + begin;
        any = 0;
        for (std::size_t i = 0; i < kChunk; ++i) any |= left[i] &= row[i];
      }
      if (any == 0) continue;
      for (std::size_t i = 0; i < kChunk; ++i) {
        if (left[i] != 0 && stops(begin + i, left[i])) return true;
      }
    }
    return false;
  }

  // Throws std::logic_error unless the bits of the slot are those of the demand.
  void check_slot(std::size_t slot, const Amount* demand) const;

 private:
  static constexpr std::size_t kChunk = 4;        // words that are handled together
  static constexpr std::size_t kThresholds = 31;  // a resource
  static constexpr std::size_t kMostRows = 32;    // resources that one search looks at, the most telling ones
  static constexpr std::size_t kSample = 1024;    // vectors that thresholds are chosen from

  struct Rows {
    std::array<std::size_t, kMostRows> offset;  // into bits_
    std::size_t count = 0;
  };

  [[nodiscard]] Rows rows_for(const Amount* available) const;
  [[nodiscard]] std::size_t row(std::size_t resource, std::size_t threshold) const {
    return (resource * kThresholds + threshold) * n_words_;
  }
  void choose_thresholds(std::span<const Amount> demands);
  // The first threshold that is not below the amount; kThresholds if there is none.
  [[nodiscard]] std::size_t threshold_for(std::size_t resource, Amount amount) const;

  std::size_t n_resources_ = 0;
  std::size_t n_words_ = 0;
  std::vector<Amount> threshold_;    // row-major (n_resources, kThresholds), not decreasing
  std::vector<double> share_;        // of the sample at or below a threshold
  std::vector<std::uint64_t> bits_;  // row-major (n_resources, kThresholds, n_words)
};

}  // namespace schedcore
