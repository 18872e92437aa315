// Why jobs of an embedded engine wait, as of its last decision.
//
// Of each job one reason, the first that holds: it is held; it waits for others; a limit of the site holds it; machines are
// down without which it does not fit the empty cluster; an announced outage, or a reservation made in advance, is in the way;
// running jobs hold what it needs; reservations of others are in the way; it has been promised a later start; others come
// first.  A job that names a reservation waits for it, or inside it.  For policies that heed clusters; the state is looked at as
// these would go on from it.
//
// Cost: for n jobs that wait or run O(n log n), and for each job that is asked about a few searches of the plan (gang_plan.hpp),
// O(M) each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/engine/decided_state.hpp"

namespace schedcore {

enum class WaitingReason : std::uint8_t { held, dependency, limit, down, outage, reservation, resources, reserved, planned, order };

struct Explanation {
  std::int64_t id = 0;
  WaitingReason reason = WaitingReason::order;
  // Dependency: those that have not ended, ascending.  Reserved: in the order of the queue, those that hold what it would need.  Order: the first that comes before it.
  std::vector<std::int64_t> jobs = {};
  // Down: those that it may use.  Outage, reservation: those of its place that have one, or all of the one that it names.  Resources: its place at that time, in order.
  std::vector<std::uint32_t> machines = {};
  // Resources: the first at which it fits beside the running jobs.  Planned: its start.  Reservation: of the one that it names
  // its begin or, after that, its end.
  Time time = kNever;
  std::vector<Amount> shortage = {};   // resources: what its place lacks now, by resource
  std::size_t n_before = 0;            // order: how many come before it that no limit holds
  std::size_t limit = 0;               // limit: its number among those of the site
};

// Throws InvalidInstanceError for an id that does not wait, UnsupportedError for a policy that heeds no clusters and for tasks
// of parallel jobs.
[[nodiscard]] std::vector<Explanation> explanations(const DecidedState& state, std::span<const std::int64_t> ids);

}  // namespace schedcore
