// Snapshots of an engine, and the check of a state against them.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/empty_cluster.hpp"
#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kPlacementBytes = sizeof(JobSlot) + sizeof(std::uint32_t) + sizeof(Time);
constexpr Amount kMostHeldRead = Amount{1} << 60;  // by one job on one machine
constexpr Amount kLeastFreeRead = -(Amount{1} << 60);  // far from where sums of a few more demands would overflow
constexpr std::uint64_t kTooManyStarted = std::uint64_t{1} << 62;  // more than anyone starts; sums below it do not wrap

}  // namespace

Cluster Engine::cluster() const {
  Cluster cluster{jobs_, {}, machines_.all_free(), now_, n_started_, {}, {}, {}, {}, &availability_};
  for (JobSlot job = 0; job < jobs_.n_slots(); ++job) {
    if (jobs_.state(job) == JobState::submitted) cluster.waiting.push_back(job);
    if (jobs_.state(job) == JobState::held) cluster.held.push_back(job);
  }
  running_.for_each([&](JobSlot job) {
    if (!jobs_.names_reservation(job)) cluster.running.push_back(job);
  });
  const auto by_id = [&](JobSlot a, JobSlot b) { return jobs_.id(a) < jobs_.id(b); };
  std::sort(cluster.waiting.begin(), cluster.waiting.end(), by_id);
  std::sort(cluster.running.begin(), cluster.running.end(), by_id);
  std::sort(cluster.held.begin(), cluster.held.end(), by_id);
  for (const PlanEntry& entry : plan_) cluster.planned.push_back(entry.job);
  return cluster;
}

std::vector<JobSlot> Engine::running_by_id() const {
  std::vector<JobSlot> running;
  running_.for_each([&](JobSlot job) { running.push_back(job); });
  std::ranges::sort(running, {}, [&](JobSlot job) { return jobs_.id(job); });
  return running;
}

void Engine::write(SnapshotWriter& archive) const {
  archive(now_, n_started_);
  jobs_.write(archive, archive.n_machines(machines_.n_machines()));
  const Cluster all = cluster();
  const std::vector<JobSlot> running = running_by_id();
  for (const std::vector<JobSlot>* placed : {&running, &all.planned}) {
    archive(static_cast<std::uint64_t>(placed->size()));
    for (const JobSlot job : *placed) {
      archive.job(job);
      archive.machine(jobs_.machine(job));
      archive(jobs_.start_time(job));
      if (jobs_.shape(job).is_plain()) continue;
      std::uint64_t n_places = 0;
      jobs_.for_each_place(job, [&](std::uint32_t /*machine*/, Amount /*n_tasks*/) { ++n_places; });
      archive(n_places);
      jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
        archive.machine(machine);
        archive(n_tasks);
      });
    }
  }
  availability_.write(archive, machines_.n_machines());
  archive(static_cast<std::uint64_t>(all.held.size()));
  for (const JobSlot job : all.held) archive.job(job);
  awaited_.write(archive);
  archive(ended_outside_);
  if (jobs_.has_site()) jobs_.site()->write(archive, running);
  archive.set_cluster(all);
  policy_->write(archive);
}

