// What a plan of jobs of one task says of room on its machines over time, whatever it is made of.
//
// A class is what jobs need and where they may have it.  For ReleasedRoom (released_room.hpp); an answer costs as of the plan.
#pragma once

#include <cstdint>
#include <span>

#include "schedcore/base/types.hpp"

namespace schedcore {

// A stretch of time with room, as long as it is; none where it begins at kNever.
struct RoomSpan {
  Time begin = kNever;
  Time end = kNever;
};

class PlanOfRoom {
 public:
  virtual ~PlanOfRoom() = default;
  [[nodiscard]] virtual std::span<const Amount> demand(std::uint32_t job_class) const = 0;
  [[nodiscard]] virtual bool may_use(std::uint32_t job_class, std::uint32_t machine) const = 0;
  [[nodiscard]] virtual Time planned_end(Time estimate, Time start) const = 0;
  // What is free on the machine at most, resource by resource, in [from, to).
  virtual void most_free(std::uint32_t machine, Time from, Time to, std::span<Amount> most) const = 0;
  // The first span that meets [from, to) and has room for the demand, or for a job of the class.
  [[nodiscard]] virtual RoomSpan first_room(std::uint32_t machine, Time from, Time to, std::span<const Amount> demand) const = 0;
  [[nodiscard]] virtual RoomSpan first_room_of(std::uint32_t machine, Time from, Time to, std::uint32_t job_class) const = 0;
  // Whether more is taken of the machine than it has at an instant in [from, to).
  [[nodiscard]] virtual bool is_overfull(std::uint32_t machine, Time from, Time to) const = 0;
  // Since when there is room until `t`; `t` if there is none just before.
  [[nodiscard]] virtual Time room_since(std::uint32_t machine, Time t, std::uint32_t job_class) const = 0;
};

}  // namespace schedcore
