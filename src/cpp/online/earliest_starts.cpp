#include "schedcore/online/earliest_starts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include "schedcore/index/rows.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kJobsPrefetched = 16;

// A non-negative number's bits increase with it and, unlike its value, by about as much for every doubling.
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

// Positions on the Z-order curve: of each coordinate the leading bits in which the batch differs, interleaved.
class Curve {
 public:
  explicit Curve(std::size_t n_resources)
      : axis_(std::min<std::size_t>(n_resources + 1, 64)), n_bits_(64 / axis_.size()) {}

  void cover(Time processing_time, const Amount* demand) {
    for (std::size_t i = 0; i < axis_.size(); ++i) {
      const std::uint64_t at = coordinate(processing_time, demand, i);
      axis_[i].least = std::min(axis_[i].least, at);
      axis_[i].most = std::max(axis_[i].most, at);
    }
  }
  // Requires that all jobs have been covered.
  [[nodiscard]] std::uint64_t position(Time processing_time, const Amount* demand) const {
    std::array<std::uint64_t, 64> at;
    for (std::size_t i = 0; i < axis_.size(); ++i) {
      const auto width = static_cast<std::size_t>(std::bit_width(axis_[i].most - axis_[i].least));
      at[i] = (coordinate(processing_time, demand, i) - axis_[i].least) >> (std::max(width, n_bits_) - n_bits_);
    }
    std::uint64_t position = 0;
    for (std::size_t bit = n_bits_; bit-- > 0;) {
      for (std::size_t i = 0; i < axis_.size(); ++i) position = position << 1 | (at[i] >> bit & 1);
    }
    return position;
  }

 private:
  struct Axis {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
  };

  // The processing time and the first 63 demands.
  [[nodiscard]] static std::uint64_t coordinate(Time processing_time, const Amount* demand, std::size_t i) {
    return bits_of(i == 0 ? processing_time : static_cast<double>(demand[i - 1]));
  }

  std::vector<Axis> axis_;
  std::size_t n_bits_;
};

void ensure(bool holds) {
  if (!holds) throw std::logic_error("EarliestStarts: invariant broken");
}

}  // namespace

EarliestStarts::EarliestStarts(std::span<const WaitingJob> batch, const JobTable& jobs, Time from)
    : n_resources_(jobs.n_resources()), from_(from) {
  const std::size_t n_jobs = batch.size();
  Curve curve(n_resources_);
  std::vector<Time> processing_time;
  std::vector<Amount> demand;
  processing_time.reserve(n_jobs);
  demand.reserve(n_jobs * n_resources_);
  for (std::size_t i = 0; i < n_jobs; ++i) {
    if (i + kJobsPrefetched < n_jobs) jobs.prefetch(batch[i + kJobsPrefetched].job);
    const auto row = jobs.demand(batch[i].job);
    processing_time.push_back(jobs.processing_time(batch[i].job));
    demand.insert(demand.end(), row.begin(), row.end());
    curve.cover(processing_time.back(), row.data());
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  order.reserve(n_jobs);
  for (std::uint32_t i = 0; i < n_jobs; ++i) {
    order.emplace_back(curve.position(processing_time[i], demand.data() + i * n_resources_), i);
  }
  std::sort(order.begin(), order.end());

  const std::size_t n_filled = (n_jobs + kLeafSize - 1) / kLeafSize;
  n_leaves_ = std::bit_ceil(std::max<std::size_t>(n_filled, 1));
  node_.assign(2 * n_leaves_, {kNever, from});
  least_demand_.assign(2 * n_leaves_ * n_resources_, std::numeric_limits<Amount>::max());
  job_.assign(n_filled * kLeafSize, {kNever, from});
  demand_.resize(job_.size() * n_resources_);
  place_.resize(n_jobs);
  for (std::size_t place = 0; place < n_jobs; ++place) {
    const std::uint32_t i = order[place].second;
    const std::size_t leaf = n_leaves_ + place / kLeafSize;
    const Amount* row = demand.data() + i * n_resources_;
    place_[i] = static_cast<std::uint32_t>(place);
    job_[place].processing_time = processing_time[i];
    copy_row(demand_.data() + place * n_resources_, row, n_resources_);
    node_[leaf].processing_time = std::min(node_[leaf].processing_time, processing_time[i]);
    take_minima(least_demand_.data() + leaf * n_resources_, row, n_resources_);
  }
  for (std::size_t child = 2 * n_leaves_; --child > 1;) {
    Times& parent = node_[child / 2];
    parent.processing_time = std::min(parent.processing_time, node_[child].processing_time);
    Amount* least = least_demand_.data() + child / 2 * n_resources_;
    take_minima(least, least_demand_.data() + child * n_resources_, n_resources_);
  }
}

void EarliestStarts::record(std::size_t position, Time start) {
  const std::size_t place = place_[position];
  job_[place].start = start;
  for (std::size_t node = n_leaves_ + place / kLeafSize; node > 0 && node_[node].start < start; node /= 2) {
    node_[node].start = start;
  }
}

// From the job's own leaf, where those that resemble it are, upwards through what hangs beside the path.
template <class Width>
Time EarliestStarts::search(std::size_t own, Width width) const {
  const Time processing_time = job_[own].processing_time;
  const Amount* demand = demand_.data() + own * width;
  Time latest = from_;
  const auto counts = [&](const Times& other, const Amount* other_demand) {
    return other.start > latest && other.processing_time <= processing_time && fits(other_demand, demand, width);
  };
  const auto read_leaf = [&](std::size_t leaf) {
    for (std::size_t place = leaf * kLeafSize; place < (leaf + 1) * kLeafSize; ++place) {
      if (counts(job_[place], demand_.data() + place * width)) latest = job_[place].start;
    }
  };
  std::array<std::size_t, kMostOpen> open;
  std::size_t n_open = 0;
  std::size_t n_left = kMostNodes;
  const auto consider = [&](std::size_t node) {
    if (counts(node_[node], least_demand_.data() + node * width)) open[n_open++] = node;
  };
  read_leaf(own / kLeafSize);
  for (std::size_t path = n_leaves_ + own / kLeafSize; path > 1 && n_left > 0; path /= 2) {
    consider(path ^ 1);
    for (; n_open > 0 && n_left > 0; --n_left) {
      const std::size_t node = open[--n_open];
      if (node_[node].start <= latest) continue;
      if (node >= n_leaves_) {
        read_leaf(node - n_leaves_);
      } else {
        // The later child is opened first.
        const bool second = node_[2 * node + 1].start > node_[2 * node].start;
        const std::size_t later = 2 * node + static_cast<std::size_t>(second);
        consider(later ^ 1);
        consider(later);
      }
    }
  }
  return latest;
}

Time EarliestStarts::bound(std::size_t position) const {
  return with_width(n_resources_, [&](auto width) { return search(place_[position], width); });
}

void EarliestStarts::check_invariants() const {
  ensure(node_.size() == 2 * n_leaves_ && job_.size() <= n_leaves_ * kLeafSize && place_.size() <= job_.size());
  for (std::size_t place = place_.size(); place < job_.size(); ++place) ensure(job_[place].processing_time == kNever);
  for (std::size_t place = 0; place < place_.size(); ++place) {
    ensure(job_[place].start >= from_);
    for (std::size_t node = n_leaves_ + place / kLeafSize; node > 0; node /= 2) {
      ensure(node_[node].processing_time <= job_[place].processing_time && node_[node].start >= job_[place].start);
      ensure(fits(least_demand_.data() + node * n_resources_, demand_.data() + place * n_resources_, n_resources_));
    }
  }
}

}  // namespace schedcore
