// A plan of jobs of several tasks as ReleasedRoom sees it: room for one task of a class.
//
// A view; it lives as long as what it is made of does not move.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "schedcore/backfilling/plan_of_room.hpp"
#include "schedcore/gangs/gang_plan.hpp"
#include "schedcore/index/fit.hpp"
#include "schedcore/index/gang_classes.hpp"

namespace schedcore {

class PlanOfGangs final : public PlanOfRoom {
 public:
  PlanOfGangs(const GangPlan& plan, const GangClasses& classes) : plan_(plan), classes_(classes) {}

  [[nodiscard]] std::span<const Amount> demand(std::uint32_t job_class) const override { return classes_.demand(job_class); }
  [[nodiscard]] bool may_use(std::uint32_t job_class, std::uint32_t machine) const override {
    return classes_.allows(job_class, machine);
  }
  [[nodiscard]] Time planned_end(Time estimate, Time start) const override { return plan_.planned_end(estimate, start); }
  void most_free(std::uint32_t machine, Time from, Time to, std::span<Amount> most) const override {
    plan_.most_free(machine, from, to, most);
  }
  [[nodiscard]] RoomSpan first_room(std::uint32_t machine, Time from, Time to, std::span<const Amount> demand) const override {
    const auto has_room = [demand](const Amount* row) { return fits(demand.data(), row, demand.size()); };
    return span_of(plan_.first_room(machine, from, to, has_room));
  }
  [[nodiscard]] RoomSpan first_room_of(std::uint32_t machine, Time from, Time to, std::uint32_t job_class) const override {
    return span_of(plan_.first_room(machine, from, to, HasRoom{classes_, job_class, machine}));
  }
  [[nodiscard]] bool is_overfull(std::uint32_t machine, Time from, Time to) const override {
    return plan_.is_negative_on(machine, from, to);
  }
  [[nodiscard]] Time room_since(std::uint32_t machine, Time t, std::uint32_t job_class) const override {
    return plan_.room_since(machine, t, HasRoom{classes_, job_class, machine});
  }

 private:
  struct HasRoom {
    const GangClasses& classes;
    std::uint32_t job_class;
    std::uint32_t machine;
    bool operator()(const Amount* row) const { return classes.room(job_class, machine, row) > 0; }
  };
  [[nodiscard]] static RoomSpan span_of(const std::pair<Time, Time>& span) { return {span.first, span.second}; }

  const GangPlan& plan_;
  const GangClasses& classes_;
};

}  // namespace schedcore
