// The free vectors of all machines, searched by what fits: first fit and best fit without looking at every machine.
//
// A wide tree over the machines: every node of a level holds the per-resource maxima of up to kFanOut nodes below, and a
// subtree whose maxima lack room for a demand is skipped.  Up to kScanned machines there is no tree at all, and a
// search is the linear scan that is then fastest.
//
// Cost with M machines and R resources: acquire and release O(R kFanOut log M), less where the maxima do not change;
// first_fit visits O(kFanOut log M) nodes where the maxima tell (always for R = 1), at worst all O(M); measured, 10,000
// machines take twice the time of 20 (bench/cpp/machine_index).  best_fit scans the machines, O(R M), and skips groups without
// room; a bound on norms that prunes would depend on the scale, which is the caller's.  Memory O(R M).  A value type.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/eligibility.hpp"

namespace schedcore {

class MachineIndex {
 public:
  MachineIndex() = default;
  // `free` is row-major (n_machines, n_resources).  Requires n_resources > 0 and free.size() divisible by it; throws
  // UnsupportedError for more than 2^20 resources (norms are summed exactly in 128 bits).
  MachineIndex(std::span<const Amount> free, std::size_t n_resources);

  [[nodiscard]] std::size_t n_machines() const { return level_offset_.empty() ? 0 : level_size_.front(); }
  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }
  [[nodiscard]] std::span<const Amount> free(std::size_t machine) const {
    assert(machine < n_machines());
    return {node_maximum(0, machine), n_resources_};
  }

  // free(machine) -= demand and += demand.  Whether the demand fits is the caller's business: free may become negative.
  void acquire(std::size_t machine, std::span<const Amount> demand);
  void release(std::size_t machine, std::span<const Amount> demand);

  // The lowest machine >= from with room for the demand in every resource, or kNoMachine.
  [[nodiscard]] std::size_t first_fit(std::span<const Amount> demand, std::size_t from = 0) const;
  // The same among the allowed machines; O(R) for each of them that has no room.
  [[nodiscard]] std::size_t first_fit(std::span<const Amount> demand, std::size_t from,
                                      const Eligibility& eligibility) const {
    return eligibility.is_everywhere() ? first_fit(demand, from) : first_allowed(demand, from, eligibility.machines());
  }

  // Among the machines with room, the one with the least sum over l of (free_l * scale_l)^2, compared exactly; ties go to
  // the lower machine; kNoMachine if none has room.  `scale` has a row for every machine or one for all.  Requires
  // demand_l >= 0, scale_l >= 0 and free_l * scale_l < 2^54.
  [[nodiscard]] std::size_t best_fit(std::span<const Amount> demand, std::span<const Amount> scale) const;
  // The same among the allowed machines; O(R) for each of them.
  [[nodiscard]] std::size_t best_fit(std::span<const Amount> demand, std::span<const Amount> scale,
                                     const Eligibility& eligibility) const {
    return eligibility.is_everywhere() ? best_fit(demand, scale) : best_allowed(demand, scale, eligibility.machines());
  }

  // The free vectors of all machines, row-major.
  [[nodiscard]] std::span<const Amount> all_free() const { return {maximum_.data(), n_machines() * n_resources_}; }

  // Throws std::logic_error unless every node's maxima are those of its children.
  void check_invariants() const;

 private:
  static constexpr std::size_t kFanOut = 8;
  static constexpr std::size_t kScanned = 32;  // up to here a linear scan is as fast as a level more

  [[nodiscard]] const Amount* node_maximum(std::size_t level, std::size_t node) const {
    return maximum_.data() + (level_offset_[level] + node) * n_resources_;
  }
  [[nodiscard]] Amount* node_maximum(std::size_t level, std::size_t node) {
    return maximum_.data() + (level_offset_[level] + node) * n_resources_;
  }
  void recompute(std::size_t level, std::size_t node);
  [[nodiscard]] std::size_t first_allowed(std::span<const Amount> demand, std::size_t from,
                                          std::span<const std::uint32_t> allowed) const;
  [[nodiscard]] std::size_t best_allowed(std::span<const Amount> demand, std::span<const Amount> scale,
                                         std::span<const std::uint32_t> allowed) const;
  template <class VisitMachines>
  [[nodiscard]] std::size_t best_among(std::span<const Amount> demand, std::span<const Amount> scale,
                                       const VisitMachines& visit_machines) const;

  // Node `i` of level h > 0 covers the nodes i kFanOut ... of level h - 1; level 0 are the machines themselves.  Row
  // level_offset_[h] + i of maximum_ holds its maxima over those; the top level is scanned linearly.
  std::size_t n_resources_ = 0;
  std::vector<std::size_t> level_offset_;
  std::vector<std::size_t> level_size_;
  std::vector<Amount> maximum_;
};

}  // namespace schedcore
