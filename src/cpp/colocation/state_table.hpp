// A bounded memory of search states: a row of words, and a number that was proven for it.
//
// `find` compares whole rows, so an answer is never a collision of hashes.  The table grows up to its limit in bytes;
// from then on a new row takes the place of an old one, and what is forgotten costs time and no correctness.  The same
// calls give the same answers on every machine.  O(width) each, amortised.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace schedcore {

class StateTable {
 public:
  // Rows of `width` >= 1 words.
  StateTable(std::size_t width, std::size_t byte_limit) : width_(width) {
    const std::size_t row_bytes = width * sizeof(std::uint64_t) + sizeof(std::uint32_t);
    most_slots_ = std::bit_floor(std::max(byte_limit / row_bytes, kProbes));
    resize(std::min(most_slots_, kFirstSlots));
  }

  // What was stored for the row; 0 where nothing is known.
  [[nodiscard]] std::uint32_t find(std::span<const std::uint64_t> row) const {
    const std::uint64_t hash = hash_of(row);
    for (std::size_t probe = 0; probe < kProbes; ++probe) {
      const std::size_t slot = slot_of(hash, probe);
      if (value_[slot] != 0 && holds(slot, row)) return value_[slot];
    }
    return 0;
  }

  // Stores value > 0, or raises the value that is there.
  void raise(std::span<const std::uint64_t> row, std::uint32_t value) {
    if (n_rows_ * 2 >= value_.size() && value_.size() < most_slots_) grow();
    place(row, value);
  }

 private:
  static constexpr std::size_t kProbes = 4;  // slots in which a row may stand
  static constexpr std::size_t kFirstSlots = 64;

  [[nodiscard]] static std::uint64_t hash_of(std::span<const std::uint64_t> row) {
    std::uint64_t hash = 0x9E3779B97F4A7C15u;
    for (const std::uint64_t word : row) {
      hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
      hash ^= hash >> 29;
    }
    return hash ^ (hash >> 32);
  }

  [[nodiscard]] std::size_t slot_of(std::uint64_t hash, std::size_t probe) const {
    return (static_cast<std::size_t>(hash) + probe) & (value_.size() - 1);
  }

  [[nodiscard]] std::span<const std::uint64_t> row_at(std::size_t slot) const {
    return std::span(words_).subspan(slot * width_, width_);
  }

  [[nodiscard]] bool holds(std::size_t slot, std::span<const std::uint64_t> row) const {
    return std::ranges::equal(row_at(slot), row);
  }

  void place(std::span<const std::uint64_t> row, std::uint32_t value) {
    const std::uint64_t hash = hash_of(row);
    std::size_t slot = slot_of(hash, (hash >> 48) % kProbes);  // whom it replaces where all slots are taken
    for (std::size_t probe = kProbes; probe-- > 0;) {
      const std::size_t candidate = slot_of(hash, probe);
      if (value_[candidate] != 0 && holds(candidate, row)) {
        value_[candidate] = std::max(value_[candidate], value);
        return;
      }
      if (value_[candidate] == 0) slot = candidate;
    }
    if (value_[slot] == 0) ++n_rows_;
    std::ranges::copy(row, words_.begin() + static_cast<std::ptrdiff_t>(slot * width_));
    value_[slot] = value;
  }

  void grow() {
    const std::vector<std::uint64_t> words = std::move(words_);
    const std::vector<std::uint32_t> value = std::move(value_);
    resize(2 * value.size());
    for (std::size_t slot = 0; slot < value.size(); ++slot) {
      if (value[slot] != 0) place(std::span(words).subspan(slot * width_, width_), value[slot]);
    }
  }

  void resize(std::size_t n_slots) {
    words_.assign(n_slots * width_, 0);
    value_.assign(n_slots, 0);
    n_rows_ = 0;
  }

  std::size_t width_;
  std::size_t most_slots_ = 0;  // a power of two, as is the number of slots
  std::size_t n_rows_ = 0;
  std::vector<std::uint64_t> words_;  // [slot, word]
  std::vector<std::uint32_t> value_;  // of each slot; 0: empty
};

}  // namespace schedcore
