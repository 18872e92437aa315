#include "schedcore/engine/engine.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

void Turn::start(JobSlot job, std::size_t machine) { engine_.start(job, machine); }
void Turn::start(JobSlot job, std::span<const TaskPlace> places) { engine_.start(job, places); }
void Turn::preempt(JobSlot job) { engine_.preempt(job); }
std::vector<RunningJob> Turn::running() const { return engine_.running(); }
std::int64_t Turn::number_of(std::size_t machine) const { return engine_.number_of(machine); }
const MachineNames* Turn::names() const { return engine_.names(); }
std::optional<std::uint32_t> Turn::machine_of(std::int64_t number) const {
  if (engine_.names_) return engine_.names_->machine_of(number);
  if (number < 0 || static_cast<std::uint64_t>(number) >= machines_.n_machines()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}
std::span<const std::uint32_t> Turn::preference() const { return engine_.preference_; }
std::uint64_t Turn::n_started() const { return engine_.n_started_; }
std::vector<ResourceTimeline>& Turn::timelines() { return engine_.timelines_; }
WorkBudget& Turn::budget() { return engine_.budget_; }
void Turn::tell_shortened(std::string what) { engine_.shortened_.push_back(std::move(what)); }
void Turn::poll() { engine_.poll(); }
Monitor* Turn::monitor() const { return engine_.monitor_; }
void Turn::plan(const Placement& placement) { engine_.plan(placement); }
bool Turn::has_overdue() const { return engine_.has_overdue(); }
std::vector<Placement> Turn::planned() const { return engine_.planned(); }
void Turn::unplan(JobSlot job) { engine_.unplan(job); }

Engine::Engine(const MachinesView& machines, std::unique_ptr<Policy> policy)
    : n_resources_(machines.n_resources),
      jobs_(machines.n_resources),
      machines_(machines.capacity, machines.n_resources),
      preference_(machines.n_machines),
      capacity_(machines.capacity.begin(), machines.capacity.end()),
      policy_(std::move(policy)),
      unattached_(policy_->clone()) {
  std::iota(preference_.begin(), preference_.end(), std::uint32_t{0});
  policy_->attach(machines);
  if (policy_->plans()) {
    timelines_.reserve(machines.n_machines);
    for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
      timelines_.emplace_back(machines.capacity_of(machine));
    }
  }
}

Engine::Engine(const Engine& other)
    : n_resources_(other.n_resources_),
      now_(other.now_),
      n_started_(other.n_started_),
      jobs_(other.jobs_),
      machines_(other.machines_),
      preference_(other.preference_),
      running_(other.running_),
      capacity_(other.capacity_),
      names_(other.names_),
      availability_(other.availability_),
      limited_runs_(other.limited_runs_),
      are_limits_void_(other.are_limits_void_),
      kill_rule_(other.kill_rule_),
      preempt_rule_(other.preempt_rule_),
      awaited_(other.awaited_),
      ended_outside_(other.ended_outside_),
      tells_plan_(other.tells_plan_),
      timelines_(other.timelines_),
      plan_(other.plan_),
      plan_counter_(other.plan_counter_),
      policy_(other.policy_->clone()),
      unattached_(other.unattached_) {}

void Engine::advance(Time now, std::span<const JobSlot> completed, std::span<const JobSlot> arrived,
                     std::vector<Placement>& starts) {
  now_ = now;
  starts_ = &starts;
  completions_.clear();
  for (const JobSlot job : completed) {
    completions_.push_back({job, jobs_.machine(job)});
    complete(job);
  }
  if (!plan_.empty()) start_due();  // asked here and not there, because most policies never plan
  event_.now = now;
  event_.completed = completions_;
  event_.arrived = arrived;
  Turn turn(*this);
  policy_->decide(event_, turn);
  if (!plan_.empty()) start_due();
  starts_ = nullptr;
}

std::vector<RunningJob> Engine::running() const {
  std::vector<RunningJob> all;
  running_.for_each([&](JobSlot job) {
    if (jobs_.names_reservation(job)) return;
    all.push_back({job, jobs_.machine(job), jobs_.start_time(job), jobs_.expected_end(job)});
  });
  std::sort(all.begin(), all.end(), [&](const RunningJob& a, const RunningJob& b) {
    return std::pair(a.expected_end, jobs_.id(a.job)) < std::pair(b.expected_end, jobs_.id(b.job));
  });
  return all;
}

