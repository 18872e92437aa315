#include "schedcore/gangs/explanations.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/gangs/gang_plan.hpp"
#include "schedcore/gangs/gang_queue_policy.hpp"
#include "schedcore/gangs/gang_reservation_policy.hpp"
#include "schedcore/gangs/machine_runs.hpp"
#include "schedcore/index/gang_classes.hpp"
#include "schedcore/index/room_counts.hpp"

namespace schedcore {
namespace {

class Explainer {
 public:
  explicit Explainer(const DecidedState& decided)
      : state_(decided),
        is_of_clusters_(state_.heed_clusters()),
        jobs_(state_.jobs()),
        policy_(state_.policy()),
        machines_(state_.machines_view()),
        now_(state_.now()),
        classes_(machines_),
        up_(machines_),
        without_outages_(machines_, policy_.resolution()) {
    if (!is_of_clusters_) throw UnsupportedError("this policy cannot explain why jobs wait");
    without_outages_.pass_to(now_);
    note_running();
    note_down();
    beside_running_ = without_reservations_ = without_outages_;
    note_outages();
    note_queue();
    note_promises();
  }

  [[nodiscard]] Explanation explain(std::int64_t id) {
    state_.check_waits(id);
    const JobSlot job = state_.slot_of(id);
    if (!jobs_.placements(job).says_only_where()) {
      throw UnsupportedError("job " + std::to_string(id) + " is a task of a parallel job; why it waits cannot be explained");
    }
    if (jobs_.state(job) == JobState::held) return {.id = id, .reason = WaitingReason::held};
    if (jobs_.state(job) == JobState::awaiting) {
      return {.id = id, .reason = WaitingReason::dependency, .jobs = state_.awaited().open(id)};
    }
    if (jobs_.state(job) == JobState::reserved) return explain_inside(job);
    if (const auto limit = exceeded_by(job)) return {.id = id, .reason = WaitingReason::limit, .limit = *limit};
    const GangEntry entry = entry_of(job);
    if (auto found = explain_down(entry)) return std::move(*found);
    if (auto found = explain_running(entry)) return std::move(*found);
    return explain_queue(entry);
  }

 private:
  using Place = std::vector<TaskPlace>;
  static bool by_machine(const TaskPlace& a, const TaskPlace& b) { return a.machine < b.machine; }

  [[nodiscard]] std::int64_t id_of(const GangEntry& entry) const { return jobs_.id(entry.job); }
  [[nodiscard]] Time end_if_started(const GangEntry& entry) const {
    return without_outages_.planned_end(entry.estimate, now_);
  }
  void occupy(GangPlan& plan, JobSlot job, std::span<const TaskPlace> places, Time from, Time to, bool takes_all = false) {
    plan.occupy({places, from, to}, jobs_.demand(job), takes_all || jobs_.shape(job).is_exclusive);
  }

  // Running jobs, until they end by what the policy expects; what those inside reservations hold is reserved already.
  void note_running() {
    for (const JobSlot job : state_.running()) {
      if (jobs_.names_reservation(job)) continue;
      Place places;
      jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { places.push_back({machine, n_tasks}); });
      std::ranges::sort(places, by_machine);
      const Time planned = policy_.planned_end(job);
      occupy(without_outages_, job, places, now_, planned < kNever ? planned : state_.expected_end(job));
    }
  }

  void note_down() {
    const std::vector<Amount> nothing(machines_.n_resources);
    for (std::uint32_t machine = 0; machine < machines_.n_machines; ++machine) {
      if (!state_.availability().is_down(machine)) continue;
      const TaskPlace place{machine, 1};
      without_outages_.occupy({{&place, 1}, now_, kNever}, machines_.capacity_of(machine), true);
      up_.set_free(machine, nothing);
    }
  }

  // Of outages, then of reservations, too.
  void note_outages() {
    for (std::uint32_t machine = 0; machine < machines_.n_machines; ++machine) {
      if (state_.availability().is_down(machine)) continue;
      const TaskPlace place{machine, 1};
      for (const Taken& taken : state_.availability().taken(machine, now_)) {
        const GangPlan::Booking booking{{&place, 1}, taken.from, taken.to};
        if (taken.amounts.empty()) {
          without_reservations_.occupy(booking, machines_.capacity_of(machine), true);
          beside_running_.occupy(booking, machines_.capacity_of(machine), true);
        } else {
          beside_running_.occupy(booking, taken.amounts, false);
        }
      }
    }
  }

