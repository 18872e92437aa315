#include "schedcore/whole_machines/cycle_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "schedcore/whole_machines/machine_choice.hpp"
#include "schedcore/whole_machines/planned_intervals.hpp"
#include "schedcore/whole_machines/reserved_machines.hpp"
#include "schedcore/whole_machines/running_shares.hpp"
#include "schedcore/whole_machines/usable_machines.hpp"

namespace schedcore {
namespace {

std::vector<MachineSet> sets_of(const MachineLists& lists, std::size_t n_machines) {
  std::vector<MachineSet> sets;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    MachineSet set(n_machines);
    for (std::int64_t at = lists.offset[i]; at < lists.offset[i + 1]; ++at) {
      set.insert(static_cast<std::size_t>(lists.machine[static_cast<std::size_t>(at)]));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

MachineSet machines_up(const CycleMachines& machines) {
  MachineSet up(machines.size());
  for (std::size_t machine = 0; machine < machines.size(); ++machine) {
    if (machines.is_up[machine] != 0) up.insert(machine);
  }
  return up;
}

MachineSet machines_in_use(const RunningShares& running) {
  MachineSet in_use(running.processors().size());
  for (std::size_t machine = 0; machine < running.processors().size(); ++machine) {
    if (running.processors()[machine] > 0 || running.memory()[machine] > 0) in_use.insert(machine);
  }
  return in_use;
}

std::vector<MachineSet> sets_of_reservations(const CycleReservations& reservations, const std::vector<MachineSet>& sets) {
  std::vector<MachineSet> own;
  for (const std::int64_t set : reservations.machines) own.push_back(sets[static_cast<std::size_t>(set)]);
  return own;
}

// A job for which a place is looked for.
struct Seeker {
  CycleRequest request;
  Seconds limit = 0;
  bool may_wait = true;
  const MachineSet* partition = nullptr;
  const MachineSet* able = nullptr;      // of all machines: those that suit it
  const MachineSet* required = nullptr;  // or none
  std::optional<std::size_t> reservation;
  bool is_counted = false;

  // `usable`, if given, are the only ones that count.
  [[nodiscard]] bool has_enough(const MachineSet& machines, const MachineSet* usable = nullptr) const {
    return machines.has_within(*able, usable, static_cast<std::size_t>(request.fewest)) &&
           (required == nullptr || (required->is_within(machines) && required->is_within(*able)));
  }
};

struct Found {
  CycleOutcome outcome = CycleOutcome::limit;
  Seconds start = kNotPlanned;
  std::vector<std::int64_t> machines;
};

class Pass {
 public:
  Pass(const CycleMachines& machines, const MachineLists& sets, const CycleRuns& runs, const CycleRequests& requests,
       const CycleReservations& reservations, const CycleSettings& settings)
      : machines_(machines),
        requests_(requests),
        settings_(settings),
        sets_(sets_of(sets, machines.size())),
        everything_(MachineSet::everything(machines.size())),
        up_(machines_up(machines)),
        running_(machines.size(), runs),
        reserved_(reservations, sets_of_reservations(reservations, sets_), settings, machines.size()),
        intervals_(floor(settings.now), floor(settings.now + settings.window), up_),
        usable_(machines, runs),
        choice_(machines, machines_in_use(running_)) {}

  // The last copy that was planned; nothing if one of them found nothing.
  Found place_all(std::size_t row) {
    Seeker seeker = seeker_of(row);
    Found found;
    for (std::int64_t copy = 0; copy < requests_.n_copies[row]; ++copy) {
      if (n_tried_ >= settings_.depth || intervals_.n_inserted() >= settings_.most_intervals) return found;
      seeker.is_counted = false;
      found = place(seeker);
      if (found.start == kNotPlanned) return found;
    }
    return found;
  }

  [[nodiscard]] std::int64_t n_tried() const { return n_tried_; }
  [[nodiscard]] std::int64_t n_inserted() const { return intervals_.n_inserted(); }

 private:
  // What plans leave free for the whole limit is in `narrowed_`.
  struct Free {
    std::optional<Seconds> later;  // the next instant to try
    bool saw_the_end = true;       // of the list of intervals
    bool is_enough = true;         // machines; if not, and an instant follows, `narrowed_` is not narrowed to the end
  };

  [[nodiscard]] Seconds floor(Seconds instant) const { return instant / settings_.resolution * settings_.resolution; }

  Seeker seeker_of(std::size_t row) {
    Seeker seeker;
    seeker.limit = requests_.limit[row];
    seeker.may_wait = requests_.may_wait[row] != 0;
    const auto set = [&](std::int64_t number) { return number < 0 ? nullptr : &sets_[static_cast<std::size_t>(number)]; };
    seeker.partition = requests_.partition[row] < 0 ? &everything_ : set(requests_.partition[row]);
    seeker.required = set(requests_.required[row]);
    if (requests_.reservation[row] >= 0) seeker.reservation = static_cast<std::size_t>(requests_.reservation[row]);
    seeker.request = CycleRequest::of(requests_, row, seeker.required == nullptr ? 0 : seeker.required->size());
    seeker.able = &able(row, seeker.request);
    return seeker;
  }

  // Machines that suit a request, remembered for others that ask for the same.
  const MachineSet& able(std::size_t row, const CycleRequest& request) {
    const auto key = std::make_tuple(requests_.eligible[row], request.least_processors, request.memory_kind, request.memory, request.memory_units);
    const auto known = able_.find(key);
    if (known != able_.end()) return known->second;
    MachineSet suiting(machines_.size());
    for (std::size_t machine = 0; machine < machines_.size(); ++machine) {
      if (request.suits(machines_.processors[machine], machines_.memory[machine])) suiting.insert(machine);
    }
    if (requests_.eligible[row] >= 0) suiting &= sets_[static_cast<std::size_t>(requests_.eligible[row])];
    return able_.emplace(key, std::move(suiting)).first->second;
  }

  Found place(Seeker& seeker) {
    const Seconds now = settings_.now;
    const MachineSet own = *seeker.partition & up_;
    MachineSet base = own;
    Seconds instant = now;
    blocker_ = 0;
    while (true) {
      std::optional<Seconds> until;
      if (!reserved_.empty()) {
        const std::optional<ReservedMachines::Left> left = beside_reservations(seeker, instant);
        if (!left) return {CycleOutcome::reservation, kNotPlanned, {}};
        instant = left->instant;
        until = left->until;
        base = left->machines & own;
      }
      const Free free = free_of_plans(seeker, instant, base, until);
      std::optional<Seconds> moment;
      if (free.is_enough) {
        n_tried_ += seeker.is_counted ? 0 : 1;
        seeker.is_counted = true;
        moment = first_moment(seeker, narrowed_ & *seeker.able, free.later);
      }
      if (!moment) {
        if (!free.later) return {why_nothing(seeker, free.saw_the_end), kNotPlanned, {}};
        instant = *free.later;
        continue;
      }
      const Seconds start = std::max(*moment, instant);
      if (free.later && start > *free.later) {
        instant = *free.later;
        continue;
      }
      if (start > now && !seeker.may_wait) return {CycleOutcome::now_only, kNotPlanned, {}};
      if (start > now + settings_.window) return {CycleOutcome::after_window, start, {}};
      MachineSet chosen(machines_.size());
      for (const ChosenMachine& each : choice_.chosen()) chosen.insert(each.machine);
      const Seconds begin = floor(start);
      const Seconds end = floor(start + seeker.limit);
      if (start > now && !intervals_.are_free(chosen, begin, end)) {
        instant = start;
        continue;
      }
      if (start <= now) {
        run(seeker);
      } else {
        intervals_.hold(chosen, begin, std::max(end, begin + settings_.resolution));
      }
      Found found{CycleOutcome::planned, start, {}};
      chosen.for_each([&](std::size_t machine) { found.machines.push_back(static_cast<std::int64_t>(machine)); });
      return found;
    }
  }

  std::optional<ReservedMachines::Left> beside_reservations(const Seeker& seeker, Seconds instant) const {
    if (seeker.reservation) return reserved_.inside(*seeker.reservation, instant);
    return reserved_.beside(instant, seeker.limit, *seeker.partition, seeker.required);
  }

  Free free_of_plans(const Seeker& seeker, Seconds instant, const MachineSet& base, std::optional<Seconds> until) {
    Free free;
    narrowed_ = base;
    const MachineSet* usable = nullptr;
    for (std::size_t i = intervals_.first_after(instant); i < intervals_.size(); ++i) {
      const bool is_last = i + 1 == intervals_.size();
      if (!free.later && !is_last && gains(base, intervals_.free(i + 1), narrowed_, intervals_.free(i))) {
        free.later = intervals_.end(i);
        // What fits only later is not asked for, but whether a place is looked for has to be known once.
        if (seeker.is_counted) usable = &usable_.up_to(*free.later, seeker.request);
        // What was in the way at the instant before as a rule still is.
        const bool is_ahead = blocker_ > i && blocker_ < intervals_.size() && intervals_.begin(blocker_) <= instant + seeker.limit;
        if (is_ahead) narrowed_ &= intervals_.free(blocker_);
      }
      // A plan that begins exactly where the job would end is in the way.
      if (intervals_.begin(i) > instant + seeker.limit) {
        free.saw_the_end = is_last;
        break;
      }
      narrowed_ &= intervals_.free(i);
      // The rest could only take machines away, and the next instant is known.
      if (free.later && !seeker.has_enough(narrowed_, usable)) {
        if (blocker_ <= i) blocker_ = i;
        break;
      }
    }
    if (until) free.later = free.later ? std::min(*free.later, *until) : *until;
    free.is_enough = seeker.has_enough(narrowed_, usable);
    return free;
  }

  // Whether the next interval has a machine of `base` that the narrowed set lacks.
  static bool gains(const MachineSet& base, const MachineSet& next, const MachineSet& narrowed, const MachineSet& present) {
    for (std::size_t i = 0; i < base.n_words(); ++i) {
      if ((base.word(i) & next.word(i) & ~(narrowed.word(i) & present.word(i))) != 0) return true;
    }
    return false;
  }

  // The first moment at which the job fits on these machines beside what runs; they are in `choice_`.  One after `latest`
  // is not looked for to the end: it is nothing, or what is found.
  std::optional<Seconds> first_moment(const Seeker& seeker, const MachineSet& eligible, std::optional<Seconds> latest) {
    const auto chooses = [&](std::span<const std::int64_t> processors, std::span<const std::int64_t> memory, bool is_now) {
      return choice_.choose(seeker.request, eligible, seeker.required, processors, memory, is_now);
    };
    if (chooses(running_.processors(), running_.memory(), true)) return settings_.now;
    Release release(running_, eligible, settings_.growth);
    while (const std::optional<Release::Last> last = release.next_group()) {
      if (latest && last->end > *latest) return std::nullopt;
      if (chooses(release.processors(), release.memory(), false)) return last->likely_end;
    }
    return std::nullopt;
  }

  CycleOutcome why_nothing(const Seeker& seeker, bool saw_the_end) {
    MachineSet all = *seeker.partition & up_;
    if (seeker.reservation) all &= reserved_.of(*seeker.reservation);
    if (!seeker.has_enough(all) || !first_moment(seeker, all & *seeker.able, std::nullopt)) return CycleOutcome::never_fits;
    return saw_the_end ? CycleOutcome::window : CycleOutcome::dead_end;
  }

  // What was chosen starts now.
  void run(const Seeker& seeker) {
    const CycleRequest& request = seeker.request;
    std::vector<HeldShare> shares;
    for (const ChosenMachine& each : choice_.chosen()) {
      HeldShare share{each.machine, request.is_exclusive ? machines_.processors[each.machine] : each.processors, 0};
      switch (request.memory_kind) {
        case MemoryKind::none: break;
        case MemoryKind::machine: share.memory = request.memory; break;
        case MemoryKind::processor: share.memory = request.memory * each.processors; break;
        case MemoryKind::whole: share.memory = machines_.memory[each.machine]; break;
      }
      shares.push_back(share);
    }
    running_.start(settings_.now + seeker.limit, shares);
  }

  using Suited = std::tuple<std::int64_t, std::int64_t, MemoryKind, std::int64_t, std::int64_t>;

  const CycleMachines& machines_;
  const CycleRequests& requests_;
  CycleSettings settings_;
  std::vector<MachineSet> sets_;
  MachineSet everything_;
  MachineSet up_;
  RunningShares running_;
  ReservedMachines reserved_;
  PlannedIntervals intervals_;
  UsableMachines usable_;
  MachineChoice choice_;
  MachineSet narrowed_;
  std::size_t blocker_ = 0;  // the interval that left a job too few machines at the instant before
  std::map<Suited, MachineSet> able_;
  std::int64_t n_tried_ = 0;
};

}  // namespace

CyclePlan plan_cycle(const CycleMachines& machines, const MachineLists& sets, const CycleRuns& runs, const CycleRequests& requests,
                     const CycleReservations& reservations, const CycleSettings& settings, Monitor* monitor) {
  Pass pass(machines, sets, runs, requests, reservations, settings);
  CyclePlan plan;
  std::set<std::int64_t> barred;
  for (std::size_t row = 0; row < requests.size(); ++row) {
    if (monitor != nullptr) monitor->poll(row, requests.size());
    Found found{CycleOutcome::array, kNotPlanned, {}};
    const std::int64_t array = requests.array[row];
    if (array < 0 || !barred.contains(array)) found = pass.place_all(row);
    if (array >= 0 && found.start == kNotPlanned) barred.insert(array);
    plan.start.push_back(found.start);
    plan.outcome.push_back(found.outcome);
    plan.machines.machine.insert(plan.machines.machine.end(), found.machines.begin(), found.machines.end());
    plan.machines.offset.push_back(static_cast<std::int64_t>(plan.machines.machine.size()));
  }
  plan.n_tried = pass.n_tried();
  plan.n_inserted = pass.n_inserted();
  return plan;
}

}  // namespace schedcore
