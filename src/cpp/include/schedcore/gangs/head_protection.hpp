// The reservation of the one protected job, and what is left for others beside it.
//
// Others that end by its start may use all that is free now; those that end later only what the reserved places leave, the
// lesser of what is free now and of what is free at the start beyond the reservation.  Overtaking changes neither the start
// nor the places, so the reservation holds until room appears or another job is to be protected.
//
// Cost: protect O(R) a place, what the search cost aside; everything else as of RoomCounts.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "schedcore/gangs/head_search.hpp"
#include "schedcore/index/room_counts.hpp"

namespace schedcore {

class HeadProtection {
 public:
  using Class = GangClasses::Class;

  HeadProtection() = default;
  explicit HeadProtection(const MachinesView& machines);

  [[nodiscard]] bool is_on() const { return start_ < kNever; }
  [[nodiscard]] Time start() const { return start_; }
  [[nodiscard]] std::uint32_t first_machine() const { return places_.front().machine; }
  [[nodiscard]] std::span<const TaskPlace> places() const { return places_; }

  // Reserves, until `end`, what the search found for a job that holds `demand` a task, or its machines alone.
  void protect(Time start, Time end, const HeadSearch& search, std::span<const Amount> demand, bool is_exclusive,
               const GangClasses& classes);
  void drop();

  // What is free on the machine now has changed.
  void note_change(std::size_t machine) {
    const auto on = static_cast<std::uint32_t>(machine);
    if (is_behind_[on]) return;
    is_behind_[on] = true;
    behind_.push_back(on);
  }
  // So many jobs more that outlast the start of the reservation hold so much of the machine, which changes now.
  void note_outlasting(std::size_t machine, std::span<const Amount> held, Amount n_more);
  // Of the machine, beside the reservation.
  void set_limits(std::size_t machine, std::vector<RoomCounts::Limit> limits);

  // What jobs may use that outlast the start, of what is free now.
  [[nodiscard]] RoomCounts& beside(const RoomCounts& now) {
    if (!behind_.empty()) catch_up(now);
    return beside_;
  }

 private:
  static constexpr std::uint32_t kNotReserved = ~std::uint32_t{0};

  void catch_up(const RoomCounts& now);
  void limit_beside(std::uint32_t machine);

  std::size_t n_resources_ = 0;
  Time start_ = kNever;
  Time end_ = kNever;
  std::vector<TaskPlace> places_;
  std::vector<Amount> extra_;          // a row a place: free at the start beyond the reservation
  std::vector<Amount> held_;           // a row a place: by the reservation
  std::vector<std::uint32_t> number_;  // by machine: of its place
  std::map<std::uint32_t, std::vector<RoomCounts::Limit>> limits_;  // by machine, without the reservation
  std::vector<Amount> row_;            // scratch
  RoomCounts beside_;
  std::vector<std::uint32_t> behind_;  // machines that have changed since somebody last asked
  std::vector<bool> is_behind_;        // by machine
};

}  // namespace schedcore
