// A future that is drawn from history: what runs take as a share of their estimates, and who arrives when.
//
// A run takes its estimate times the share of a run of the history, of the same group of jobs (a user, say); one that is under way
// the share of a run that took longer than it has so far, or by what is expected where there is none.  Gaps between arrivals
// and the jobs that arrive are drawn one by one, at most as many as the history has.  A future is a function of its seed.
//
// Cost: O(1) a run that begins, O(log n) one that is under way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedcore/base/random_stream.hpp"
#include "schedcore/engine/continuation.hpp"

namespace schedcore {

struct RunHistory {
  std::span<const double> share;                 // of the estimates that runs took; increasing in each group
  std::span<const std::int64_t> first;           // where each group begins, and the end; group 0 holds all, none is empty
  std::unordered_map<std::int64_t, std::uint32_t> group_of = {};  // by id, of jobs that are in another than group 0
};

struct ArrivalHistory {
  std::span<const Time> gap;              // between one arrival and the next
  std::vector<JobColumns> jobs;           // release times and ids are those of the future
  std::vector<Amount> demand;             // row-major
  std::vector<JobPlacements> placements;  // of all or none
  std::vector<std::uint32_t> group;       // of runs
  std::int64_t first_id = 0;              // of those that arrive
};

class DrawnFuture final : public Future {
 public:
  // Number `sample` of the futures of a seed, from `now` on.  `arrivals` may be null.
  DrawnFuture(const RunHistory& runs, const ArrivalHistory* arrivals, std::uint64_t seed, std::uint64_t sample, Time now);

  [[nodiscard]] Time length(std::int64_t id, Time estimate) override;
  [[nodiscard]] Time end_of_running(std::int64_t id, Time start, Time estimate, Time expected_end, Time now) override;
  [[nodiscard]] Time next_arrival(Time before) override;
  [[nodiscard]] RecordedEvent arrivals() override;

 private:
  [[nodiscard]] std::span<const double> shares_of(std::int64_t id) const;
  void draw_gap();

  const RunHistory& runs_;
  const ArrivalHistory* arrivals_;
  RandomStream random_;
  Time next_arrival_ = kNever;
  std::size_t n_arrived_ = 0;
  std::unordered_map<std::int64_t, std::uint32_t> group_of_arrived_;
  // Of the last arrivals.
  std::vector<JobColumns> jobs_;
  std::vector<Amount> demand_;
  std::vector<JobPlacements> placements_;
};

}  // namespace schedcore