  void note_queue() {
    order_ = policy_.waiting_in_order(jobs_);
    position_.resize(jobs_.n_slots());
    class_of_.resize(jobs_.n_slots());
    promise_of_.resize(jobs_.n_slots());
    std::size_t n_candidates = 0;
    for (std::size_t position = 0; position < order_.size(); ++position) {
      const JobSlot job = order_[position];
      position_[job] = position;
      class_of_[job] = classes_.add(jobs_.demand(job), jobs_.eligibility(job), jobs_.shape(job), jobs_.level(job));
      n_before_.push_back(n_candidates);
      const bool is_preempted_now = jobs_.has_site() && jobs_.site()->preempted_at(job) == now_;
      if (!is_preempted_now && !exceeded_by(job) && n_candidates++ == 0) first_candidate_ = job;
    }
  }

  [[nodiscard]] GangEntry entry_of(JobSlot job) const {
    return {{}, jobs_.shape(job).n_tasks, jobs_.processing_time(job), job, class_of_[job]};
  }

  void note_promises() {
    promises_ = policy_.promises(jobs_, now_);
    if (const auto* queue = dynamic_cast<const GangQueuePolicy*>(&policy_); queue != nullptr && queue->protects_head()) {
      if (jobs_.has_site()) {
        note_told_head(*queue);
      } else {
        protect_head(queue->limits());
      }
    }
    beside_all_ = beside_running_;
    for (Promise& promise : promises_) {
      std::ranges::sort(promise.places, by_machine);
      occupy(beside_all_, promise.job, promise.places, promise.start, promise.end, promise.holds_machines);
    }
    std::ranges::sort(promises_, {}, [&](const Promise& promise) { return position_[promise.job]; });
    for (const Promise& promise : promises_) promise_of_[promise.job] = &promise;
  }

  // Under rules the last pass alone knows whom it has passed over.
  void note_told_head(const GangQueuePolicy& queue) {
    for (const Placement& head : queue.reserved(jobs_, now_)) {
      const auto places = queue.reserved_places(head.job);
      const Time end = beside_running_.planned_end(jobs_.processing_time(head.job), head.start_time);
      promises_.push_back({head.job, head.start_time, end, {places.begin(), places.end()}});
    }
  }

  // The first job that is shown and has an earliest instant, unless that is now, or too far away.
  void protect_head(const BackfillLimits& limits) {
    const std::size_t n_shown = std::min<std::uint64_t>(order_.size(), limits.queue_depth);
    for (std::size_t position = 0; position < n_shown; ++position) {
      const GangEntry entry = entry_of(order_[position]);
      const Time start = beside_running_.earliest(entry, now_, kNever, classes_, false);
      if (start == kNever) continue;
      if (start > now_ && start <= now_ + limits.window) {
        promises_.push_back({entry.job, start, beside_running_.planned_end(entry.estimate, start), beside_running_.places()});
      }
      return;
    }
  }

  [[nodiscard]] std::optional<Explanation> explain_down(const GangEntry& entry) {
    if (up_.count(entry.job_class, classes_) >= entry.n_tasks) return std::nullopt;
    Explanation found{.id = id_of(entry), .reason = WaitingReason::down};
    for (std::uint32_t machine = 0; machine < machines_.n_machines; ++machine) {
      const Availability& availability = state_.availability();
      const bool is_down = availability.is_down(machine) && !availability.is_removed(machine);
      if (is_down && classes_.allows(entry.job_class, machine)) found.machines.push_back(machine);
    }
    return found;
  }

  // It waits for its reservation, or for room inside, which may come until its end.
  [[nodiscard]] Explanation explain_inside(JobSlot job) {
    const AdvanceReservations::Entry& entry = state_.availability().reservations().all().at(jobs_.reservation(job));
    Explanation found{.id = jobs_.id(job), .reason = WaitingReason::reservation};
    found.time = entry.has_begun ? entry.reservation.end : entry.reservation.begin;
    for (const ReservedShare& share : entry.reservation.shares) found.machines.push_back(share.machine);
    return found;
  }

  // Where the policy would put it at an instant at which it fits, as was just found.
  [[nodiscard]] Place places_in(GangPlan& plan, const GangEntry& entry, Time start) const {
    const auto* planner = dynamic_cast<const GangReservationPolicy*>(&policy_);
    if (planner == nullptr || !planner->prefers_runs()) return plan.places();
    return places_in_runs(plan.rooms_at(entry, start, classes_), entry.n_tasks, state_.names());
  }

