#include "schedcore/packing/uniform_machines.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "first_fit_bins.hpp"
#include "least_loaded.hpp"

namespace schedcore {
namespace {

std::vector<std::uint32_t> slowest_first(std::span<const Amount> speed) {
  std::vector<std::uint32_t> order(speed.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return speed[a] < speed[b]; });
  return order;
}

// Machines of one speed, in increasing order, and the least loaded of them.
struct SpeedGroup {
  Amount speed;
  std::span<const std::uint32_t> machines;
  LeastLoaded<UInt128> least;

  [[nodiscard]] std::uint32_t candidate() const { return machines[least.machine()]; }
  [[nodiscard]] CompletionTime completion_with(Amount size) const { return {least.load() + size, speed}; }
};

std::vector<SpeedGroup> groups_of_equal_speed(std::span<const Amount> speed, std::span<const std::uint32_t> order) {
  std::vector<SpeedGroup> groups;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && speed[order[end]] == speed[order[first]]) ++end;
    groups.push_back({speed[order[first]], order.subspan(first, end - first), LeastLoaded<UInt128>(end - first)});
    first = end;
  }
  return groups;
}

}  // namespace

std::vector<Amount> loads_of(std::span<const Amount> sorted_size, std::span<const std::uint32_t> machine,
                             std::size_t n_machines) {
  std::vector<Amount> load(n_machines);
  for (std::size_t i = 0; i < sorted_size.size(); ++i) load[machine[i]] += sorted_size[i];
  return load;
}

CompletionTime makespan_of(std::span<const Amount> load, std::span<const Amount> speed) {
  CompletionTime latest{0, speed.front()};
  for (std::size_t k = 0; k < load.size(); ++k) latest = std::max(latest, CompletionTime{load[k], speed[k]});
  return latest;
}

void longest_first(std::span<const Amount> sorted_size, std::span<const Amount> speed,
                   std::span<std::uint32_t> machine) {
  assert(!speed.empty() && machine.size() == sorted_size.size());
  const std::vector<std::uint32_t> order = slowest_first(speed);
  std::vector<SpeedGroup> groups = groups_of_equal_speed(speed, order);
  for (std::size_t i = 0; i < sorted_size.size(); ++i) {
    SpeedGroup* best = nullptr;
    CompletionTime earliest;
    for (SpeedGroup& group : groups) {
      const CompletionTime completion = group.completion_with(sorted_size[i]);
      if (best == nullptr || completion < earliest ||
          (!(earliest < completion) && group.candidate() < best->candidate())) {
        best = &group;
        earliest = completion;
      }
    }
    machine[i] = best->candidate();
    best->least.add(sorted_size[i]);
  }
}

void multifit(std::span<const Amount> sorted_size, std::span<const Amount> speed, std::span<std::uint32_t> machine,
              Monitor* monitor) {
  assert(!speed.empty() && machine.size() == sorted_size.size());
  if (sorted_size.empty()) return;
  const std::vector<std::uint32_t> order = slowest_first(speed);
  const Amount fastest = speed[order.back()];
  UInt128 total_speed = 0;
  for (const Amount one : speed) total_speed += static_cast<std::uint64_t>(one);
  const auto total = static_cast<std::uint64_t>(std::accumulate(sorted_size.begin(), sorted_size.end(), Amount{0}));
  // ceil(load * fastest / total_speed), or the largest task if that is more.
  const auto share = [&](std::uint64_t load) {
    const UInt128 product = multiply_words(load, static_cast<std::uint64_t>(fastest));
    const UInt128 quotient = (product + (total_speed - UInt128{1})) / total_speed;
    return std::max(static_cast<Amount>(quotient), sorted_size.front());
  };
  FirstFitBins<Amount> bins(speed.size());
  std::vector<std::uint32_t> trial(sorted_size.size());
  const auto pack = [&](Amount capacity) {
    if (monitor != nullptr) monitor->poll(0, 0);
    const bool fits = bins.pack(
        sorted_size, [&](std::size_t b) { return load_by({capacity, fastest}, speed[order[b]]); }, trial);
    if (fits) std::transform(trial.begin(), trial.end(), machine.begin(), [&](auto bin) { return order[bin]; });
    return fits;
  };
  Amount low = share(total);
  Amount high = share(2 * total);
  while (!pack(high)) {  // ends where the fastest machine has room for everything
    low = high + 1;
    high = std::min(2 * high, static_cast<Amount>(total));
  }
  while (low < high) {
    const Amount middle = low + (high - low) / 2;
    if (pack(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
}

}  // namespace schedcore
