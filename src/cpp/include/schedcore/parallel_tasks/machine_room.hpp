// The free amounts of every machine, now; for amounts over time see resource_timeline.hpp.  A call costs O(n_resources).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class MachineRoom {
 public:
  explicit MachineRoom(const MachinesView& machines)
      : machines_(machines), free_(machines.capacity.begin(), machines.capacity.end()) {}

  [[nodiscard]] bool fits(std::size_t machine, std::span<const Amount> demand) const;
  // Requires that the demand fits.
  void take(std::size_t machine, std::span<const Amount> demand);
  void give(std::size_t machine, std::span<const Amount> demand);
  // Makes a machine empty.
  void clear(std::size_t machine);
  [[nodiscard]] std::span<const Amount> free_of(std::size_t machine) const {
    return std::span(free_).subspan(machine * machines_.n_resources, machines_.n_resources);
  }

 private:
  MachinesView machines_;
  std::vector<Amount> free_;  // row-major; between 0 and the capacity
};

}  // namespace schedcore
