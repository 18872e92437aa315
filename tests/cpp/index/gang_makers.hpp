// Random clusters, classes of jobs and changes for the tests of this room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "schedcore/index/gang_classes.hpp"

namespace schedcore::testing {

struct GangMaker {
  explicit GangMaker(std::uint64_t seed) : random(seed) {
    n_machines = 1 + static_cast<std::size_t>(below(90));
    n_resources = 1 + static_cast<std::size_t>(below(3));
    for (std::size_t i = 0; i < n_machines * n_resources; ++i) capacity.push_back(below(9));
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); }

  [[nodiscard]] MachinesView machines() const { return {capacity, n_machines, n_resources}; }
  [[nodiscard]] std::vector<Amount> demand() {
    std::vector<Amount> row(n_resources);
    for (Amount& amount : row) amount = below(4);
    if (std::ranges::all_of(row, [](Amount amount) { return amount == 0; })) row.front() = 1;
    return row;
  }
  [[nodiscard]] Eligibility eligibility() {
    if (below(2) == 0) return {};
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t machine = 0; machine < n_machines; ++machine) {
      if (below(3) > 0) chosen.push_back(machine);
    }
    return sets.intern(std::move(chosen), n_machines);
  }
  [[nodiscard]] JobShape shape() {
    JobShape shape;
    shape.n_tasks = 1 + below(12);
    if (below(3) == 0) shape.spread = 1 + below(3);
    shape.is_exclusive = below(4) == 0;
    return shape;
  }
  // Of a machine, often all or nothing of it.
  [[nodiscard]] std::vector<Amount> free_row(std::size_t machine) {
    const auto all = machines().capacity_of(machine);
    std::vector<Amount> row(all.begin(), all.end());
    const auto kind = below(4);
    for (Amount& amount : row) amount = kind == 0 ? amount : kind == 1 ? 0 : below(amount + 1);
    return row;
  }

  std::mt19937_64 random;
  std::size_t n_machines = 0;
  std::size_t n_resources = 0;
  std::vector<Amount> capacity;
  EligibilitySets sets;
};

}  // namespace schedcore::testing
