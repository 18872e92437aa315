// The states of a knapsack's dynamic program, their history, and what both may cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedcore/base/errors.hpp"

namespace schedcore {

// What one dynamic program may take, in figures that no clock and no machine changes.
class KnapsackLimits {
 public:
  // States, of 32 bytes and more, are numbered in 32 bits: no more than 128 GiB.
  KnapsackLimits(std::uint64_t memory, std::size_t n_items)
      : memory_(std::min(memory, std::uint64_t{1} << 37)),
        reading_(kReadsPerByte * std::max(memory_, std::uint64_t{1} << 30)),
        n_items_(n_items) {}

  // Memory, in bytes, before it is allocated.
  void take(std::uint64_t bytes) {
    if (taken_ + bytes > memory_) refuse("needs at least " + std::to_string(taken_ + bytes) + " bytes");
    taken_ += bytes;
  }
  void give_back(std::uint64_t bytes) { taken_ -= bytes; }
  void give_back_all() { taken_ = 0; }

  // Work, as the bytes of states read, before each reading.  While `n_readings` are to come, the list of states counts
  // as if it kept its length for an eighth of them: one that is to end in time hardly thins out faster.
  void read(std::uint64_t bytes, std::size_t n_readings) {
    if (bytes / kExpectedPart > (reading_ - read_) / n_readings || bytes > reading_ - read_) {
      refuse("would read states of more than " + std::to_string(reading_) + " bytes");
    }
    read_ += bytes;
  }

 private:
  static constexpr std::uint64_t kReadsPerByte = 16;
  static constexpr std::uint64_t kExpectedPart = 8;

  [[noreturn]] void refuse(const std::string& need) const {
    throw UnsupportedError(
        "knapsack of " + std::to_string(n_items_) + " items: its dynamic program " + need + ", memory_limit is " +
        std::to_string(memory_) +
        "; use method \"greedy\" or \"greedy_union\", \"cadp\" with a larger epsilon, or a larger memory_limit");
  }

  std::uint64_t memory_;
  std::uint64_t reading_;
  std::uint64_t taken_ = 0;
  std::uint64_t read_ = 0;
  std::size_t n_items_;
};

template <class Int>
struct KnapsackState {
  Int weight{};
  Int size{};
  std::uint64_t taken = 0;   // bit k: the k-th item since the last checkpoint
  std::uint32_t origin = 0;  // its state at the last checkpoint
};

// A list of states that grows within the limits.
template <class Int>
class KnapsackStates {
 public:
  explicit KnapsackStates(KnapsackLimits& limits) : limits_(&limits) {}

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
    limits_->take(grown * sizeof(KnapsackState<Int>));  // beside the old ones while they are copied
    states_.reserve(grown);
    limits_->give_back(old * sizeof(KnapsackState<Int>));
  }

  KnapsackLimits* limits_;
  std::vector<KnapsackState<Int>> states_;
};

// Which of the items before the last checkpoint each state took: one 64-bit word and one link a state, so 1.5 bits
// per state and item.
class KnapsackHistory {
 public:
  static constexpr std::size_t kItemsPerCheckpoint = 64;

  explicit KnapsackHistory(KnapsackLimits& limits) : limits_(&limits) {}

  // Records the states and makes each of them its own origin.
  template <class Int>
  void checkpoint(KnapsackStates<Int>& states) {
    limits_->take(states.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t)));
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

  KnapsackLimits* limits_;
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace schedcore
