#include "schedcore/index/gang_classes.hpp"

#include <algorithm>
#include <utility>

namespace schedcore {

GangClasses::GangClasses(const MachinesView& machines)
    : n_resources_(machines.n_resources), capacity_(machines.capacity.begin(), machines.capacity.end()) {}

GangClasses::Class GangClasses::add(std::span<const Amount> demand, const Eligibility& eligibility,
                                    const JobShape& shape, std::int64_t level) {
  const auto mix = [](std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9ULL;
    return hash ^ (hash >> 29);
  };
  // One task does not care how many may be on one machine.
  const Amount spread = shape.n_tasks == 1 ? kMostTasks : std::min(shape.spread, kMostTasks);
  std::uint64_t hash = mix(eligibility.hash(), static_cast<std::uint64_t>(spread));
  hash = mix(hash, (static_cast<std::uint64_t>(level) << 1) | (shape.is_exclusive ? 1 : 0));
  for (const Amount amount : demand) hash = mix(hash, static_cast<std::uint64_t>(amount));
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto found = first; found != last; ++found) {
    JobClass& each = classes_[found->second];
    if (each.spread != spread || each.is_exclusive != shape.is_exclusive || each.level != level) continue;
    if (!(each.eligibility == eligibility)) continue;
    if (!std::ranges::equal(this->demand(found->second), demand)) continue;
    if (each.n_jobs++ == 0) ++n_used_;
    return found->second;
  }
  const Class number = number_for_new();
  classes_[number] = {eligibility, spread, shape.is_exclusive, level, hash, 1, ++n_made_, false};
  std::ranges::copy(demand, demand_.begin() + static_cast<std::ptrdiff_t>(number * n_resources_));
  by_hash_.emplace(hash, number);
  ++n_used_;
  return number;
}

void GangClasses::remove(Class of) {
  if (--classes_[of].n_jobs > 0) return;
  --n_used_;
  if (!std::exchange(classes_[of].is_unused, true)) unused_.push_back(of);
}

GangClasses::Class GangClasses::number_for_new() {
  if (unused_.size() > n_used_ + kSlack) {
    std::size_t taken = 0;
    for (; taken < unused_.size() && classes_[unused_[taken]].n_jobs > 0; ++taken) classes_[unused_[taken]].is_unused = false;
    if (taken < unused_.size()) {
      const Class number = unused_[taken];
      unused_.erase(unused_.begin(), unused_.begin() + static_cast<std::ptrdiff_t>(taken + 1));
      const auto [first, last] = by_hash_.equal_range(classes_[number].hash);
      by_hash_.erase(std::find_if(first, last, [&](const auto& entry) { return entry.second == number; }));
      return number;
    }
    unused_.clear();
  }
  classes_.emplace_back();
  demand_.resize(classes_.size() * n_resources_);
  return static_cast<Class>(classes_.size() - 1);
}

}  // namespace schedcore
