#include "schedcore/index/eligibility.hpp"

namespace schedcore {

Eligibility EligibilitySets::intern(std::vector<std::uint32_t> machines, std::size_t n_machines) {
  if (machines.size() == n_machines) return {};
  std::uint64_t hash = machines.size() + 1;
  for (const std::uint32_t machine : machines) {
    hash = (hash ^ machine) * 0xBF58476D1CE4E5B9ULL;
    hash ^= hash >> 29;
  }
  const auto [first, last] = by_hash_.equal_range(hash);
  auto unused = last;
  for (auto kept = first; kept != last; ++kept) {
    auto set = kept->second.lock();
    if (!set) unused = kept;
    if (set && set->machines == machines) return Eligibility(std::move(set));
  }
  std::vector<std::uint64_t> words(machines.empty() ? 0 : machines.back() / 64 + 1);
  for (const std::uint32_t machine : machines) words[machine / 64] |= std::uint64_t{1} << (machine % 64);
  auto set = std::make_shared<const Eligibility::Set>(Eligibility::Set{std::move(machines), std::move(words), hash});
  if (unused != last) {  // of a set that came before with the same machines, as a rule: no more than one is kept
    unused->second = set;
    return Eligibility(std::move(set));
  }
  if (by_hash_.size() >= sweep_at_) {
    std::erase_if(by_hash_, [](const auto& kept) { return kept.second.expired(); });
    sweep_at_ = 2 * by_hash_.size() + 64;
  }
  by_hash_.emplace(hash, set);
  return Eligibility(std::move(set));
}

}  // namespace schedcore
