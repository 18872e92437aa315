// Of numbered slots with an eligibility each: those that a machine may serve, 64 at a time.
//
// A row of bits for every machine that some set names, and one for the slots that every machine may serve.  Without sets
// there is nothing at all.  Cost, with S slots: add O(machines of the set), a word O(1); memory S / 8 bytes a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/index/eligibility.hpp"

namespace schedcore {

class EligibleSlots {
 public:
  EligibleSlots() = default;
  explicit EligibleSlots(std::size_t n_words) : n_words_(n_words) {}

  // Whether every slot so far may be served by every machine.
  [[nodiscard]] bool all_everywhere() const { return everywhere_.empty(); }

  // Puts an eligibility into a slot that has none; slots are added in increasing order.
  void add(std::size_t slot, const Eligibility& eligibility) {
    if (all_everywhere()) {
      if (eligibility.is_everywhere()) return;
      everywhere_.assign(n_words_, 0);
      for (std::size_t before = 0; before < slot; ++before) set(everywhere_.data(), before);
    }
    if (eligibility.is_everywhere()) set(everywhere_.data(), slot);
    for (const std::uint32_t machine : eligibility.machines()) {
      if (machine >= own_.size()) own_.resize(machine + 1);
      if (own_[machine].empty()) own_[machine].assign(n_words_, 0);
      set(own_[machine].data(), slot);
    }
  }

  // Word `i` of the slots that the machine may serve, where not all are everywhere.
  [[nodiscard]] std::uint64_t word(std::size_t machine, std::size_t i) const {
    const bool has_own = machine < own_.size() && !own_[machine].empty();
    return everywhere_[i] | (has_own ? own_[machine][i] : 0);
  }

 private:
  static void set(std::uint64_t* row, std::size_t slot) { row[slot / 64] |= std::uint64_t{1} << (slot % 64); }

  std::size_t n_words_ = 0;
  std::vector<std::uint64_t> everywhere_;        // empty while all slots are
  std::vector<std::vector<std::uint64_t>> own_;  // of each machine, empty where no set names it
};

}  // namespace schedcore
