#include "schedcore/index/demand_slices.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace schedcore {

DemandSlices::DemandSlices(std::size_t n_resources, std::size_t n_slots, std::span<const Amount> demands)
    : n_resources_(n_resources),
      n_words_((n_slots + 64 * kChunk - 1) / (64 * kChunk) * kChunk),
      threshold_(n_resources * kThresholds, 0),
      share_(n_resources * kThresholds, 1),
      bits_(n_resources * kThresholds * n_words_, 0) {
  choose_thresholds(demands);
  // Every demand into its first row, then every row into the next.
  const std::size_t n_demands = n_resources == 0 ? 0 : demands.size() / n_resources;
  for (std::size_t slot = 0; slot < n_demands; ++slot) {
    for (std::size_t r = 0; r < n_resources; ++r) {
      const std::size_t first = threshold_for(r, demands[slot * n_resources + r]);
      if (first < kThresholds) bits_[row(r, first) + slot / 64] |= std::uint64_t{1} << (slot % 64);
    }
  }
  for (std::size_t r = 0; r < n_resources; ++r) {
    for (std::size_t k = 1; k < kThresholds; ++k) {
      for (std::size_t i = 0; i < n_words_; ++i) bits_[row(r, k) + i] |= bits_[row(r, k - 1) + i];
    }
  }
}

void DemandSlices::add(std::size_t slot, const Amount* demand) {
  const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  for (std::size_t r = 0; r < n_resources_; ++r) {
    for (std::size_t k = threshold_for(r, demand[r]); k < kThresholds; ++k) bits_[row(r, k) + slot / 64] |= bit;
  }
}

// Just below each distinct value where they are few, so that a row holds what fits between one value and the next;
// otherwise below quantiles, closer together among the small demands, since it is the machines with little room that are
// asked in vain.  The first row holds what is less than the least demand: nothing, at first.
void DemandSlices::choose_thresholds(std::span<const Amount> demands) {
  const std::size_t n_demands = n_resources_ == 0 ? 0 : demands.size() / n_resources_;
  const std::size_t step = n_demands / kSample + 1;
  std::vector<Amount> sample;
  std::vector<Amount> distinct;
  for (std::size_t r = 0; r < n_resources_ && n_demands > 0; ++r) {
    sample.clear();
    for (std::size_t slot = 0; slot < n_demands; slot += step) sample.push_back(demands[slot * n_resources_ + r]);
    std::sort(sample.begin(), sample.end());
    distinct.clear();
    std::unique_copy(sample.begin(), sample.end(), std::back_inserter(distinct));
    for (std::size_t k = 0; k < kThresholds; ++k) {
      const std::size_t quantile = k * k * (sample.size() - 1) / ((kThresholds - 1) * (kThresholds - 1));
      const Amount chosen =
          distinct.size() <= kThresholds ? distinct[std::min(k, distinct.size() - 1)] : sample[quantile];
      const auto below = std::lower_bound(sample.begin(), sample.end(), chosen) - sample.begin();
      threshold_[r * kThresholds + k] = chosen - 1;
      share_[r * kThresholds + k] = static_cast<double>(below) / static_cast<double>(sample.size());
    }
  }
}

std::size_t DemandSlices::threshold_for(std::size_t resource, Amount amount) const {
  const Amount* thresholds = threshold_.data() + resource * kThresholds;
  static_assert(std::has_single_bit(kThresholds + 1));
  std::size_t below = 0;  // thresholds that are; a halving without branches
  for (std::size_t half = (kThresholds + 1) / 2; half > 0; half /= 2) {
    below += thresholds[below + half - 1] < amount ? half : 0;
  }
  return below;
}

DemandSlices::Rows DemandSlices::rows_for(const Amount* available) const {
  Rows rows;
  std::array<double, kMostRows> share;
  for (std::size_t r = 0; r < n_resources_; ++r) {
    const std::size_t k = threshold_for(r, available[r]);
    if (k == kThresholds) continue;
    // Insertion by share: what excludes most comes first, and what excludes least is left out where there are too many.
    const double own = share_[r * kThresholds + k];
    if (rows.count == kMostRows && own >= share[kMostRows - 1]) continue;
    std::size_t place = rows.count < kMostRows ? rows.count++ : kMostRows - 1;
    for (; place > 0 && share[place - 1] > own; --place) {
      share[place] = share[place - 1];
      rows.offset[place] = rows.offset[place - 1];
    }
    share[place] = own;
    rows.offset[place] = row(r, k);
  }
  return rows;
}

void DemandSlices::check_slot(std::size_t slot, const Amount* demand) const {
  for (std::size_t r = 0; r < n_resources_; ++r) {
    for (std::size_t k = 0; k < kThresholds; ++k) {
      const bool is_set = (bits_[row(r, k) + slot / 64] >> (slot % 64) & 1) != 0;
      if (is_set != (demand[r] <= threshold_[r * kThresholds + k])) throw std::logic_error("DemandSlices: bits of a slot");
    }
  }
}

}  // namespace schedcore
