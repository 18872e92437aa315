#include "switching_job_level.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <tuple>

namespace schedcore {

// The last core in [taken, last] whose marginal is before the threshold, where `taken` always counts as before.
template <class Before>
Amount SwitchingJobLevel::Candidate::last_core(double threshold, Before before) const {
  if (!before(marginal(taken + 1), threshold)) return taken;
  if (before(marginal(last), threshold)) return last;
  Amount low = taken + 1;  // before the threshold
  Amount high = last;      // not before it
  const auto probe = [&](Amount core) {
    if (core <= low || core >= high) return;
    (before(marginal(core), threshold) ? low : high) = core;
  };
  // The line through the marginals names the core, but for rounding; its neighbour confirms it.
  const double line = static_cast<double>(previous) + ((threshold - base) * square / alpha + 1) / 2;
  const auto guess = static_cast<Amount>(std::clamp(line, static_cast<double>(low), static_cast<double>(high)));
  probe(guess);
  probe(guess + 1);
  probe(guess - 1);
  while (high - low > 1) probe(low + (high - low) / 2);
  return low;
}

void SwitchingJobLevel::list_candidates(const SwitchingRows& rows, std::span<const Amount> previous_total) {
  candidates_.clear();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.limit[row] == 0) continue;
    const auto demand = static_cast<double>(rows.demand[row]);
    Candidate candidate{rows.cost[row] / demand, demand * demand,    rows.first[row] != 0 ? 0.0 : alpha_,
                        previous_total[row],     0,                  rows.limit[row],
                        static_cast<std::uint32_t>(row)};
    if (!work_conserving_) candidate.last = candidate.last_core(0.0, std::less<>());
    if (candidate.last > 0) candidates_.push_back(candidate);
  }
}

bool SwitchingJobLevel::candidates_exceed(Amount amount) const {
  for (const Candidate& candidate : candidates_) {
    amount -= candidate.last;
    if (amount < 0) return true;
  }
  return false;
}

// The middle cores of some rows, drawn with replacement; of them the one at which about `left` undecided cores are
// passed.
SwitchingJobLevel::Pivot SwitchingJobLevel::choose_pivot(Amount left) {
  constexpr std::size_t kSamples = 15;
  std::array<Pivot, kSamples> samples;
  const std::size_t n_samples = candidates_.size() < 4 * kSamples ? 3 : kSamples;
  Amount sampled = 0;
  for (std::size_t i = 0; i < n_samples; ++i) {
    const Candidate& drawn = candidates_[random_.below(candidates_.size())];
    const Amount core = drawn.taken + 1 + (drawn.last - drawn.taken - 1) / 2;
    samples[i] = {drawn.marginal(core), drawn.row, core, drawn.last - drawn.taken};
    sampled += samples[i].weight;
  }
  const std::span<Pivot> drawn(samples.data(), n_samples);
  std::ranges::sort(drawn, {}, [](const Pivot& p) { return std::make_tuple(p.marginal, p.row, p.core); });
  double undecided = 0;
  for (const Candidate& candidate : candidates_) undecided += static_cast<double>(candidate.last - candidate.taken);
  const double wanted = static_cast<double>(left) / undecided * static_cast<double>(sampled);
  double passed = 0;
  for (const Pivot& pivot : drawn) {
    passed += static_cast<double>(pivot.weight);
    if (passed >= wanted) return pivot;
  }
  return drawn.back();
}

// How many undecided cores are not after the pivot in the order of (marginal, row, core); counts no further than
// `left`.
Amount SwitchingJobLevel::count_up_to(const Pivot& pivot, Amount left) {
  counted_.resize(candidates_.size());
  Amount count = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    if (candidate.row < pivot.row) {
      counted_[i] = candidate.last_core(pivot.marginal, std::less_equal<>());
    } else if (candidate.row > pivot.row) {
      counted_[i] = candidate.last_core(pivot.marginal, std::less<>());
    } else {
      counted_[i] = pivot.core;
    }
    if (count <= left) count += counted_[i] - candidate.taken;  // sums of all rows may not fit
  }
  return count;
}

// Quickselect over the undecided cores of all candidates: every round decides all cores on one side of a pivot.
void SwitchingJobLevel::select(std::vector<Amount>& cores) {
  Amount left = total_;
  while (left > 0) {
    assert(!candidates_.empty());
    const Pivot pivot = choose_pivot(left);
    const Amount count = count_up_to(pivot, left);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      Candidate candidate = candidates_[i];
      if (count <= left) {
        candidate.taken = counted_[i];
        cores[candidate.row] = counted_[i];
      } else {
        // More cores than are left: those after the pivot are out, and so is the pivot, the last of those counted.
        candidate.last = counted_[i] - (candidate.row == pivot.row ? 1 : 0);
      }
      if (candidate.taken < candidate.last) candidates_[kept++] = candidate;
    }
    candidates_.resize(kept);
    if (count <= left) left -= count;
  }
}

std::size_t SwitchingJobLevel::rates(const SwitchingRows& rows, std::span<const Amount> previous_total,
                                           std::span<const double> omega, std::vector<Amount>& cores) {
  Amount left = total_;
  for (std::size_t row = 0; row < rows.size() && left >= 0; ++row) left -= rows.limit[row];
  if (work_conserving_ && left >= 0) {
    cores.assign(rows.limit.begin(), rows.limit.end());
    return kNoRow;
  }
  cores.assign(rows.size(), 0);
  list_candidates(rows, previous_total);
  if (candidates_exceed(total_)) {
    select(cores);
  } else {
    for (const Candidate& candidate : candidates_) cores[candidate.row] = candidate.last;
  }
  std::size_t cut = kNoRow;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (cores[row] == 0 || cores[row] == rows.limit[row]) continue;  // without cores there is nothing to split
    if (cut == kNoRow || omega[row] >= omega[cut]) cut = row;
  }
  return cut;
}

}  // namespace schedcore
