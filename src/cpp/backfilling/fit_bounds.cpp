#include "schedcore/backfilling/fit_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

namespace schedcore {

FitBounds::FitBounds(std::size_t n_machines, std::size_t n_resources, Time resolution, std::size_t max_rows)
    : n_machines_(n_machines), n_resources_(n_resources), resolution_(resolution), max_rows_(max_rows), releases_(n_machines) {}

std::uint64_t FitBounds::hash_of(std::span<const Amount> demand, Time estimate, const Eligibility& eligibility) {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(estimate) * 0x9E3779B97F4A7C15ULL ^ eligibility.hash();
  for (const Amount amount : demand) {
    hash = (hash ^ (hash >> 29) ^ static_cast<std::uint64_t>(amount)) * 0xBF58476D1CE4E5B9ULL;
  }
  return hash ^ (hash >> 32);
}

FitBounds::Class FitBounds::unused_class() {
  while (!unused_.empty()) {
    std::pop_heap(unused_.begin(), unused_.end(), std::greater());
    const Class of = unused_.back();
    unused_.pop_back();
    if (of < classes_.size() && classes_[of].n_jobs == 0) return of;
  }
  const auto of = static_cast<Class>(classes_.size());
  classes_.emplace_back();
  demand_.resize(demand_.size() + n_resources_);
  resize_rows();
  return of;
}

void FitBounds::resize_rows() {
  rows_.owner.resize(std::min(classes_.size(), max_rows_), kNoClass);
  rows_.places.resize(rows_.owner.size());
}

// Nothing is known of its jobs.
void FitBounds::claim_row(Class of) {
  rows_.places[of % max_rows_].resize(n_machines_);
  rows_.owner[of % max_rows_] = of;
  JobClass& jobs = classes_[of];
  jobs.seen = n_releases_;
  jobs.least = {0, 0};
  Place* place = places_of(of);
  for (std::size_t machine = 0; machine < n_machines_; ++machine) {
    place[machine] =
        jobs.eligibility.allows(machine) ? Place{0, releases_[machine].count()} : Place{kNever, kNotAllowed};
  }
}

FitBounds::Class FitBounds::add(std::span<const Amount> demand_of_job, Time estimate,
                                const Eligibility& eligibility) {
  const std::uint64_t hash = hash_of(demand_of_job, estimate, eligibility);
  for (Class of = first_of(hash); of != kNoClass; of = classes_[of].next) {
    if (classes_[of].estimate == estimate && std::ranges::equal(demand(of), demand_of_job) &&
        classes_[of].eligibility == eligibility) {
      ++classes_[of].n_jobs;
      return of;
    }
  }
  const Class of = unused_class();
  classes_[of] = {estimate, rounded_up(estimate, resolution_), 1, n_releases_, {0, 0}, eligibility, kNoClass};
  std::ranges::copy(demand_of_job, demand_.begin() + static_cast<std::ptrdiff_t>(of * n_resources_));
  claim_row(of);
  classes_[of].next = std::exchange(first_of(hash), of);
  fit_buckets();
  return of;
}

void FitBounds::remove(Class of) {
  if (--classes_[of].n_jobs > 0) return;
  Class* link = &first_like(of);
  while (*link != of) link = &classes_[*link].next;
  *link = classes_[of].next;
  classes_[of].eligibility = {};
  unused_.push_back(of);
  std::push_heap(unused_.begin(), unused_.end(), std::greater());
  while (!classes_.empty() && classes_.back().n_jobs == 0) classes_.pop_back();
  demand_.resize(classes_.size() * n_resources_);
  resize_rows();
  if (classes_.size() < classes_.capacity() / 8) {
    classes_.shrink_to_fit();
    demand_.shrink_to_fit();
    rows_.owner.shrink_to_fit();
    rows_.places.shrink_to_fit();
    fit_buckets();
  }
}

void FitBounds::fit_buckets() {
  const std::size_t n_buckets = std::max(kFewestBuckets, std::bit_ceil(classes_.size()));
  if (n_buckets <= buckets_.size() && buckets_.size() <= 8 * n_buckets) return;
  buckets_ = std::vector<Class>(n_buckets, kNoClass);
  for (Class of = 0; of < classes_.size(); ++of) {
    if (classes_[of].n_jobs > 0) classes_[of].next = std::exchange(first_like(of), of);
  }
}

void FitBounds::note_release(std::size_t machine, Time from, Time to) {
  Releases& releases = releases_[machine];
  if (releases.spans.size() == kKept) {
    for (const Span& span : releases.spans) releases.merged.include(span);
    releases.first += kKept;
    releases.spans.clear();
  }
  releases.spans.push_back({from, to});
  ++n_releases_;
}

void FitBounds::forget(Time now) {
  for (Releases& releases : releases_) releases.merged = {};
  for (std::vector<Place>& places : rows_.places) {
    for (Place& place : places) place.bound = place.seen == kNotAllowed ? kNever : now;
  }
  for (JobClass& each : classes_) each.least = {now, 0};
}

void FitBounds::refresh_place(Class of, std::size_t machine, Time now, const ResourceTimeline& timeline) {
  Place& place = places_of(of)[machine];
  const Releases& releases = releases_[machine];
  if (place.seen >= releases.count()) return;
  Span released;
  std::uint64_t next = place.seen;
  if (next < releases.first) {
    released = releases.merged;
    next = releases.first;
  }
  for (; next < releases.count(); ++next) released.include(releases.spans[static_cast<std::size_t>(next - releases.first)]);
  place.seen = releases.count();
  // A start from which a job does not reach into what was released is as impossible as before.
  const Time from = std::max(now, first_start_beyond(of, released.from));
  const Time start = first_start(of, from, std::min(place.bound, released.to), now, timeline);
  if (start < place.bound) place.bound = start;
}

void FitBounds::refresh(Class of, Time now, const std::vector<ResourceTimeline>& timelines) {
  for (std::size_t machine = 0; machine < n_machines_; ++machine) refresh_place(of, machine, now, timelines[machine]);
  classes_[of].seen = n_releases_;
  take_least(of);
}

void FitBounds::take_least(Class of) {
  Fit least;
  for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
    const Time bound = bound_on(of, machine);
    if (bound < least.time) least = {bound, machine};
  }
  classes_[of].least = least;
}

