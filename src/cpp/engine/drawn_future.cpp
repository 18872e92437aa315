#include "schedcore/engine/drawn_future.hpp"

#include <algorithm>
#include <limits>

namespace schedcore {
namespace {

// Streams of nearby seeds share their states, so that of a sample begins somewhere else.
std::uint64_t seed_of_sample(std::uint64_t seed, std::uint64_t sample) {
  const std::uint64_t mixed = RandomStream(seed).next() ^ RandomStream(~sample).next();
  return RandomStream(mixed).next();
}

}  // namespace

DrawnFuture::DrawnFuture(const RunHistory& runs, const ArrivalHistory* arrivals, std::uint64_t seed, std::uint64_t sample,
                         Time now)
    : runs_(runs), arrivals_(arrivals), random_(seed_of_sample(seed, sample)) {
  if (arrivals_ == nullptr || arrivals_->jobs.empty()) return;
  next_arrival_ = now;
  draw_gap();
}

std::span<const double> DrawnFuture::shares_of(std::int64_t id) const {
  std::uint32_t group = 0;
  if (const auto known = runs_.group_of.find(id); known != runs_.group_of.end()) group = known->second;
  if (const auto known = group_of_arrived_.find(id); known != group_of_arrived_.end()) group = known->second;
  const auto first = static_cast<std::size_t>(runs_.first[group]);
  return runs_.share.subspan(first, static_cast<std::size_t>(runs_.first[group + 1]) - first);
}

Time DrawnFuture::length(std::int64_t id, Time estimate) {
  const auto shares = shares_of(id);
  return std::min(estimate * shares[random_.below(shares.size())], std::numeric_limits<Time>::max());
}

Time DrawnFuture::end_of_running(std::int64_t id, Time start, Time estimate, Time expected_end, Time now) {
  const auto shares = shares_of(id);
  const auto longer = std::ranges::partition_point(shares, [&](double share) { return start + estimate * share <= now; });
  const auto n_longer = static_cast<std::uint64_t>(shares.end() - longer);
  const std::uint64_t drawn = random_.next();  // also where it decides nothing, so that others draw the same
  if (n_longer == 0) return expected_end;
  const Time end = start + estimate * longer[static_cast<std::ptrdiff_t>(drawn % n_longer)];
  return std::min(end, std::numeric_limits<Time>::max());
}

void DrawnFuture::draw_gap() {
  if (n_arrived_ == arrivals_->jobs.size()) {
    next_arrival_ = kNever;
    return;
  }
  next_arrival_ += arrivals_->gap[random_.below(arrivals_->gap.size())];
}

Time DrawnFuture::next_arrival(Time before) { return next_arrival_ <= before ? next_arrival_ : kNever; }

RecordedEvent DrawnFuture::arrivals() {
  jobs_.clear();
  demand_.clear();
  placements_.clear();
  const std::size_t n_resources = arrivals_->demand.size() / arrivals_->jobs.size();
  const Time now = next_arrival_;
  while (next_arrival_ == now) {
    const std::size_t row = random_.below(arrivals_->jobs.size());
    JobColumns& job = jobs_.emplace_back(arrivals_->jobs[row]);
    job.release_time = now;
    job.id = arrivals_->first_id + static_cast<std::int64_t>(n_arrived_++);
    const auto demand = std::span(arrivals_->demand).subspan(row * n_resources, n_resources);
    demand_.insert(demand_.end(), demand.begin(), demand.end());
    if (!arrivals_->placements.empty()) placements_.push_back(arrivals_->placements[row]);
    if (arrivals_->group[row] != 0) group_of_arrived_.emplace(job.id, arrivals_->group[row]);
    draw_gap();
  }
  return {now, jobs_, demand_, placements_, {}, {}};
}

}  // namespace schedcore
