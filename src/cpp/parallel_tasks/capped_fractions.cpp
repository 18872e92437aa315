#include "schedcore/parallel_tasks/capped_fractions.hpp"

#include <algorithm>
#include <cassert>

namespace schedcore {
namespace {

// The fractions of one task after the other: all that a task may still get, over all machines.
std::vector<IntervalFraction> capped_by_task(std::span<const IntervalFraction> fractions, std::int64_t whole) {
  std::vector<IntervalFraction> capped;
  capped.reserve(fractions.size());
  std::int64_t room = 0;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    if (i == 0 || fractions[i].task != fractions[i - 1].task) room = whole;
    const std::int64_t units = std::min(fractions[i].units, room);
    if (units == 0) continue;
    capped.push_back(fractions[i]);
    capped.back().units = units;
    room -= units;
  }
  return capped;
}

// In units of 1 / (kWholeTask lambda_units): what a task may still get on each machine.
std::vector<IntervalFraction> capped_by_machine(std::span<const IntervalFraction> fractions,
                                                std::int64_t lambda_units) {
  std::size_t n_machines = 0;
  for (const IntervalFraction& fraction : fractions) n_machines = std::max(n_machines, fraction.machine + 1);
  std::vector<std::int64_t> room(n_machines, 0);  // zero between two tasks: a task uses up what it was given
  std::vector<IntervalFraction> capped;
  capped.reserve(fractions.size());
  for (std::size_t first = 0, last = 0; first < fractions.size(); first = last) {
    while (last < fractions.size() && fractions[last].task == fractions[first].task) {
      room[fractions[last].machine] += fractions[last].units * lambda_units;
      ++last;
    }
    for (std::size_t i = first; i < last; ++i) {
      std::int64_t& left = room[fractions[i].machine];
      const std::int64_t units = std::min(fractions[i].units * kWholeTask, left);
      if (units == 0) continue;
      capped.push_back(fractions[i]);
      capped.back().units = units;
      left -= units;
    }
  }
  return capped;
}

}  // namespace

CappedFractions capped_fractions(std::span<const IntervalFraction> fractions, std::int64_t lambda_units,
                                 FractionCap cap) {
  assert(1 <= lambda_units && lambda_units <= kWholeTask);
  if (cap == FractionCap::task) return {capped_by_task(fractions, lambda_units), lambda_units};
  return {capped_by_machine(fractions, lambda_units), kWholeTask * lambda_units};
}

}  // namespace schedcore
