// Slow-Motion on the fractions of an interval-indexed program: z / lambda, cut off where a task is whole.
//
// Lambda is A / 10^9 with an integer A, and fractions come as integers, u / 10^9 of a task; so z / lambda is u / A, and
// no step from here to the schedule rounds.  Where the cap is the task, a task stops as soon as it is whole over all
// machines, and amounts are counted in units of 1 / A.  Where it is the machine (the letter of the paper), a task stops
// on each machine as soon as it has there what the program gave that machine, U_i / 10^9; units are then 1 / (10^9 A).
// Either way the amounts of a task add up to exactly one task: on every machine U_i / A is at least U_i / 10^9.
// O(n_fractions + n_machines).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace schedcore {

// The units of one task in the fractions that a program gives.
inline constexpr std::int64_t kWholeTask = 1'000'000'000;

// A part of a task that a machine processes in an interval.
struct IntervalFraction {
  std::size_t task = 0;
  std::size_t machine = 0;
  std::size_t interval = 0;
  std::int64_t units = 0;  // positive

  friend bool operator==(const IntervalFraction&, const IntervalFraction&) = default;
};

enum class FractionCap : std::uint8_t { task, machine };

struct CappedFractions {
  std::vector<IntervalFraction> fractions;  // ascending by task, interval, machine; those of a task add up to `whole`
  std::int64_t whole = 0;
};

// Requires fractions ascending by (task, interval, machine), those of each task adding up to kWholeTask, and
// 1 <= lambda_units <= kWholeTask.
[[nodiscard]] CappedFractions capped_fractions(std::span<const IntervalFraction> fractions, std::int64_t lambda_units,
                                               FractionCap cap);

}  // namespace schedcore
