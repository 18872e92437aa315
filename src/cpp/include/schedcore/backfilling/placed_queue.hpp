// The waiting jobs of a backfilling policy: in the order of their arrival, or of keys that stand still.
//
// Which keys those are is the policy's to say (`Priority` of a job, unique); by arrival nobody has one.
// Cost of either as of arrival_queue.hpp and keyed_queue.hpp.
#pragma once

#include <cstddef>

#include "schedcore/backfilling/arrival_queue.hpp"
#include "schedcore/backfilling/keyed_queue.hpp"

namespace schedcore {

class PlacedQueue {
 public:
  explicit PlacedQueue(bool by_arrival) : by_arrival_(by_arrival) {}

  [[nodiscard]] bool is_by_arrival() const { return by_arrival_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return by_arrival_ ? arrivals_.size() : keyed_.size(); }
  [[nodiscard]] std::size_t n_shown() const { return by_arrival_ ? arrivals_.n_shown() : keyed_.n_shown(); }

  void push(JobSlot job, const JobTable& jobs) { arrivals_.push(job, jobs); }
  void push(JobSlot job, const Priority& place, const JobTable& jobs) { keyed_.push(job, place, jobs); }
  [[nodiscard]] JobSlot head(const JobTable& jobs) { return by_arrival_ ? arrivals_.head(jobs) : keyed_.head(jobs); }
  // Of a queue by keys.
  [[nodiscard]] Priority place_of_head(const JobTable& jobs) {
    static_cast<void>(keyed_.head(jobs));
    return keyed_.place_of_head();
  }
  [[nodiscard]] bool head_is_shown() const { return by_arrival_ ? arrivals_.head_is_shown() : keyed_.head_is_shown(); }
  [[nodiscard]] JobSlot show_next(const JobTable& jobs) {
    return by_arrival_ ? arrivals_.show_next(jobs) : keyed_.show_next(jobs);
  }
  // Of a queue by arrival: see ArrivalQueue.
  template <class Visit>
  void for_each_first(std::size_t n, const JobTable& jobs, const Visit& visit) {
    arrivals_.for_each_first(n, jobs, visit);
  }
  void remove(bool is_shown) {
    if (by_arrival_) {
      arrivals_.remove(is_shown);
    } else {
      keyed_.remove(is_shown);
    }
  }

  void write(SnapshotWriter& archive) const {
    if (by_arrival_) {
      arrivals_.write(archive);
    } else {
      keyed_.write(archive);
    }
  }
  // Calls shown(job) for every job that is shown; `place_of(job)` is asked where they have places.
  template <class PlaceOf, class Shown>
  void read(SnapshotReader& archive, const PlaceOf& place_of, const Shown& shown) {
    if (by_arrival_) {
      arrivals_.read(archive);
      arrivals_.for_each_shown(archive.cluster().jobs, shown);
    } else {
      keyed_.read(archive, place_of, shown);
    }
  }

 private:
  bool by_arrival_;
  ArrivalQueue arrivals_;
  KeyedQueue keyed_;
};

}  // namespace schedcore
