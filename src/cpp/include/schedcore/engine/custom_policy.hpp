// A policy that somebody else writes, against jobs by their ids and machines by the numbers that callers use.
//
// It keeps what every such policy needs: the jobs that wait in order of arrival, which job an id is, and when to wake.  It
// checks every start before the engine does, so that an error says what the author of the policy knows.  A job starts
// only where it ends before the next announced outage.  Derived classes decide, copy themselves, and say what they
// remember as bytes.
//
// Cost: O(log n) a job and change beside what is decided; `machines_with_room` a search in the index for each.  No policy of
// the library is one: those keep their own indexes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcore/engine/arrival_order.hpp"
#include "schedcore/engine/free_rows.hpp"
#include "schedcore/engine/known_jobs.hpp"
#include "schedcore/engine/policy.hpp"

namespace schedcore {

class CustomTurn;

class CustomPolicy : public Policy {
 public:
  explicit CustomPolicy(bool takes_gangs) : takes_gangs_(takes_gangs) {}

  void attach(const MachinesView& machines) final;
  void decide(const Event& event, Turn& turn) final;
  void write(SnapshotWriter& archive) const final;
  void read(SnapshotReader& archive) final;
  [[nodiscard]] bool take_up_machines(const MachinesView& machines) final;
  [[nodiscard]] bool heeds_eligibility() const final { return true; }
  [[nodiscard]] bool heeds_clusters() const final { return true; }
  [[nodiscard]] bool heeds_weights() const final { return true; }
  [[nodiscard]] bool takes_gangs() const final { return takes_gangs_; }
  [[nodiscard]] Time next_wakeup() const final { return next_wakeup_; }
  [[nodiscard]] std::vector<JobSlot> waiting_in_order(const JobTable& /*jobs*/) const final { return waiting_.all(); }

 protected:
  CustomPolicy(const CustomPolicy&) = default;

  // Once for every event.
  virtual void decide_on(CustomTurn& turn) = 0;
  // What it remembers, and that again; an UnsupportedError where that cannot be said.
  [[nodiscard]] virtual std::string remembered() const = 0;
  virtual void remember(std::string_view bytes) = 0;

 private:
  friend class CustomTurn;

  void take_up(const Event& event, const JobTable& jobs);
  void let_go(const Event& event, const JobTable& jobs);
  void find_wakeup(const Availability& availability);

  bool takes_gangs_;
  std::size_t n_resources_ = 0;
  std::vector<Amount> capacity_;  // row-major
  ArrivalOrder waiting_;
  KnownJobs known_;         // those that wait or run, and those that end now
  std::set<Time> wakeups_;  // that were asked for, behind the last event
  FreeRows free_rows_;
  Time next_wakeup_ = kNever;
};

// Which jobs, or machines; those of an event as of its beginning.
enum class TurnList : std::uint8_t {
  waiting,    // in order of arrival
  running,    // in order of estimated end, those that have just started among them
  machines,   // that are not removed
  arrived,    // these and the rest: in increasing order
  completed,
  killed,     // and wait again
  cancelled,  // gone without having ended: those that ran, then those that waited
  held,
  released,
  updated,    // something else is said of them than before
  adopted,
  machines_changed,
};
constexpr std::size_t kTurnLists = 12;

// The hands of such a policy during one decision.  Ids that it does not know, machines that are not there, and starts that
// cannot be are a PolicyError, and nothing has happened.
class CustomTurn {
 public:
  CustomTurn(CustomPolicy& policy, const Event& event, Turn& turn) : policy_(policy), event_(event), turn_(turn) {}

  [[nodiscard]] Time now() const { return event_.now; }
  [[nodiscard]] const Turn& turn() const { return turn_; }
  [[nodiscard]] std::int64_t id(JobSlot job) const { return turn_.jobs().id(job); }
  [[nodiscard]] std::int64_t number_of(std::size_t machine) const { return turn_.number_of(machine); }
  // Of a job that waits or runs, or has just ended.
  [[nodiscard]] JobSlot job_of(std::int64_t id) const;
  [[nodiscard]] bool waits(JobSlot job) const { return turn_.jobs().state(job) == JobState::submitted; }

  [[nodiscard]] std::vector<std::int64_t> ids(TurnList list) const;
  // The machines that are not removed, in increasing order of their numbers.
  [[nodiscard]] std::vector<std::uint32_t> machines() const;
  [[nodiscard]] std::span<const Amount> capacity_of(std::size_t machine) const {
    return {policy_.capacity_.data() + machine * policy_.n_resources_, policy_.n_resources_};
  }
  // What is free on them.
  [[nodiscard]] const std::shared_ptr<std::vector<Amount>>& free_rows() const { return policy_.free_rows_.rows(*this); }
  // The numbers of those where at least one task of the job may start now, the preferred ones first, and how many may on each;
  // nothing for a job that does not wait.  The first of them.
  [[nodiscard]] std::vector<std::int64_t> fits(std::int64_t id) const;
  [[nodiscard]] std::vector<Amount> room(std::int64_t id) const;
  [[nodiscard]] std::optional<std::int64_t> first_fit(std::int64_t id) const;

  // Places by number; of a job of one task its machine with 1.
  struct NumberedPlace {
    std::int64_t machine = 0;
    Amount n_tasks = 1;
  };
  void start(std::int64_t id, std::span<const NumberedPlace> places);
  // The policy is asked again then, whatever happens in between, if jobs wait.
  void wake(Time at);

 private:
  [[nodiscard]] std::optional<std::uint32_t> first_with_room(JobSlot job, std::size_t from = 0) const;
  [[nodiscard]] std::vector<std::uint32_t> machines_with_room(std::int64_t id) const;
  [[nodiscard]] Amount tasks_with_room(JobSlot job, std::size_t machine) const;
  [[nodiscard]] bool has_room(JobSlot job, std::size_t machine) const;
  [[nodiscard]] Time room_until(JobSlot job, std::size_t machine, Amount n_tasks) const;
  // Whether it waited, ran or ended when the turn began.
  [[nodiscard]] bool knows(JobSlot job) const;
  [[nodiscard]] bool is_held(JobSlot job) const { return turn_.jobs().state(job) == JobState::held; }
  [[nodiscard]] bool is_among(std::span<const JobSlot> jobs, JobSlot job) const;
  [[nodiscard]] std::vector<std::int64_t> waiting() const;
  [[nodiscard]] std::vector<std::int64_t> cancelled() const;
  [[nodiscard]] std::vector<std::int64_t> updated() const;

  CustomPolicy& policy_;
  const Event& event_;
  Turn& turn_;
  std::vector<JobSlot> started_;
  std::vector<TaskPlace> places_;  // scratch
};

}  // namespace schedcore
