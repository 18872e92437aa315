#include "schedcore/engine/custom_policy.hpp"

#include <algorithm>
#include <cmath>

namespace schedcore {

void CustomPolicy::attach(const MachinesView& machines) { static_cast<void>(take_up_machines(machines)); }

bool CustomPolicy::take_up_machines(const MachinesView& machines) {
  n_resources_ = machines.n_resources;
  capacity_.assign(machines.capacity.begin(), machines.capacity.end());
  return true;
}

void CustomPolicy::take_up(const Event& event, const JobTable& jobs) {
  for (const JobSlot job : event.withdrawn) waiting_.erase(job, jobs);
  for (const Reweighed& each : event.reweighed) {
    waiting_.move(each.before, each.after, jobs);
    known_.remove(each.before, jobs);
    known_.add(each.after, jobs);
  }
  for (const JobSlot job : event.adopted) known_.add(job, jobs);
  const auto wait = [&](JobSlot job) {
    if (jobs.state(job) != JobState::submitted) return;
    known_.add(job, jobs);
    waiting_.insert(job, jobs);
  };
  for (const JobSlot job : event.arrived) wait(job);
  for (const Completion& killed : event.killed) wait(killed.job);
  for (const JobSlot job : event.released) wait(job);
  wakeups_.erase(wakeups_.begin(), wakeups_.upper_bound(event.now));
}

// Of what is there no longer, unless it is there again.
void CustomPolicy::let_go(const Event& event, const JobTable& jobs) {
  for (const Completion& ended : event.completed) known_.remove(ended.job, jobs);
  for (const Completion& ended : event.cancelled) known_.remove(ended.job, jobs);
  const auto by_id = [&](JobSlot job) { return jobs.id(job); };
  for (const JobSlot job : event.withdrawn) {
    // Held and released at one instant, it waits in the same slot.
    const auto back = std::ranges::lower_bound(event.released, by_id(job), {}, by_id);
    if (back == event.released.end() || *back != job) known_.remove(job, jobs);
  }
}

void CustomPolicy::decide(const Event& event, Turn& turn) {
  take_up(event, turn.jobs());
  CustomTurn own(*this, event, turn);
  free_rows_.take_up(event, own);
  decide_on(own);
  let_go(event, turn.jobs());
  find_wakeup(turn.availability());
}

// Nobody is to be started where nobody waits; so a policy that always wants to be woken comes to an end.
void CustomPolicy::find_wakeup(const Availability& availability) {
  next_wakeup_ = kNever;
  if (waiting_.empty()) return;
  next_wakeup_ = std::min(wakeups_.empty() ? kNever : *wakeups_.begin(), availability.next_end());
}

void CustomPolicy::write(SnapshotWriter& archive) const {
  archive(std::vector<Time>(wakeups_.begin(), wakeups_.end()));
  if (!archive.renumbers_machines()) archive(remembered());
}

void CustomPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  std::vector<Time> wakeups;
  archive(wakeups);
  archive.require(std::ranges::is_sorted(wakeups) && (wakeups.empty() || wakeups.front() > cluster.now) &&
                      std::ranges::all_of(wakeups, [](Time at) { return std::isfinite(at); }),
                  "a wake-up is no instant to come");
  wakeups_ = {wakeups.begin(), wakeups.end()};
  for (const JobSlot job : cluster.waiting) {
    waiting_.insert(job, cluster.jobs);
    known_.add(job, cluster.jobs);
  }
  for (const JobSlot job : cluster.running) known_.add(job, cluster.jobs);
  find_wakeup(*cluster.availability);
  if (archive.machines_renumbered()) return;
  std::string bytes;
  archive(bytes);
  remember(bytes);
}

}  // namespace schedcore
