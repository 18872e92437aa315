// A set of machines 0 .. n-1 that changes: one bit each.
//
// Sets that meet have the same n.  contains, insert O(1); all else O(n / 64).
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcore {

class MachineSet {
 public:
  explicit MachineSet(std::size_t n_machines = 0) : words_((n_machines + 63) / 64) {}
  static MachineSet everything(std::size_t n_machines) {
    MachineSet set(n_machines);
    for (std::size_t machine = 0; machine < n_machines; ++machine) set.insert(machine);
    return set;
  }

  [[nodiscard]] bool contains(std::size_t machine) const { return ((words_[machine / 64] >> (machine % 64)) & 1) != 0; }
  void insert(std::size_t machine) { words_[machine / 64] |= std::uint64_t{1} << (machine % 64); }

  MachineSet& operator&=(const MachineSet& other) {
    assert(words_.size() == other.words_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  MachineSet& operator-=(const MachineSet& other) {
    assert(words_.size() == other.words_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend MachineSet operator&(MachineSet left, const MachineSet& right) { return left &= right; }
  friend bool operator==(const MachineSet&, const MachineSet&) = default;

  [[nodiscard]] std::size_t size() const {
    std::size_t n = 0;
    for (const std::uint64_t word : words_) n += ones(word);
    return n;
  }
  [[nodiscard]] bool is_within(const MachineSet& other) const {
    std::uint64_t outside = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) outside |= words_[i] & ~other.words_[i];
    return outside == 0;
  }
  [[nodiscard]] bool meets(const MachineSet& other) const {
    std::uint64_t shared = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) shared |= words_[i] & other.words_[i];
    return shared != 0;
  }
  // Whether at least so many are in the other, too, and in the third if there is one.
  [[nodiscard]] bool has_within(const MachineSet& other, const MachineSet* third, std::size_t at_least) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < words_.size() && n < at_least; ++i) {
      n += ones(words_[i] & other.words_[i] & (third == nullptr ? ~std::uint64_t{0} : third->words_[i]));
    }
    return n >= at_least;
  }
  // Bits of machines 64 i .. 64 i + 63.
  [[nodiscard]] std::uint64_t word(std::size_t i) const { return words_[i]; }
  [[nodiscard]] std::size_t n_words() const { return words_.size(); }

  // In increasing order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  // std::popcount is a call into the runtime where the processor is not known to have an instruction for it.
  static std::size_t ones(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555U;
    word = (word & 0x3333333333333333U) + ((word >> 2) & 0x3333333333333333U);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<std::size_t>((word * 0x0101010101010101U) >> 56);
  }

  std::vector<std::uint64_t> words_;  // bits beyond the last machine are 0
};

}  // namespace schedcore
