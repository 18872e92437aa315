// A set of machines that is filled one by one and taken all at once, in increasing order.
//
// Cost: O(1) to insert, amortised; O(n log n) to take n.  Memory O(machines), however often they are inserted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedcore/engine/cluster.hpp"

namespace schedcore {

class MachineSet {
 public:
  void insert(std::uint32_t machine) {
    if (machine >= is_in_.size()) is_in_.resize(machine + 1, 0);
    if (is_in_[machine] != 0) return;
    is_in_[machine] = 1;
    machines_.push_back(machine);
  }
  [[nodiscard]] bool contains(std::uint32_t machine) const { return machine < is_in_.size() && is_in_[machine] != 0; }
  void clear() {
    for (const std::uint32_t machine : machines_) is_in_[machine] = 0;
    machines_.clear();
  }
  [[nodiscard]] std::vector<std::uint32_t> take() {
    std::vector<std::uint32_t> taken = machines_;
    std::sort(taken.begin(), taken.end());
    clear();
    return taken;
  }

  // In increasing order; reading is for an empty set.
  void write(SnapshotWriter& archive) const {
    std::vector<std::uint32_t> all = machines_;
    std::sort(all.begin(), all.end());
    archive(all);
  }
  void read(SnapshotReader& archive) {
    std::vector<std::uint32_t> all;
    archive(all);
    for (const std::uint32_t machine : all) {
      archive.require(machine < archive.cluster().machines.n_machines, "it names a machine that is not there");
      insert(machine);
    }
  }

 private:
  std::vector<std::uint32_t> machines_;
  std::vector<std::uint8_t> is_in_;  // by machine
};

}  // namespace schedcore
