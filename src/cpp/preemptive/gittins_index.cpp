#include "schedcore/preemptive/gittins_index.hpp"

#include <algorithm>

namespace schedcore {
namespace {

// Of n jobs that are done and what they cost together, from the same point on.
struct Slope {
  std::uint64_t n;
  UInt128 service;  // above 0
};

// n is below 2^32 and service at most 2^85, so products fit.
[[nodiscard]] bool is_steeper(const Slope& a, const Slope& b) {
  return UInt128(a.n) * b.service > UInt128(b.n) * a.service;
}

}  // namespace

void GittinsIndex::learn(std::span<const Amount> sizes) {
  if (sizes.empty()) return;
  std::vector<Amount> sorted(sizes.begin(), sizes.end());
  std::ranges::sort(sorted);
  std::vector<Corner> merged;
  merged.reserve(corners_.size() + sorted.size());
  std::size_t old = 0;
  for (std::size_t i = 0; i < sorted.size() || old < corners_.size();) {
    if (i == sorted.size() || (old < corners_.size() && corners_[old].size < sorted[i])) {
      merged.push_back(corners_[old++]);
    } else if (!merged.empty() && merged.back().size == sorted[i]) {
      ++merged.back().n_here;
      ++i;
    } else if (old < corners_.size() && corners_[old].size == sorted[i]) {
      merged.push_back(corners_[old++]);
    } else {
      merged.push_back({sorted[i++], 1, 0, 0, kNone});
    }
  }
  corners_.swap(merged);

  std::uint64_t n_all = 0;
  for (const Corner& corner : corners_) n_all += corner.n_here;
  Corner before{0, 0, 0, 0, kNone};
  for (Corner& corner : corners_) {
    const auto further = static_cast<std::uint64_t>(corner.size - before.size);
    corner.n_up_to = before.n_up_to + corner.n_here;
    corner.service = before.service + multiply_words(further, n_all - before.n_up_to);
    before = corner;
  }
  for (std::size_t i = corners_.size(); i-- > 0;) {
    const auto slope_to = [&](std::size_t to) {
      return Slope{corners_[to].n_up_to - corners_[i].n_up_to, corners_[to].service - corners_[i].service};
    };
    std::size_t next = i + 1 < corners_.size() ? i + 1 : kNone;
    while (next != kNone && corners_[next].next != kNone && is_steeper(slope_to(corners_[next].next), slope_to(next)))
      next = corners_[next].next;
    corners_[i].next = next;
  }
}

double GittinsIndex::at(Amount attained) const {
  const auto first = std::ranges::upper_bound(corners_, attained, {}, &Corner::size);
  if (first == corners_.end()) return 0.0;
  const Corner before = first == corners_.begin() ? Corner{0, 0, 0, 0, kNone} : first[-1];
  const std::uint64_t n_all = corners_.back().n_up_to;
  const UInt128 service =
      before.service + multiply_words(static_cast<std::uint64_t>(attained - before.size), n_all - before.n_up_to);
  const auto slope_to = [&](const Corner& corner) {
    return Slope{corner.n_up_to - before.n_up_to, corner.service - service};
  };
  Slope best = slope_to(*first);
  for (std::size_t next = first->next; next != kNone; next = corners_[next].next) {
    const Slope further = slope_to(corners_[next]);
    if (!is_steeper(further, best)) break;
    best = further;
  }
  return static_cast<double>(best.n) / static_cast<double>(best.service);
}

}  // namespace schedcore
