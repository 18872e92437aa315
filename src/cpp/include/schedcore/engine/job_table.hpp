// The jobs that an engine knows, in columns by slot, and what became of them.
//
// In a simulation a slot is the job's index.  In an embedded engine slots are reused once a job has completed, and
// `id` (the caller's number) takes the place of the index in every tie.  `id(slot)` is unique among live slots.
//
// Where a job may run, how long it takes there, over how many machines it spreads, and what is left of its work when it is
// killed: all that is kept beside the columns; as long as no job says anything of it there is nothing, and reading it
// costs the look at an empty vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/engine/job_placements.hpp"
#include "schedcore/exact/demand_scale.hpp"
#include "schedcore/exact/priority.hpp"
#include "schedcore/exact/queue_order.hpp"
#include "schedcore/index/class_queue.hpp"
#include "schedcore/index/job_shape.hpp"
#include "schedcore/site/site_state.hpp"

namespace schedcore {

// A job that is held waits for its release, one that is reserved for room in the reservation that it names, one that is
// awaiting for other jobs to end; no policy knows of them.
enum class JobState : std::uint8_t { free_slot, submitted, planned, running, held, reserved, awaiting };

// What a policy may know of one job.
struct JobColumns {
  Time release_time = 0;
  Time processing_time = 0;  // where it is shortest, if machines differ in it
  double weight = 1;
  double custom_key = 0;  // read by PriorityRule::custom alone
  std::int64_t id = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(release_time, processing_time, weight, custom_key, id);
  }
};

// What is saved when a job is killed, where work is saved at all.
struct Restart {
  Time interval = 0;  // between two checkpoints; 0 for none
  Time cost = 0;      // of a run that resumes saved work
  Time saved = 0;     // work
  Time estimate = 0;  // of all the work

  // Work beyond what was saved, and what resuming it costs.  More may have been saved than an estimate says that there is:
  // then as much is expected once more.
  [[nodiscard]] Time left_of(Time work) const {
    if (!(saved > 0)) return work;
    return (saved < work ? work - saved : work) + cost;
  }
};

class JobTable {
 public:
  JobTable() = default;
  explicit JobTable(std::size_t n_resources) : n_resources_(n_resources) {}

