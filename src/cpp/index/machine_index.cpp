#include "schedcore/index/machine_index.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/exact/wide.hpp"
#include "schedcore/index/fit.hpp"
#include "schedcore/index/rows.hpp"

namespace schedcore {
namespace {

template <class Width>
UInt128 squared_norm(const Amount* available, const Amount* scale, Width width) {
  UInt128 norm{};
  for (std::size_t l = 0; l < width; ++l) {
    const auto share = static_cast<std::uint64_t>(available[l] * scale[l]);  // < 2^54, so 2^20 squares fit
    norm += multiply_words(share, share);
  }
  return norm;
}

}  // namespace

MachineIndex::MachineIndex(std::span<const Amount> free, std::size_t n_resources) : n_resources_(n_resources) {
  if (n_resources > (std::size_t{1} << 20)) throw UnsupportedError("more than 2^20 resources");
  assert(n_resources > 0 && free.size() % n_resources == 0);
  std::size_t n_nodes = 0;
  for (std::size_t size = free.size() / n_resources;; size = (size + kFanOut - 1) / kFanOut) {
    level_offset_.push_back(n_nodes);
    level_size_.push_back(size);
    n_nodes += size;
    if (size <= kScanned) break;
  }
  maximum_.resize(n_nodes * n_resources);
  std::copy(free.begin(), free.end(), maximum_.begin());
  for (std::size_t level = 1; level < level_size_.size(); ++level) {
    for (std::size_t node = 0; node < level_size_[level]; ++node) recompute(level, node);
  }
}

void MachineIndex::recompute(std::size_t level, std::size_t node) {
  Amount* maximum = node_maximum(level, node);
  const std::size_t first = node * kFanOut;
  const std::size_t last = std::min(first + kFanOut, level_size_[level - 1]);
  const Amount* below = node_maximum(level - 1, first);
  std::copy_n(below, n_resources_, maximum);
  for (std::size_t child = first + 1; child < last; ++child) {
    below += n_resources_;
    for (std::size_t l = 0; l < n_resources_; ++l) maximum[l] = std::max(maximum[l], below[l]);
  }
}

void MachineIndex::acquire(std::size_t machine, std::span<const Amount> demand) {
  assert(machine < n_machines() && demand.size() == n_resources_);
  Amount* available = node_maximum(0, machine);
  for (std::size_t l = 0; l < n_resources_; ++l) available[l] -= demand[l];
  std::size_t node = machine;
  for (std::size_t level = 1; level < level_size_.size(); ++level) {
    node /= kFanOut;
    recompute(level, node);
  }
}

void MachineIndex::release(std::size_t machine, std::span<const Amount> demand) {
  assert(machine < n_machines() && demand.size() == n_resources_);
  Amount* available = node_maximum(0, machine);
  for (std::size_t l = 0; l < n_resources_; ++l) available[l] += demand[l];
  std::size_t node = machine;
  for (std::size_t level = 1; level < level_size_.size(); ++level) {
    node /= kFanOut;
    Amount* maximum = node_maximum(level, node);
    bool rises = false;
    for (std::size_t l = 0; l < n_resources_; ++l) {
      rises |= available[l] > maximum[l];
      maximum[l] = std::max(maximum[l], available[l]);
    }
    if (!rises) return;
  }
}

std::size_t MachineIndex::first_fit(std::span<const Amount> demand, std::size_t from) const {
  assert(demand.size() == n_resources_);
  if (from >= n_machines()) return kNoMachine;
  const std::size_t top = level_size_.size() - 1;
  std::size_t level = 0;
  std::size_t node = from;
  // A node that opens a group is asked through its parent: one test for the whole group.
  const auto climb = [&] {
    while (level < top && node % kFanOut == 0) {
      node /= kFanOut;
      ++level;
    }
  };
  climb();
  for (;;) {
    const std::size_t size = level_size_[level];
    const std::size_t end = level == top ? size : std::min(size, (node / kFanOut + 1) * kFanOut);
    while (node < end && !fits(demand.data(), node_maximum(level, node), n_resources_)) ++node;
    if (node < end) {
      if (level == 0) return node;
      --level;
      node *= kFanOut;
    } else {
      if (level == top) return kNoMachine;
      node = (end - 1) / kFanOut + 1;
      ++level;
      climb();
    }
  }
}

std::size_t MachineIndex::first_allowed(std::span<const Amount> demand, std::size_t from,
                                        std::span<const std::uint32_t> allowed) const {
  for (auto machine = std::ranges::lower_bound(allowed, from); machine != allowed.end(); ++machine) {
    if (fits(demand.data(), node_maximum(0, *machine), n_resources_)) return *machine;
  }
  return kNoMachine;
}

// Of the machines for which visit_machines(width, consider) calls consider(machine), in increasing order.
template <class VisitMachines>
std::size_t MachineIndex::best_among(std::span<const Amount> demand, std::span<const Amount> scale,
                                     const VisitMachines& visit_machines) const {
  assert(demand.size() == n_resources_);
  assert(scale.size() == n_resources_ || scale.size() == n_machines() * n_resources_);
  return with_width(n_resources_, [&](auto width) {
    const auto best_by = [&](const auto& scale_of) {
      std::size_t best = kNoMachine;
      UInt128 least = UInt128{} - UInt128{1};  // above every norm
      visit_machines(width, [&](std::size_t machine) {
        const Amount* available = node_maximum(0, machine);
        if (!fits(demand.data(), available, width)) return;
        const UInt128 norm = squared_norm(available, scale_of(machine), width);
        if (norm < least) {
          best = machine;
          least = norm;
        }
      });
      return best;
    };
    const Amount* const rows = scale.data();
    const auto common = [rows](std::size_t /*machine*/) { return rows; };
    const auto own = [rows, width](std::size_t machine) { return rows + machine * width; };
    return scale.size() == n_resources_ ? best_by(common) : best_by(own);
  });
}

std::size_t MachineIndex::best_allowed(std::span<const Amount> demand, std::span<const Amount> scale,
                                       std::span<const std::uint32_t> allowed) const {
  return best_among(demand, scale, [&](auto /*width*/, const auto& consider) {
    for (const std::uint32_t machine : allowed) consider(machine);
  });
}

std::size_t MachineIndex::best_fit(std::span<const Amount> demand, std::span<const Amount> scale) const {
  return best_among(demand, scale, [&](auto width, const auto& consider) {
    const bool has_parent = level_size_.size() > 1;
    for (std::size_t group = 0; group < n_machines(); group += kFanOut) {
      if (has_parent && !fits(demand.data(), node_maximum(1, group / kFanOut), width)) continue;
      const std::size_t end = std::min(group + kFanOut, n_machines());
      for (std::size_t machine = group; machine < end; ++machine) consider(machine);
    }
  });
}

void MachineIndex::check_invariants() const {
  for (std::size_t level = 1; level < level_size_.size(); ++level) {
    if (level_size_[level] != (level_size_[level - 1] + kFanOut - 1) / kFanOut) {
      throw std::logic_error("MachineIndex: level size");
    }
    MachineIndex expected = *this;
    for (std::size_t node = 0; node < level_size_[level]; ++node) {
      expected.recompute(level, node);
      if (!equal_rows(node_maximum(level, node), expected.node_maximum(level, node), n_resources_)) {
        throw std::logic_error("MachineIndex: maxima");
      }
    }
  }
}

}  // namespace schedcore