void Engine::start(JobSlot job, std::size_t machine) {
  const JobState state = jobs_.state(job);
  if (state != JobState::submitted && state != JobState::planned) {
    throw PolicyError("job " + std::to_string(jobs_.id(job)) + " was started twice");
  }
  const auto refuse = [&](const char* because) {
    throw PolicyError("job " + std::to_string(jobs_.id(job)) + " was started at " + number_text(now_) + " on machine " +
                      std::to_string(number_of(machine)) + because);
  };
  if (!fits(jobs_.demand(job).data(), machines_.free(machine).data(), n_resources_)) refuse(", where it does not fit");
  Time processing_time = jobs_.processing_time(job);
  if (jobs_.any_placed()) {  // looked at once, because every start comes this way
    if (!jobs_.eligibility(job).allows(machine)) refuse(", which it may not use");
    processing_time = jobs_.processing_time_on(job, machine);
  }
  check_duration(jobs_.id(job), now_, processing_time);
  machines_.acquire(machine, jobs_.demand(job));
  if (!timelines_.empty()) {
    ResourceTimeline& timeline = timelines_[machine];
    const Time end = now_ + processing_time;
    const Time planned_start = jobs_.start_time(job);
    if (state != JobState::planned) {
      timeline.reserve(now_, end, jobs_.demand(job));
    } else if (planned_start != now_) {
      // It waited past its planned start: move what is left of its occupation.
      timeline.forget_before(now_);
      const Time planned_end = planned_start + processing_time;
      if (planned_end > now_) timeline.release(now_, planned_end, jobs_.demand(job));
      timeline.reserve(now_, end, jobs_.demand(job));
    }
  }
  ++n_started_;
  jobs_.set_running(job, static_cast<std::uint32_t>(machine), now_);
  running_.insert(job);
  jobs_.note_begin(job, now_);
  if (availability_.any_limits()) take_limits(job);
  starts_->push_back({job, static_cast<std::uint32_t>(machine), now_});
}

void Engine::start_due() {
  for (auto entry = plan_.begin(); entry != plan_.end() && entry->start_time <= now_;) {
    const JobSlot job = entry->job;
    const std::uint32_t machine = jobs_.machine(job);
    if (fits(jobs_.demand(job).data(), machines_.free(machine).data(), n_resources_)) {
      entry = plan_.erase(entry);
      start(job, machine);
    } else {
      ++entry;
    }
  }
}

void Engine::plan(const Placement& placement) {
  if (jobs_.state(placement.job) != JobState::submitted) {
    throw PolicyError("job " + std::to_string(jobs_.id(placement.job)) + " was planned twice");
  }
  if (!(placement.start_time >= now_)) {
    throw PolicyError("job " + std::to_string(jobs_.id(placement.job)) + " was planned for " +
                      number_text(placement.start_time) + ", before the instant " + number_text(now_));
  }
  jobs_.set_planned(placement.job, placement.machine, placement.start_time, plan_counter_);
  plan_.insert({placement.start_time, plan_counter_, placement.job});
  ++plan_counter_;
}

void Engine::unplan(JobSlot job) {
  plan_.erase({jobs_.start_time(job), jobs_.plan_order(job), job});
  jobs_.set_submitted(job);
}

Time Engine::next_wakeup() const {
  const Time inside = availability_.reservations().empty() ? kNever : next_inside();
  // Overdue entries wait for a completion, not for a time.
  Time next = policy_->next_wakeup();
  const auto planned = plan_.upper_bound({now_, ~std::uint64_t{0}, 0});
  if (planned != plan_.end()) next = std::min(next, planned->start_time);
  return std::min(next, inside);
}

bool Turn::tells_plan() const { return engine_.tells_plan_; }

std::vector<Placement> Engine::planned() const {
  std::vector<Placement> placements = policy_->reserved(jobs_, now_);
  placements.reserve(plan_.size());
  for (const PlanEntry& entry : plan_) placements.push_back({entry.job, jobs_.machine(entry.job), entry.start_time});
  return placements;
}

}  // namespace schedcore
