// Lower bounds on where the jobs of a class fit first, kept while a plan changes.
//
// Jobs of equal demand and estimate that may use the same machines are a class.  For every class and machine `bound` is an
// instant before which none of its jobs fits beside what is planned.  Reserving keeps a bound; a release may lower it, and
// only for starts from which a job would reach into what was released.  So a look at a job costs one comparison while
// nothing was released, and a search of the timeline confined to the released stretch otherwise, once for the whole class.
// A class that was not looked at during the last 64 releases of a machine or more searches the hull of all that the machine
// ever released.
//
// Cost with M machines: O(1) to learn of a release; O(M) for a new class and for a bound that is out of date, with
// O(R (b + log k)) for the b stretches searched on each machine that released something; `earliest` O(M) and as much for
// each machine with a bound below the best place found so far.  Memory 16 bytes a class and machine, where classes are
// those that have jobs and gaps among them, which are filled first.  That is 64 MB at most, or what 64 classes take: where
// there are more, several share a row in turn, and one that comes back to it begins as a new one.  A copy begins without
// bounds, which only save searches: 48 bytes a machine and nothing a class and machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/index/eligibility.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

class FitBounds {
 public:
  using Class = std::uint32_t;
  static constexpr Class kNoClass = std::numeric_limits<Class>::max();
  struct Fit {
    Time time = kNever;
    std::uint32_t machine = 0;
    friend auto operator<=>(const Fit&, const Fit&) = default;
  };

  FitBounds() = default;
  // resolution 0, or what planned ends are multiples of.  `max_rows` > 0 is for how many classes bounds are kept.
  FitBounds(std::size_t n_machines, std::size_t n_resources, Time resolution)
      : FitBounds(n_machines, n_resources, resolution,
                  std::max(kFewestRows, kMostPlaces / std::max<std::size_t>(n_machines, 1))) {}
  FitBounds(std::size_t n_machines, std::size_t n_resources, Time resolution, std::size_t max_rows);

  // One job more of the class, or one less.
  [[nodiscard]] Class add(std::span<const Amount> demand, Time estimate, const Eligibility& eligibility = {});
  void remove(Class of);
  // Those that take room: with jobs, and gaps among them.
  [[nodiscard]] std::size_t n_classes() const { return classes_.size(); }
  [[nodiscard]] std::span<const Amount> demand(Class of) const { return {demand_.data() + of * n_resources_, n_resources_}; }

  // The planned end of a job that starts at `start`, which is the present instant or a planned end; later than `start` even
  // where the estimate is lost in rounding.
  [[nodiscard]] Time planned_end(Time estimate, Time start, Time now) const {
    const Time end = start == now ? rounded_up(now + estimate, resolution_) : start + rounded_up(estimate, resolution_);
    return std::max(end, std::nextafter(start, kNever));
  }
  // The same where the job has missed its start and waits: as if it started now, and before the end of the clock.
  [[nodiscard]] Time overdue_end(Time estimate, Time now) const {
    return std::min(planned_end(estimate, now, now), std::numeric_limits<Time>::max());
  }
  // A job of the class that starts before this ends by `instant`, which is a multiple of the resolution or not after the
  // present one, however doubles round.
  [[nodiscard]] Time first_start_beyond(Class of, Time instant) const {
    return instant - classes_[of].length - instant * (4 * std::numeric_limits<Time>::epsilon());
  }

  // Something was released on [from, to) of the machine.
  void note_release(std::size_t machine, Time from, Time to);
  // Every bound is void, because the plan is made anew from `now` on.
  void forget(Time now);

  // Before this no job of the class fits, in the order of (time, machine).
  [[nodiscard]] const Fit& bound(Class of, Time now, const std::vector<ResourceTimeline>& timelines) {
    if (rows_.owner[of % max_rows_] != of) claim_row(of);
    if (classes_[of].seen != n_releases_) refresh(of, now, timelines);
    return classes_[of].least;
  }
  // After that, while no other class is asked for, on one machine.
  [[nodiscard]] Time bound_on(Class of, std::size_t machine) const { return places_of(of)[machine].bound; }
  [[nodiscard]] bool may_use(Class of, std::size_t machine) const { return classes_[of].eligibility.allows(machine); }
  // Where a job of the class fits first if that is before `limit`; otherwise something not before `limit`.
  [[nodiscard]] Fit earliest(Class of, Time now, const Fit& limit, const std::vector<ResourceTimeline>& timelines);
  // The first start in [from, until) on one machine, without regard to the bounds; kNever if there is none.
  [[nodiscard]] Time first_start(Class of, Time from, Time until, Time now, const ResourceTimeline& timeline) const;