void Engine::read_jobs(SnapshotReader& archive) {
  archive(now_, n_started_);
  archive.require(now_ >= 0 && now_ < kNever, "its instant is no time");
  jobs_.read(archive, machines_.n_machines());
  const MachinesView machines{machines_.all_free(), machines_.n_machines(), n_resources_};
  const std::vector<Amount> capacities = distinct_capacities(machines);
  EmptyCluster empty_cluster(machines);
  for (JobSlot job = 0; job + 1 < jobs_.n_slots(); ++job) {
    const Time release_time = jobs_.release_time(job);
    archive.require(release_time >= 0 && release_time < kNever, "a release time is no time");
    const JobColumns columns{release_time, jobs_.processing_time(job), jobs_.weight(job), 0, jobs_.id(job)};
    check_job_columns(columns.id, columns.processing_time, columns.weight, jobs_.demand(job));
    // On clusters machines may have had more when the job came.
    const bool has_to_fit = !policy_->heeds_clusters();
    if (has_to_fit && jobs_.shape(job).is_plain()) check_fits_some(columns.id, jobs_.demand(job), capacities);
    check_duration(columns.id, release_time, columns.processing_time);
    check_late_start(columns.id, release_time, columns.processing_time);
    const JobPlacements& placements = jobs_.placements(job);
    archive.require(policy_->heeds(placements), "the policy does not heed where jobs may run");
    archive.require(policy_->takes(placements), "the policy does not take jobs of several tasks");
    archive.require(placements.shortest_time(columns.processing_time, machines.n_machines) == columns.processing_time,
                    "a processing time is not that of the fastest machine");
    if (placements.time != nullptr) {
      check_allowed_machines(columns.id, jobs_.demand(job), placements, machines);
    } else if (has_to_fit && !placements.is_plain()) {
      empty_cluster.check(columns.id, jobs_.demand(job), placements);
    }
    JobColumns as_submitted = columns;
    as_submitted.processing_time = jobs_.whole_processing_time(job);  // whatever has been saved of it since
    // On clusters the caller may have said since that a running job is shorter than any that it would submit.
    if (!policy_->heeds_clusters()) policy_->check_job(as_submitted, release_time);
  }
  // Where and when, of a job that was in the table and nothing else.
  const auto placement = [&] {
    Placement placed;
    archive.job(placed.job);
    archive.machine(placed.machine);
    archive(placed.start_time);
    archive.require(jobs_.state(placed.job) == JobState::submitted, "a job runs or is planned twice");
    archive.require(placed.machine < machines_.n_machines(), "a job runs or is planned on a machine that is not there");
    archive.require(placed.start_time >= jobs_.release_time(placed.job), "a job starts before its release");
    archive.require(may_be_on(placed.machine, placed.job), "a job is on a machine that it may not use");
    check_duration(jobs_.id(placed.job), placed.start_time, jobs_.processing_time_on(placed.job, placed.machine));
    return placed;
  };
  const MachineIndex empty = machines_;
  for (std::size_t left = archive.length(kPlacementBytes); left > 0; --left) read_running(archive, placement());
  Time previous = 0;
  for (std::size_t left = archive.length(kPlacementBytes); left > 0; --left) {
    const Placement placed = placement();
    archive.require(placed.start_time >= previous, "the plan is out of order");
    archive.require(policy_->plans(), "it holds a plan, and the policy makes none");
    archive.require(fits(jobs_.demand(placed.job), empty.free(placed.machine)), "a job is planned where it cannot run");
    archive.require(placed.start_time > now_ || !fits(jobs_.demand(placed.job), machines_.free(placed.machine)),
                    "a planned job is overdue that fits");
    previous = placed.start_time;
    jobs_.set_planned(placed.job, placed.machine, placed.start_time, plan_counter_);
    plan_.insert(plan_.end(), {placed.start_time, plan_counter_, placed.job});
    ++plan_counter_;
  }
}

// On clusters the caller may have said something else of a job since it has started.
bool Engine::may_be_on(std::size_t machine, JobSlot job) const {
  const JobPlacements& placements = jobs_.placements(job);
  return placements.eligibility.allows(machine) || (policy_->heeds_clusters() && placements.says_only_where());
}

// A job that has started there, and holds as much as there is room for.
void Engine::read_running(SnapshotReader& archive, const Placement& placed) {
  archive.require(placed.start_time <= now_, "a job runs that starts later");
  std::vector<TaskPlace> places{{placed.machine, 1}};
  const JobShape& shape = jobs_.shape(placed.job);
  if (!shape.is_plain()) {
    places.resize(archive.length(sizeof(std::uint32_t) + sizeof(Amount)));
    Amount left = shape.n_tasks;
    for (TaskPlace& place : places) {
      archive.machine(place.machine);
      archive(place.n_tasks);
      archive.require(place.machine < machines_.n_machines() && may_be_on(place.machine, placed.job),
                      "a job is on a machine that it may not use");
      archive.require(place.n_tasks >= 1 && place.n_tasks <= std::min(left, shape.spread), "a job runs with other tasks");
      left -= place.n_tasks;
    }
    archive.require(left == 0 && places.front().machine == placed.machine, "a job runs with other tasks");
    require_different_machines(archive, places);
  }
  for (const TaskPlace& place : places) {
    const auto free = machines_.free(place.machine);
    const bool has_room = tasks_that_fit(jobs_.demand(placed.job), free) >= place.n_tasks &&
                          (!shape.is_exclusive || std::ranges::equal(free, capacity_of(place.machine)));
    // On clusters a caller may have said what runs there, or that the machine has less.
    const auto may_be_overfull = [&] {
      return policy_->heeds_clusters() && place.n_tasks <= kMostTasks &&
             std::ranges::all_of(free, [](Amount amount) { return amount > kLeastFreeRead; }) &&
             std::ranges::all_of(jobs_.demand(placed.job), [&](Amount amount) { return amount <= kMostHeldRead / place.n_tasks; });
    };
    if (jobs_.names_reservation(placed.job)) continue;  // it is on shares, which are read later
    archive.require(has_room || may_be_overfull(), "more runs on a machine than it has room for");
    machines_.acquire(place.machine, held_on(place.machine, placed.job, place.n_tasks));
  }
  jobs_.set_running(placed.job, places, placed.start_time);
  running_.insert(placed.job);
  jobs_.note_begin(placed.job, now_);
}

