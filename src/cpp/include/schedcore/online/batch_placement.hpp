// Placing a batch of jobs beside what is committed: the inner step of MRIS, and of anything that plans ahead.
//
// The committed schedule is one ResourceTimeline a machine; every placement is reserved there at once and reported.
// Jobs come in priority order.  Both forms end because a job that fits an empty machine fits after the last commitment;
// one whose machines are blocked for ever is placed nowhere, and nothing is reported of it.
//
// place_by_scan: PQ with backfilling into the future.  At `from` and at every later instant at which room appears on a
// machine, the jobs are tried in priority order and start there if they fit during their whole processing time.  A job
// never waits while it fits.  O(events * (search + R log k)).
// place_in_order: every job in turn at its earliest fit, ties to the lowest machine; a job placed early can keep a later
// one from starting.  EarliestStarts says from where on a job has to be sought, StartIndex finds it among the starts on
// all machines, so that the machines are not asked one by one: O(R (log k + b)) a job with k breakpoints on all machines
// and b starts between that bound and the answer (some tens for azure_like, whatever the number of machines; thousands
// where long jobs find only short gaps).  A batch costs O(R k log k) to begin with and 16 (R + 2) bytes a job and a start.
// place_in_order_by_machine: the same, with a search of every machine that the job may use.  What one job leaves says
// nothing of where a job for other machines fits, so that jobs with constraints go this way.
#pragma once

#include <span>
#include <vector>

#include "schedcore/engine/job_table.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/index/class_queue.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

void place_by_scan(std::span<const WaitingJob> batch, Time from, const JobTable& jobs,
                   std::vector<ResourceTimeline>& timelines, Turn& turn, std::vector<Placement>& placements);

void place_in_order(std::span<const WaitingJob> batch, Time from, const JobTable& jobs,
                    std::vector<ResourceTimeline>& timelines, Turn& turn, std::vector<Placement>& placements);

void place_in_order_by_machine(std::span<const WaitingJob> batch, Time from, const JobTable& jobs,
                               std::vector<ResourceTimeline>& timelines, Turn& turn, std::vector<Placement>& placements);

}  // namespace schedcore
