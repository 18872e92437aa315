// A set of slots, one bit each: for a set that changes at every event and is read as a whole now and then.
//
// Insert and erase O(1), in a few cache lines however many slots there are; the members in ascending order take
// O(highest slot / 64 + members).  It grows with the slots that are put in and never shrinks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcore {

class SlotSet {
 public:
  void insert(std::size_t slot) {
    if (slot / 64 >= words_.size()) words_.resize(slot / 64 + 1);
    words_[slot / 64] |= bit(slot);
  }
  // Of a slot that is, or was, a member.
  void erase(std::size_t slot) { words_[slot / 64] &= ~bit(slot); }
  [[nodiscard]] bool contains(std::size_t slot) const {
    return slot / 64 < words_.size() && (words_[slot / 64] & bit(slot)) != 0;
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  static constexpr std::uint64_t bit(std::size_t slot) { return std::uint64_t{1} << (slot % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace schedcore