// Machines in outages and closed ones may have jobs; those that have failed have none.
void Engine::read_blocked(SnapshotReader& archive) {
  availability_.read(archive, now_, machines_.n_machines(), n_resources_);
  archive.require(!availability_.any() || policy_->heeds_clusters(), "the policy does not heed outages");
  for (std::uint32_t machine = 0; availability_.any() && machine < machines_.n_machines(); ++machine) {
    archive.require(!availability_.has_failed(machine) || std::ranges::equal(machines_.free(machine), capacity_of(machine)),
                    "a job runs on a machine that has failed");
    if (availability_.is_blocked(machine)) machines_.acquire(machine, capacity_of(machine));
  }
  for (std::size_t left = archive.length(sizeof(JobSlot)); left > 0; --left) {
    JobSlot job = 0;
    archive.job(job);
    archive.require(jobs_.state(job) == JobState::submitted && policy_->heeds_clusters(), "a job is held that does not wait");
    jobs_.set_held(job);
  }
  read_reservations(archive);
}

// Whoever waits for others is held, or no policy knows of it.
void Engine::read_awaiting(SnapshotReader& archive) {
  awaited_.read(archive);
  archive(ended_outside_);
  std::size_t n_waiting = 0;
  for (JobSlot job = 0; job < jobs_.n_slots(); ++job) {
    const JobState state = jobs_.state(job);
    if (state == JobState::free_slot || !awaited_.waits(jobs_.id(job))) continue;
    ++n_waiting;
    archive.require(state == JobState::submitted || state == JobState::held, "a job waits for others that runs, or is planned");
    archive.require(awaited_.arrive(jobs_.id(job), job) == AwaitedJobs::Standing::waits && policy_->heeds_clusters(),
                    "a job waits for others that nothing keeps from being served");
    if (state == JobState::submitted) jobs_.set_awaiting(job);
  }
  archive.require(n_waiting == awaited_.n_waiting(), "a job waits for others that is not there");
  if (jobs_.has_site()) jobs_.site()->read(archive, running_by_id(), now_);
}

void Engine::read(SnapshotReader& archive) {
  read_jobs(archive);
  read_blocked(archive);
  read_awaiting(archive);
  Cluster all = cluster();
  archive.require(n_started_ >= all.running.size(), "more jobs run than have started");
  archive.require(n_started_ < kTooManyStarted, "more jobs have started than anyone can start");
  std::vector<Occupation> occupations;
  all.machines = {capacity_, machines_.n_machines(), n_resources_};
  if (policy_->plans()) {
    for (const auto* placed : {&all.running, &all.planned}) {
      for (const JobSlot job : *placed) {
        occupations.push_back({jobs_.start_time(job), jobs_.expected_end(job), jobs_.machine(job), job});
      }
    }
    timelines_ = timelines_beside(all, std::move(occupations));
  }
  archive.set_cluster(all);
  policy_->read(archive);
}

void Engine::check_against(const Engine& other) const {
  machines_.check_invariants();
  policy_->check_invariants();
  for (JobSlot job = 0; job < jobs_.n_slots(); ++job) {
    if (running_.contains(job) != (jobs_.state(job) == JobState::running)) {
      throw std::logic_error("Engine: the set of running jobs");
    }
  }
  if (!std::ranges::equal(machines_.all_free(), other.machines_.all_free())) {
    throw std::logic_error("Engine: free amounts are not those that the running jobs leave");
  }
  const auto check_timelines = [&](std::span<const ResourceTimeline> mine, std::span<const ResourceTimeline> theirs) {
    bool are_equal = mine.size() == theirs.size();
    for (std::size_t machine = 0; are_equal && machine < mine.size(); ++machine) {
      mine[machine].check_invariants();
      ResourceTimeline each = mine[machine];
      each.forget_before(now_);
      // A function that did not change since may begin earlier.
      const auto a = each.stretches();
      const auto b = theirs[machine].stretches();
      are_equal = a.free == b.free && std::equal(a.time.begin() + 1, a.time.end(), b.time.begin() + 1, b.time.end());
    }
    if (!are_equal) throw std::logic_error("Engine: timelines are not those of running, planned and reserved jobs");
  };
  check_timelines(timelines_, other.timelines_);
  check_timelines(policy_->timelines(), other.policy_->timelines());
}

}  // namespace schedcore
