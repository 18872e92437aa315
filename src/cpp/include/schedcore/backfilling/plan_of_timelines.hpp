// A plan of jobs of one task as ReleasedRoom sees it: a timeline for each machine, and classes as the bounds know them.
//
// Views; they live as long as what they are made of does not move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/backfilling/fit_bounds.hpp"
#include "schedcore/backfilling/plan_of_room.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

class PlanOfTimelines final : public PlanOfRoom {
 public:
  PlanOfTimelines(const FitBounds& bounds, const std::vector<ResourceTimeline>& timelines, Time now)
      : bounds_(bounds), timelines_(timelines), now_(now) {}

  [[nodiscard]] std::span<const Amount> demand(std::uint32_t job_class) const override { return bounds_.demand(job_class); }
  [[nodiscard]] bool may_use(std::uint32_t job_class, std::uint32_t machine) const override {
    return bounds_.may_use(job_class, machine);
  }
  [[nodiscard]] Time planned_end(Time estimate, Time start) const override {
    return bounds_.planned_end(estimate, start, now_);
  }
  void most_free(std::uint32_t machine, Time from, Time to, std::span<Amount> most) const override {
    timelines_[machine].range_max(from, to, most);
  }
  [[nodiscard]] RoomSpan first_room(std::uint32_t machine, Time from, Time to, std::span<const Amount> demand) const override {
    const ResourceTimeline::Gap gap = timelines_[machine].first_gap(from, to, demand);
    return {gap.begin, gap.end};
  }
  [[nodiscard]] RoomSpan first_room_of(std::uint32_t machine, Time from, Time to, std::uint32_t job_class) const override {
    return first_room(machine, from, to, bounds_.demand(job_class));
  }
  [[nodiscard]] bool is_overfull(std::uint32_t machine, Time from, Time to) const override {
    const ResourceTimeline& timeline = timelines_[machine];
    return timeline.first_shortage(from, std::vector<Amount>(timeline.n_resources())) < to;
  }
  [[nodiscard]] Time room_since(std::uint32_t machine, Time t, std::uint32_t job_class) const override {
    return timelines_[machine].room_since(t, bounds_.demand(job_class));
  }

 private:
  const FitBounds& bounds_;
  const std::vector<ResourceTimeline>& timelines_;
  Time now_;
};

}  // namespace schedcore
