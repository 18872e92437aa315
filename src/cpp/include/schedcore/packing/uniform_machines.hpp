// List scheduling on machines of unequal speeds (Q || Cmax): a task of size p takes p / speed on a machine.
//
// Sizes are in decreasing order, as for list_scheduling.hpp, which equal speeds should use.  Everything is exact: a
// time is a load over a speed, and two times are compared by cross-multiplication in 128 bits.
//
// Requires at least one machine, speeds in 1..2^62 - 1, non-negative sizes with a sum below 2^62, fewer than 2^32 tasks
// and machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

// When a machine of this speed has done this load: the exact number load / speed.
struct CompletionTime {
  Amount load = 0;
  Amount speed = 1;

  friend constexpr bool operator<(const CompletionTime& a, const CompletionTime& b) {
    return static_cast<Int128>(a.load) * b.speed < static_cast<Int128>(b.load) * a.speed;
  }
};

// More than all tasks together: loads above it need not be told apart.
inline constexpr Amount kUnlimitedLoad = Amount{1} << 62;

// The largest load that a machine of `speed` completes by `time`, or kUnlimitedLoad if that is less.
[[nodiscard]] constexpr Amount load_by(const CompletionTime& time, Amount speed) {
  const UInt128 work = multiply_words(static_cast<std::uint64_t>(time.load), static_cast<std::uint64_t>(speed));
  const UInt128 load = work / static_cast<UInt128>(static_cast<std::uint64_t>(time.speed));
  constexpr auto unlimited = static_cast<UInt128>(static_cast<std::uint64_t>(kUnlimitedLoad));
  return load < unlimited ? static_cast<Amount>(load) : kUnlimitedLoad;
}

// The load of each machine, and when the last machine completes; O(n + m).
[[nodiscard]] std::vector<Amount> loads_of(std::span<const Amount> sorted_size, std::span<const std::uint32_t> machine,
                                           std::size_t n_machines);
[[nodiscard]] CompletionTime makespan_of(std::span<const Amount> load, std::span<const Amount> speed);

// LPT: each task goes to the machine that would complete it first, ties to the lowest machine.  The makespan is at most
// 2m/(m+1) times the optimum [T. Gonzalez, O. H. Ibarra, S. Sahni, 1977].
// O(n (d + log m) + m) for d distinct speeds: of the machines of one speed only the least loaded is looked at.
void longest_first(std::span<const Amount> sorted_size, std::span<const Amount> speed,
                   std::span<std::uint32_t> machine);

// MULTIFIT: first fit decreasing into the machines by increasing speed (ties by index), machine k having the capacity
// floor(c * speed[k] / s) for the largest speed s.  Within 1.4 times the optimum and a unit of c [D. K. Friesen, M. A.
// Langston, 1983].  A binary search over integers c: up from the lower bound of all tasks on all machines and of the
// largest on the fastest; down from twice the former (at least the latter), doubled until first fit succeeds.  With
// equal speeds this is the search of multifit in list_scheduling.hpp.  O(log W) packings of O(m + n log m).
// Polls `monitor`, which may be null, before every packing.
void multifit(std::span<const Amount> sorted_size, std::span<const Amount> speed, std::span<std::uint32_t> machine,
              Monitor* monitor = nullptr);

}  // namespace schedcore
