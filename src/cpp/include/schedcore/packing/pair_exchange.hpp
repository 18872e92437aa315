// A walk through assignments towards one in which no machine holds more than its capacity, two machines at a time.
//
// A step takes two machines, at least every other time one that holds too much, and draws up to kFree of their tasks.
// Of all ways to share these out anew it takes one that leaves the least excess, if that is no more than before: a
// move, a swap, or any exchange of several tasks for several.  Steps that leave the excess as it was are taken too, and
// lead across plateaus; where it has not fallen for kStall units of work, a few pairs are shared out at random.
//
// The walk uses 64-bit draws of a fixed seed and integers, so it is the same on every platform.  It ends when nothing
// exceeds a capacity, or when its work is used up; it proves nothing.  Memory O(n + m), a step O(2^kFree) at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/random_stream.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore {

class PairExchange {
 public:
  static constexpr std::size_t kFree = 9;
  static constexpr std::uint64_t kStall = 250'000;

  // Starts from `machine`; sizes are non-negative with a sum below 2^62.  `size` must outlive the walk.
  PairExchange(std::span<const Amount> size, std::span<const std::uint32_t> machine, std::size_t n_machines);

  // Whether no load exceeds its capacity in the end.  One unit of work is about 30 nanoseconds; adds to `work` what it
  // took, at most a step more than `work_limit` allows.  A later call goes on from where this one ended.
  [[nodiscard]] bool walk(std::span<const Amount> capacity, std::uint64_t work_limit, std::uint64_t& work,
                          Monitor* monitor);

  [[nodiscard]] std::span<const Amount> load() const { return load_; }
  void write(std::span<std::uint32_t> machine) const;

  // Whether the loads are those of the tasks, every task stands once, and `overloaded_` is what it says.  O(n + m).
  [[nodiscard]] bool check_invariants() const;

 private:
  [[nodiscard]] std::size_t draw(std::size_t bound);
  [[nodiscard]] Amount excess(std::size_t machine) const;
  [[nodiscard]] Amount total_excess() const;
  void set_capacity(std::span<const Amount> capacity);
  void note_load(std::size_t machine);
  std::uint64_t share_out(std::size_t a, std::size_t b, bool anyhow);

  std::span<const Amount> size_;
  std::vector<std::vector<std::uint32_t>> tasks_;  // of each machine, in no order
  std::vector<Amount> load_;
  std::vector<Amount> capacity_;
  std::vector<std::uint32_t> overloaded_;  // the machines whose load exceeds their capacity, in no order
  std::vector<std::uint32_t> place_;       // place_[k]: where machine k stands in overloaded_, or kNowhere
  RandomStream random_{0x5EED};
};

}  // namespace schedcore
