// Which machines a job may use: every one, or a set that jobs with the same choice share.
//
// A value of 16 bytes.  A set never changes and lives as long as somebody names it.  Two eligibilities are equal if they
// allow the same machines; O(1) as a rule for sets from one `EligibilitySets`, which keeps each set once.
//
// Cost, for a set of k machines, the highest of which is m: allows O(1); place_of O(log k); intern O(k + m / 64), amortised;
// memory 4 k + m / 8 bytes a set that lives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class Eligibility {
 public:
  // Every machine.
  Eligibility() = default;

  [[nodiscard]] bool is_everywhere() const { return set_ == nullptr; }
  [[nodiscard]] bool allows(std::size_t machine) const {
    return is_everywhere() || ((word(machine / 64) >> (machine % 64)) & 1) != 0;
  }
  // Machines 64 i .. 64 i + 63 as bits; for every machine all bits, also those of machines that are not there.
  [[nodiscard]] std::uint64_t word(std::size_t i) const {
    if (is_everywhere()) return ~std::uint64_t{0};
    return i < set_->words.size() ? set_->words[i] : 0;
  }
  // How many allowed machines come before this one; kNoMachine if it is not allowed itself.
  [[nodiscard]] std::size_t place_of(std::size_t machine) const {
    if (is_everywhere()) return machine;
    const auto found = std::ranges::lower_bound(set_->machines, machine);
    if (found == set_->machines.end() || *found != machine) return kNoMachine;
    return static_cast<std::size_t>(found - set_->machines.begin());
  }
  // In increasing order; empty for every machine.
  [[nodiscard]] std::span<const std::uint32_t> machines() const {
    return is_everywhere() ? std::span<const std::uint32_t>() : std::span<const std::uint32_t>(set_->machines);
  }
  // The same for equal sets; for tables of hashes.
  [[nodiscard]] std::uint64_t hash() const { return is_everywhere() ? 0 : set_->hash; }

  friend bool operator==(const Eligibility& a, const Eligibility& b) {
    if (a.set_ == b.set_) return true;
    return a.set_ && b.set_ && a.set_->hash == b.set_->hash && a.set_->machines == b.set_->machines;
  }

 private:
  friend class EligibilitySets;
  struct Set {
    std::vector<std::uint32_t> machines;
    std::vector<std::uint64_t> words;  // the same as bits
    std::uint64_t hash = 0;
  };
  explicit Eligibility(std::shared_ptr<const Set> set) : set_(std::move(set)) {}

  std::shared_ptr<const Set> set_;
};

class EligibilitySets {
 public:
  // The eligibility for these machines, in increasing order and none twice.  For all of `n_machines` it is `everywhere`.
  [[nodiscard]] Eligibility intern(std::vector<std::uint32_t> machines, std::size_t n_machines);
  // Sets that are named by somebody, and some that were until lately.
  [[nodiscard]] std::size_t n_kept() const { return by_hash_.size(); }

 private:
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const Eligibility::Set>> by_hash_;
  std::size_t sweep_at_ = 64;  // so many of them are looked through for sets that nobody names
};

}  // namespace schedcore
