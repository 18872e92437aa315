// The states of a knapsack's dynamic program, their history, and the memory that both may take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedcore/errors.hpp"

namespace schedcore {

// Counts bytes before they are allocated and refuses those above the limit.
class KnapsackMemory {
 public:
  // At most 128 GiB, so that states, of 32 bytes and more, can be numbered in 32 bits.
  KnapsackMemory(std::uint64_t limit, std::size_t n_items)
      : limit_(std::min(limit, std::uint64_t{1} << 37)), n_items_(n_items) {}

  void take(std::uint64_t bytes) {
    if (used_ + bytes > limit_) {
      throw UnsupportedError(
          "knapsack of " + std::to_string(n_items_) + " items: its dynamic program needs at least " +
          std::to_string(used_ + bytes) + " bytes, memory_limit is " + std::to_string(limit_) +
          "; use method \"greedy\" or \"greedy_union\", \"cadp\" with a larger epsilon, or a larger memory_limit");
    }
    used_ += bytes;
  }
  void give_back(std::uint64_t bytes) { used_ -= bytes; }

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  std::size_t n_items_;
};

template <class Int>
struct KnapsackState {
  Int weight{};
  Int size{};
  std::uint64_t taken = 0;   // bit k: the k-th item since the last checkpoint
  std::uint32_t origin = 0;  // its state at the last checkpoint
};

// A list of states that grows within the memory.
template <class Int>
class KnapsackStates {
 public:
  explicit KnapsackStates(KnapsackMemory& memory) : memory_(&memory) {}

  void push_back(const KnapsackState<Int>& state) {
    if (states_.size() == states_.capacity()) grow();
    states_.push_back(state);
  }
  void clear() { states_.clear(); }
  void swap(KnapsackStates& other) noexcept { states_.swap(other.states_); }
  [[nodiscard]] bool empty() const { return states_.empty(); }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] KnapsackState<Int>& operator[](std::size_t i) { return states_[i]; }
  [[nodiscard]] const KnapsackState<Int>& operator[](std::size_t i) const { return states_[i]; }

 private:
  void grow() {
    const std::size_t old = states_.capacity();
    const std::size_t grown = old < 1024 ? 1024 : old + old / 2;
    memory_->take(grown * sizeof(KnapsackState<Int>));  // beside the old ones while they are copied
    states_.reserve(grown);
    memory_->give_back(old * sizeof(KnapsackState<Int>));
  }

  KnapsackMemory* memory_;
  std::vector<KnapsackState<Int>> states_;
};

// Which of the items before the last checkpoint each state took: one 64-bit word and one link a state, so 1.5 bits
// per state and item.
class KnapsackHistory {
 public:
  static constexpr std::size_t kItemsPerCheckpoint = 64;

  explicit KnapsackHistory(KnapsackMemory& memory) : memory_(&memory) {}

  // Records the states and makes each of them its own origin.
  template <class Int>
  void checkpoint(KnapsackStates<Int>& states) {
    memory_->take(states.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t)));
    Checkpoint& record = checkpoints_.emplace_back();
    record.taken.reserve(states.size());
    record.origin.reserve(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      record.taken.push_back(states[i].taken);
      record.origin.push_back(states[i].origin);
      states[i].taken = 0;
      states[i].origin = static_cast<std::uint32_t>(i);
    }
  }
  // Positions of the items that the state took, ascending.
  template <class Int>
  [[nodiscard]] std::vector<std::size_t> items_of(const KnapsackState<Int>& state) const {
    std::vector<std::size_t> items;
    std::uint64_t taken = state.taken;
    std::uint32_t origin = state.origin;
    for (std::size_t block = checkpoints_.size();; --block) {
      for (std::size_t bit = kItemsPerCheckpoint; bit-- > 0;) {
        if ((taken >> bit) & 1) items.push_back(block * kItemsPerCheckpoint + bit);
      }
      if (block == 0) break;
      taken = checkpoints_[block - 1].taken[origin];
      origin = checkpoints_[block - 1].origin[origin];
    }
    return {items.rbegin(), items.rend()};
  }

 private:
  struct Checkpoint {
    std::vector<std::uint64_t> taken;
    std::vector<std::uint32_t> origin;
  };

  KnapsackMemory* memory_;
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace schedcore
