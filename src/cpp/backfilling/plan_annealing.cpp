#include "schedcore/backfilling/plan_annealing.hpp"

#include <string>
#include <utility>
#include <vector>

namespace schedcore {

void PlanAnnealingPolicy::attach(const MachinesView& machines) {
  ReplanningPolicy::attach(machines);
  scale_ = DemandScale::of_cluster(machines);
}

void PlanAnnealingPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time now = event.now;
  if (!take_up(event, jobs) && next_start_ > now) return;
  wakeup_ = next_start_ = kNever;
  waits_for_starts_ = any_fits(turn);
  if (queue_.empty()) return;
  if (!waits_for_starts_ && !turn.tells_plan()) {
    for (Entry& entry : queue_.entries()) queue_.cancel(entry);
    return;
  }
  std::vector<JobSlot> waiting;
  std::vector<OrderPlan::Job> planned;
  waiting.reserve(queue_.size());
  planned.reserve(queue_.size());
  for (const Entry& entry : queue_.entries()) {
    if (!entry.waits) continue;
    waiting.push_back(entry.job);
    planned.push_back({entry.job_class, jobs.processing_time(entry.job), jobs.id(entry.job)});
  }
  OrderPlan plan(bounds_, load_.timelines(), std::move(planned), limits_.resolution, now, [&] { turn.poll(); });
  follow(waits_for_starts_ ? search(plan, waiting, turn) : queue_order(plan), waiting, now, turn);
  next_start_ = queue_.next_start(now);
  if (waits_for_starts_) wakeup_ = next_start_on_time(now, jobs);
}

// By what is free now: beside running jobs alone nobody starts now elsewhere.
bool PlanAnnealingPolicy::any_fits(const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const MachineIndex& machines = turn.machines();
  bool any = false;
  std::vector<bool> was_looked_at;
  for (Entry& entry : queue_.entries()) {
    if (!entry.waits) continue;
    const FitBounds::Class of = class_of(entry, jobs);
    if (was_looked_at.size() <= of) was_looked_at.resize(of + 1);
    if (any || was_looked_at[of]) continue;
    was_looked_at[of] = true;
    any = machines.first_fit(jobs.demand(entry.job), 0, jobs.eligibility(entry.job)) < machines.n_machines();
  }
  return any;
}

OrderSearchOutcome PlanAnnealingPolicy::search(OrderPlan& plan, const std::vector<JobSlot>& waiting, Turn& turn) {
  const auto keys = [&] {
    OrderKeys all;
    for (const JobSlot job : waiting) {
      all.estimate.push_back(turn.jobs().priority(job, PriorityRule::sjf, scale_));
      all.size.push_back(turn.jobs().priority(job, PriorityRule::sdf, scale_));
      all.area.push_back(turn.jobs().priority(job, PriorityRule::svf, scale_));
    }
    return all;
  };
  OrderSearchOutcome outcome = search_order(plan, keys, options_, random_);
  ++counts_.searches;
  counts_.placements += outcome.placements;
  if (outcome.is_cut) {
    ++counts_.cut;
    turn.tell_shortened("annealing: ended after " + std::to_string(outcome.placements) + " placements");
  }
  return outcome;
}

// In the order of the plan.
void PlanAnnealingPolicy::follow(const OrderSearchOutcome& outcome, const std::vector<JobSlot>& waiting, Time now,
                                 Turn& turn) {
  for (std::size_t position = 0; position < outcome.order.size(); ++position) {
    const OrderPlan::Place& place = outcome.places[position];
    give(queue_.of_job(waiting[outcome.order[position]]), place.at, place.end, now, turn);
  }
}

}  // namespace schedcore