FitBounds::Fit FitBounds::earliest(Class of, Time now, const Fit& limit,
                                   const std::vector<ResourceTimeline>& timelines) {
  const Fit least = bound(of, now, timelines);
  if (!(least < limit)) return least;
  Fit best = limit;
  const auto look_at = [&](std::uint32_t machine) {
    Place& place = places_of(of)[machine];
    if (!(Fit{place.bound, machine} < best)) return;
    // On a machine before that of the best its very instant is still better.
    const Time until = machine < best.machine ? std::nextafter(best.time, kNever) : best.time;
    const Time start = first_start(of, std::max(place.bound, now), until, now, timelines[machine]);
    place.bound = std::min(start, until);
    if (Fit{start, machine} < best) best = {start, machine};
  };
  look_at(least.machine);  // what it finds rules out most of the others
  for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
    if (machine != least.machine) look_at(machine);
  }
  take_least(of);
  return best < limit ? best : classes_[of].least;
}

Time FitBounds::first_start(Class of, Time from, Time until, Time now, const ResourceTimeline& timeline) const {
  const JobClass& jobs = classes_[of];
  if (from >= until) return kNever;
  // What starts now ends at a multiple of the resolution, which may be less than its length away, or by rounding more.
  if (from == now && resolution_ > 0) {
    const Time shortage = timeline.first_shortage(now, demand(of));
    if (shortage >= planned_end(jobs.estimate, now, now)) return now;
    from = shortage;
  }
  return from < until ? timeline.earliest_fit(from, jobs.length, demand(of), until) : kNever;
}

}  // namespace schedcore
