// The earliest instant at which a job fits that does not fit now, beside the running jobs by their planned ends and the
// announced outages and reservations, and where it would go then.
//
// Room appears where a running job or an outage ends.  The search walks over these instants in order and keeps the number
// of tasks that have room; a machine whose next outage the job would meet is left out until that is over.
//
// Cost: O(R) for each machine of each running job that ends by then, and O(M / 64 + R) a machine to place the job; with n
// outages on allowed machines O(n log n) more.  With reservations on S of them, O(R log k) for each running job and outage there,
// and O(S R log k) for each instant at which the others do not suffice; S counts those where a reservation has begun, or all
// where one begins before the job would end.  Memory O(R M), scratch.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/engine/policy.hpp"
#include "schedcore/index/gang_classes.hpp"
#include "schedcore/gangs/gang_queue.hpp"
#include "schedcore/gangs/planned_ends.hpp"
#include "schedcore/index/resource_timeline.hpp"
#include "schedcore/index/room_counts.hpp"

namespace schedcore {

class HeadSearch {
 public:
  HeadSearch() = default;
  HeadSearch(const MachinesView& machines, Time resolution);

  // The instant; kNever if there is none.  Requires that the job does not fit now.
  [[nodiscard]] Time run(const GangEntry& entry, Time now, const GangClasses& classes, RoomCounts& counts,
                         const PlannedEnds& ends, const Turn& turn);
  // Of the last search, if it found an instant: where the job goes, and what is free there then, a row a place.
  [[nodiscard]] const std::vector<TaskPlace>& places() const { return places_; }
  [[nodiscard]] const Amount* free_then(std::size_t machine) const { return rows_.data() + machine * n_resources_; }

 private:
  // An outage of an allowed machine.
  struct Turning {
    Time time = 0;
    std::uint32_t machine = 0;
    std::uint32_t outage = 0;  // its number among those of the machine; kNoOutage for a reservation
  };

  // An allowed machine with reservations, and what is free there over time; the count leaves it out.
  struct Shared {
    std::uint32_t machine = 0;
    ResourceTimeline free;
  };
  static constexpr std::uint32_t kNoOutage = ~std::uint32_t{0};

  [[nodiscard]] std::pair<Time, Time> walk(const GangEntry& entry, Time now, const GangClasses& classes, RoomCounts& counts,
                                           const PlannedEnds& ends, const Turn& turn, bool with_all);
  void open_shared(Time now, const PlannedEnds& ends, const Turn& turn, const RoomCounts& counts, bool with_all);
  [[nodiscard]] bool is_shared(std::uint32_t machine) const { return !shared_.empty() && number_of_shared_[machine] != kNotShared; }
  [[nodiscard]] Amount room_on_shared(Time start, Time end);
  void show_shared(Time start, Time end, bool is_placed);
  void touch(std::uint32_t machine, const RoomCounts& counts);
  [[nodiscard]] bool is_touched(std::size_t machine) const { return (touched_[machine / 64] >> (machine % 64)) & 1; }
  void free_places_of(JobSlot job, const Turn& turn);
  void open_outages(Time now, const Turn& turn, const RoomCounts& counts);
  void watch_outage(std::uint32_t machine, std::uint32_t outage, const Turn& turn);
  void end_outage(const Turning& turning, const Turn& turn, const RoomCounts& counts);
  void leave_out(Time start, Time end, const Turn& turn, const RoomCounts& counts);
  void place(Amount n_tasks, const RoomCounts& counts);

  std::size_t n_resources_ = 0;
  Time resolution_ = 0;

  // Of the search under way.
  const GangClasses* classes_ = nullptr;
  GangClasses::Class class_ = 0;
  Amount count_ = 0;                     // tasks that have room on machines that are not left out
  std::vector<std::uint64_t> touched_;   // bits: machines whose row differs from what is free now
  std::vector<Amount> rows_;             // of touched machines
  std::vector<std::uint64_t> left_out_;  // bits: machines in an outage, or that would be while the job runs
  std::vector<Turning> begins_;          // a heap, the first on top
  std::vector<Turning> ends_;            // sorted
  static constexpr std::uint32_t kNotShared = ~std::uint32_t{0};
  std::vector<Shared> shared_;                    // in order of the machines
  std::vector<std::uint32_t> number_of_shared_;   // by machine; empty while there have been none
  std::vector<Amount> row_;
  std::vector<TaskPlace> places_;
};

}  // namespace schedcore