 private:
  struct JobClass {
    Time estimate = 0;
    Time length = 0;  // in the plan, from a multiple of the resolution on
    std::uint64_t n_jobs = 0;
    std::uint64_t seen = 0;  // releases, on all machines, that `least` takes account of
    Fit least;               // of its places
    Eligibility eligibility;
    Class next = kNoClass;   // with a hash in the same bucket
  };
  struct Place {
    Time bound = 0;
    std::uint64_t seen = 0;  // releases of the machine that the bound takes account of; kNotAllowed: jobs may not use it
  };
  // More than any machine releases: a machine that is not allowed looks up to date, with a bound of kNever, for ever.
  static constexpr std::uint64_t kNotAllowed = std::numeric_limits<std::uint64_t>::max();
  struct Span {
    Time from = kNever;
    Time to = 0;
    void include(const Span& other) {
      from = std::min(from, other.from);
      to = std::max(to, other.to);
    }
  };
  // The releases of a machine; those before `first` are merged into one span.
  struct Releases {
    std::uint64_t first = 0;
    Span merged;
    std::vector<Span> spans;

    Releases() = default;
    // No bound of a copy is from before one of them.
    Releases(const Releases& other) : first(other.count()) {}
    Releases(Releases&&) noexcept = default;
    Releases& operator=(Releases other) noexcept {
      first = other.first;
      merged = other.merged;
      spans.swap(other.spans);
      return *this;
    }
    ~Releases() = default;
    [[nodiscard]] std::uint64_t count() const { return first + spans.size(); }
  };
  static constexpr std::size_t kKept = 64;

  static constexpr std::size_t kMostPlaces = std::size_t{1} << 22;
  static constexpr std::size_t kFewestRows = 64;
  static constexpr std::size_t kFewestBuckets = 16;

  // Of classes modulo max_rows_.
  struct Rows {
    std::vector<Class> owner;                // whose places are there
    std::vector<std::vector<Place>> places;  // by machine; empty until a class needs them

    Rows() = default;
    Rows(const Rows& other) : owner(other.owner.size(), kNoClass), places(other.owner.size()) {}
    Rows(Rows&&) noexcept = default;
    Rows& operator=(Rows other) noexcept {
      owner.swap(other.owner);
      places.swap(other.places);
      return *this;
    }
    ~Rows() = default;
  };

  [[nodiscard]] const Place* places_of(Class of) const { return rows_.places[of % max_rows_].data(); }
  [[nodiscard]] Place* places_of(Class of) { return rows_.places[of % max_rows_].data(); }
  void claim_row(Class of);
  void resize_rows();
  [[nodiscard]] Class unused_class();
  [[nodiscard]] static std::uint64_t hash_of(std::span<const Amount> demand, Time estimate,
                                             const Eligibility& eligibility);
  [[nodiscard]] Class& first_of(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  [[nodiscard]] Class& first_like(Class of) {
    return first_of(hash_of(demand(of), classes_[of].estimate, classes_[of].eligibility));
  }
  void fit_buckets();
  void refresh(Class of, Time now, const std::vector<ResourceTimeline>& timelines);
  void refresh_place(Class of, std::size_t machine, Time now, const ResourceTimeline& timeline);
  void take_least(Class of);

  std::size_t n_machines_ = 0;
  std::size_t n_resources_ = 0;
  Time resolution_ = 0;
  std::vector<JobClass> classes_;
  std::vector<Amount> demand_;  // row-major, a row a class
  std::size_t max_rows_ = kFewestRows;
  Rows rows_;
  std::vector<Class> unused_;   // a heap, the lowest on top; may hold classes that have gone or have jobs again
  std::vector<Releases> releases_;
  std::uint64_t n_releases_ = 0;
  // Of classes with jobs, by hash: the first of each.  A power of two, at least as many as classes.
  std::vector<Class> buckets_ = std::vector<Class>(kFewestBuckets, kNoClass);
};

}  // namespace schedcore