  // It does not fit beside running jobs, outages and reservations.
  [[nodiscard]] std::optional<Explanation> explain_running(const GangEntry& entry) {
    if (beside_running_.fits_at(entry, now_, classes_)) return std::nullopt;
    Explanation found{.id = id_of(entry), .reason = WaitingReason::outage};
    const Time end = end_if_started(entry);
    if (without_reservations_.fits_at(entry, now_, classes_)) {
      found.reason = WaitingReason::reservation;
      for (const TaskPlace& place : places_in(without_reservations_, entry, now_)) {
        bool meets = false;
        state_.availability().reservations().for_each_on(place.machine, [&](const AdvanceReservations::Entry& each, std::size_t) {
          meets |= each.reservation.begin < end;
        });
        if (meets) found.machines.push_back(place.machine);
      }
      return found;
    }
    if (without_outages_.fits_at(entry, now_, classes_)) {
      for (const TaskPlace& place : places_in(without_outages_, entry, now_)) {
        const auto meets = [&](const Outage& outage) { return outage.begin < end && now_ < outage.end; };
        if (std::ranges::any_of(state_.availability().outages(place.machine), meets)) found.machines.push_back(place.machine);
      }
      return found;
    }
    found.reason = WaitingReason::resources;
    found.time = beside_running_.earliest(entry, now_, kNever, classes_, false);
    found.shortage.assign(machines_.n_resources, 0);
    if (found.time == kNever) return found;
    for (const TaskPlace& place : places_in(beside_running_, entry, found.time)) {
      found.machines.push_back(place.machine);
      const bool is_blocked = state_.availability().is_blocked(place.machine);
      const auto free = state_.machines().free(place.machine);
      const auto demand = jobs_.demand(entry.job);
      for (std::size_t k = 0; k < machines_.n_resources; ++k) {
        const Amount takes = classes_.is_exclusive(entry.job_class) ? machines_.capacity_of(place.machine)[k]
                                                                    : place.n_tasks * demand[k];
        found.shortage[k] += std::max(Amount{0}, takes - (is_blocked ? 0 : free[k]));
      }
    }
    return found;
  }

  // It could start now, were it not for others that wait.
  [[nodiscard]] Explanation explain_queue(const GangEntry& entry) {
    const Promise* own = promise_of_[entry.job];
    if (!fits_beside_others(entry, own)) {
      Explanation found{.id = id_of(entry), .reason = WaitingReason::reserved};
      const Time end = end_if_started(entry);
      for (const Promise& promise : promises_) {
        const auto may_use = [&](const TaskPlace& place) { return classes_.allows(entry.job_class, place.machine); };
        const bool is_in_the_way = promise.job != entry.job && promise.start < end && std::ranges::any_of(promise.places, may_use);
        if (is_in_the_way) found.jobs.push_back(jobs_.id(promise.job));
      }
      return found;
    }
    if (own != nullptr) return {.id = id_of(entry), .reason = WaitingReason::planned, .time = own->start};
    Explanation found{.id = id_of(entry), .reason = WaitingReason::order};
    found.n_before = n_before_[position_[entry.job]];
    if (found.n_before > 0) found.jobs.push_back(jobs_.id(first_candidate_));
    return found;
  }

  // The first limit that the job would exceed if it started now.
  [[nodiscard]] std::optional<std::size_t> exceeded_by(JobSlot job) const {
    if (!jobs_.has_site()) return std::nullopt;
    const SiteState& site = *jobs_.site();
    return site.limits().first_exceeded(site.profile(job), jobs_.shape(job).n_tasks, jobs_.demand(job));
  }

  [[nodiscard]] bool fits_beside_others(const GangEntry& entry, const Promise* own) {
    if (promises_.empty()) return true;
    if (own == nullptr) return beside_all_.fits_at(entry, now_, classes_);
    const auto demand = jobs_.demand(entry.job);
    const GangPlan::Booking booking{own->places, own->start, own->end};
    const bool takes_all = own->holds_machines || classes_.is_exclusive(entry.job_class);
    beside_all_.vacate(booking, demand, takes_all);
    const bool fits = beside_all_.fits_at(entry, now_, classes_);
    beside_all_.occupy(booking, demand, takes_all);
    return fits;
  }

  DecidedState state_;
  bool is_of_clusters_;
  const JobTable& jobs_;
  const Policy& policy_;
  MachinesView machines_;
  Time now_;
  GangClasses classes_;
  RoomCounts up_;             // machines that are not down, if nothing ran
  GangPlan without_outages_;  // running jobs, and machines that are down
  GangPlan without_reservations_;  // and outages
  GangPlan beside_running_;   // and reservations that were made in advance
  GangPlan beside_all_;       // and reservations
  std::vector<JobSlot> order_;             // of the candidates
  std::vector<std::size_t> position_;      // by slot: in that order
  std::vector<std::size_t> n_before_;      // by position: candidates before it that no limit holds
  JobSlot first_candidate_ = 0;            // of those
  std::vector<GangClasses::Class> class_of_;  // by slot
  std::vector<Promise> promises_;          // in that order
  std::vector<const Promise*> promise_of_;  // by slot
};

}  // namespace

std::vector<Explanation> explanations(const DecidedState& state, std::span<const std::int64_t> ids) {
  Explainer explainer(state);
  std::vector<Explanation> found;
  found.reserve(ids.size());
  for (const std::int64_t id : ids) found.push_back(explainer.explain(id));
  return found;
}

}  // namespace schedcore