  // All jobs of an instance at once: slot = id = index.  `processing_time` is what the policy is told; `custom_key` may be
  // empty.
  void assign(const JobsView& jobs, std::span<const Time> processing_time, std::span<const double> custom_key);
  [[nodiscard]] JobSlot add(const JobColumns& columns, std::span<const Amount> demand,
                            const JobPlacements* placements = nullptr);
  void remove(JobSlot slot);
  // Says more of a job that has not started.
  void set_placements(JobSlot slot, const JobPlacements& placements);
  // Memory for so many jobs with placements, which otherwise grows as they come.
  void reserve(std::size_t n_jobs);

  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }
  [[nodiscard]] std::size_t n_slots() const { return records_.size(); }
  [[nodiscard]] const JobColumns& columns(JobSlot slot) const { return records_[slot].columns; }
  [[nodiscard]] Time release_time(JobSlot slot) const { return records_[slot].columns.release_time; }
  [[nodiscard]] Time processing_time(JobSlot slot) const { return records_[slot].columns.processing_time; }
  [[nodiscard]] double weight(JobSlot slot) const { return records_[slot].columns.weight; }
  [[nodiscard]] std::int64_t id(JobSlot slot) const { return records_[slot].columns.id; }
  [[nodiscard]] std::span<const Amount> demand(JobSlot slot) const {
    return {demand_.data() + slot * n_resources_, n_resources_};
  }
  [[nodiscard]] const Eligibility& eligibility(JobSlot slot) const { return placements(slot).eligibility; }
  // On a machine that it may use.
  [[nodiscard]] Time processing_time_on(JobSlot slot, std::size_t machine) const {
    const JobPlacements& places = placements(slot);
    return places.time == nullptr ? processing_time(slot)
                                  : static_cast<Time>(places.time[places.eligibility.place_of(machine)]);
  }
  [[nodiscard]] bool is_local(JobSlot slot, std::size_t machine) const {
    const JobPlacements& places = placements(slot);
    return places.local == nullptr || places.local[places.eligibility.place_of(machine)];
  }
  [[nodiscard]] const JobPlacements& placements(JobSlot slot) const {
    return any_placed() ? placements_[slot] : kNoPlacements;
  }
  // Whether any job, now or before, has said where it may run.
  [[nodiscard]] bool any_placed() const { return !placements_.empty(); }
  [[nodiscard]] const JobShape& shape(JobSlot slot) const { return placements(slot).shape; }
  // Whether any job, now or before, was other than one task on one machine.
  [[nodiscard]] bool any_shaped() const { return !places_.empty(); }
  // Calls visit(machine, n_tasks) for the machines of a job that runs, or has run until this event, in the order in which
  // it was placed.
  template <class Visit>
  void for_each_place(JobSlot slot, const Visit& visit) const {
    if (!any_shaped() || placements_[slot].shape.is_plain()) {
      visit(machine(slot), Amount{1});
      return;
    }
    for (const TaskPlace& place : places_[slot]) visit(place.machine, place.n_tasks);
  }
  [[nodiscard]] const Restart& restart(JobSlot slot) const { return restarts_.empty() ? kNoRestart : restarts_[slot]; }
  // All of the work of a job that says what it is to be, whatever was saved of it: what its keys and scores count.
  [[nodiscard]] Time whole_processing_time(JobSlot slot) const {
    return restart(slot).interval > 0 ? restart(slot).estimate : processing_time(slot);
  }
  // The same job once more, in another slot, whatever it did until now: waiting, with the work that was saved.
  [[nodiscard]] JobSlot add_copy(JobSlot slot);
  void set_weight(JobSlot slot, double weight) { records_[slot].columns.weight = weight; }
  // Without a site nobody asks for it.
  void set_priority(JobSlot slot, double priority);
  // Of a job that says nothing of times and groups.
  void set_eligibility(JobSlot slot, const Eligibility& eligibility, std::shared_ptr<const std::string> constraint);
  // What the run under way, or the next one, takes; with what resumes saved work, so beyond that it is longer than 0.
  void set_run_estimate(JobSlot slot, Time estimate);
  // A run of this length was cut short: saves what checkpoints kept of it.
  void save_work(JobSlot slot, Time run_length);
  // By the placements of all jobs, beside the columns.
  [[nodiscard]] std::size_t n_owned_bytes() const { return owned_bytes_; }
  // Of a running job or a planned one: its start time, and what it says that it takes.
  [[nodiscard]] Time expected_end(JobSlot slot) const {
    return start_time(slot) + processing_time_on(slot, records_[slot].progress.machine);
  }
  [[nodiscard]] JobState state(JobSlot slot) const { return records_[slot].progress.state; }
  [[nodiscard]] std::uint32_t machine(JobSlot slot) const { return records_[slot].progress.machine; }
  // Start time of a running job, planned start of a planned one.
  [[nodiscard]] Time start_time(JobSlot slot) const { return records_[slot].progress.start_time; }
  [[nodiscard]] std::span<const std::uint32_t> generations() const { return generation_; }
  // Counts the jobs that have used this slot: (slot, generation) names a job for ever.
  [[nodiscard]] std::uint32_t generation(JobSlot slot) const { return generation_[slot]; }
  // Of a planned job.
  [[nodiscard]] std::uint64_t plan_order(JobSlot slot) const { return records_[slot].progress.plan_order; }

  // The jobs that wait and are neither held nor planned, in increasing order of key(job).  O(slots).
  template <class Key>
  [[nodiscard]] std::vector<JobSlot> waiting_by(const Key& key) const {
    std::vector<JobSlot> waiting;
    for (JobSlot slot = 0; slot < n_slots(); ++slot) {
      if (state(slot) == JobState::submitted) waiting.push_back(slot);
    }
    std::ranges::sort(waiting, {}, key);
    return waiting;
  }
  // A hint that this job is needed soon.
  void prefetch(JobSlot slot) const {
#if defined(__GNUC__)
    __builtin_prefetch(&records_[slot]);
    __builtin_prefetch(demand_.data() + slot * n_resources_);
#else
    (void)slot;
#endif
  }

  void set_planned(JobSlot slot, std::uint32_t machine, Time start, std::uint64_t order) {
    records_[slot].progress = {start, order, machine, JobState::planned};
  }
  void set_running(JobSlot slot, std::uint32_t machine, Time start) {
    records_[slot].progress = {start, 0, machine, JobState::running};
  }
  void set_running(JobSlot slot, std::span<const TaskPlace> places, Time start) {
    if (any_shaped() && !placements_[slot].shape.is_plain()) places_[slot].assign(places.begin(), places.end());
    set_running(slot, places.front().machine, start);
  }
  // The machines of the last run stay known.
  void set_submitted(JobSlot slot) { set_waiting(slot, JobState::submitted); }
  void set_held(JobSlot slot) { set_waiting(slot, JobState::held); }
  void set_reserved(JobSlot slot) { set_waiting(slot, JobState::reserved); }
  void set_awaiting(JobSlot slot) { set_waiting(slot, JobState::awaiting); }
  [[nodiscard]] std::int64_t reservation(JobSlot slot) const { return placements(slot).reservation; }
  [[nodiscard]] bool names_reservation(JobSlot slot) const {
    return any_placed() && placements_[slot].reservation != JobPlacements::kNoReservation;
  }
  void leave_reservation(JobSlot slot) { placements_[slot].reservation = JobPlacements::kNoReservation; }

  [[nodiscard]] Priority priority(JobSlot slot, PriorityRule rule, const DemandScale& scale) const;
  // Its place in a queue in no order of a formula (queue_keys.hpp), with a site as of the priorities that hold now.
  [[nodiscard]] QueueOrder queue_order(JobSlot slot, const OrderRule& rule, const DemandScale& scale) const;
  // The same, of a job that has that place, in a queue by a multifactor order.
  [[nodiscard]] QueueOrder renewed(QueueOrder place, JobSlot slot) const {
    place.high = number_rank(-site_->priority(slot));
    return place;
  }

  // The rules of a site, before the first job; to whom each job belongs is said after it is added.
  void set_site(SiteState site) { site_ = std::move(site); }
  [[nodiscard]] bool has_site() const { return site_.has_value(); }
  // Null without one.
  [[nodiscard]] const SiteState* site() const { return site_ ? &*site_ : nullptr; }
  [[nodiscard]] SiteState* site() { return site_ ? &*site_ : nullptr; }
  void set_parties(JobSlot slot, const JobParties& parties) {
    site_->add(slot, release_time(slot), parties, shape(slot).n_tasks, demand(slot));
  }
  // What all machines have together, where the site's priorities count that.
  void set_total_capacity(std::vector<Amount> total);
  // A running job was ended for another one, at whose instant it is no candidate.
  void note_preempted(JobSlot slot, Time now) {
    if (site_) site_->note_preempted(slot, now);
  }
  // Where jobs of a higher level may end others.
  [[nodiscard]] std::int64_t level(JobSlot slot) const { return site_ && site_->preempts() ? site_->level(slot) : 0; }
  // A job begins to run now, or ends, whatever becomes of it.
  void note_begin(JobSlot slot, Time now) {
    if (site_) site_->begin_run(slot, shape(slot).n_tasks, demand(slot), now);
  }
  void note_end(JobSlot slot, Time now) {
    if (site_) site_->end_run(slot, shape(slot).n_tasks, demand(slot), now);
  }

  // The columns of all jobs in order of id; from then on an archive names a job by its rank.  `read` is for an empty
  // table: slots are ranks, with one free slot behind them, and all jobs are submitted.
  void write(SnapshotWriter& archive, std::size_t n_machines) const;
  void read(SnapshotReader& archive, std::size_t n_machines);

 private:
  static const JobPlacements kNoPlacements;
  static const Restart kNoRestart;

  // As its belongings say.
  [[nodiscard]] JobParties parties_of(JobSlot slot);
  void set_waiting(JobSlot slot, JobState state) {
    Progress& progress = records_[slot].progress;
    progress = {0, 0, progress.machine, state};
  }

  struct Progress {
    Time start_time = 0;
    std::uint64_t plan_order = 0;
    std::uint32_t machine = 0;
    JobState state = JobState::submitted;
  };

  // One cache line a job: a simulation comes to its jobs in no order, and every line is a wait for memory.
  struct alignas(64) Record {
    JobColumns columns;
    Progress progress;
  };
  static_assert(sizeof(Record) == 64);

  std::size_t n_resources_ = 0;
  std::vector<Record> records_;
  std::vector<Amount> demand_;             // row-major
  std::vector<JobPlacements> placements_;  // of every slot; empty as long as no job says anything
  std::size_t owned_bytes_ = 0;            // by those
  std::vector<std::vector<TaskPlace>> places_;  // of every slot with more than one task; empty as long as there is none
  std::vector<Restart> restarts_;          // of every slot; empty as long as no job saves work
  std::vector<std::uint32_t> generation_;
  std::vector<JobSlot> free_;
  std::optional<SiteState> site_;
};

}  // namespace schedcore
