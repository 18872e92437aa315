// The rules of a site at work: what they say of every job that is known, and what the running jobs make of them.
//
// A value.  Jobs are known by their slots in the table of jobs, from `add` to `remove`; those that run are told by `begin_run`
// and `end_run`.  Priorities stand still between two multiples of the interval; `version` changes when they do.
// Cost: O(limits) a job that comes or goes, O(limits that count it) a start or an end, O(1) everything else.  Memory 120 bytes a
// job, and the names that were ever heard.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/index/class_queue.hpp"
#include "schedcore/site/fair_share.hpp"
#include "schedcore/site/job_belongings.hpp"
#include "schedcore/site/limit_use.hpp"
#include "schedcore/site/site_rules.hpp"

namespace schedcore {

// The names of one kind of party, by numbers from 0 on.
class PartyNames {
 public:
  [[nodiscard]] std::int32_t number_of(std::string_view name);
  [[nodiscard]] const std::string& name(std::int32_t number) const { return names_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> number_of_;
};

class SiteState {
 public:
  // The capacities of all machines together.
  SiteState(SiteRules rules, std::vector<Amount> total_capacity);

  [[nodiscard]] const SiteRules& rules() const { return rules_; }
  [[nodiscard]] bool preempts() const { return rules_.preempts; }
  [[nodiscard]] bool any_limits() const { return !rules_.limits.empty(); }
  // Names are numbers in `JobParties`.
  [[nodiscard]] std::int32_t number_of(Party party, std::string_view name) {
    return names_[static_cast<std::size_t>(party)].number_of(name);
  }
  [[nodiscard]] const PartyNames& names(Party party) const { return names_[static_cast<std::size_t>(party)]; }

  [[nodiscard]] JobParties parties_of(const JobBelongings& belongings);
  void add(JobSlot job, const JobParties& parties, Amount n_tasks, std::span<const Amount> demand);
  void remove(JobSlot job);
  [[nodiscard]] const JobParties& parties(JobSlot job) const { return rows_[job].parties; }
  void set_priority(JobSlot job, double priority) { rows_[job].parties.priority = priority; }
  [[nodiscard]] std::int64_t tier(JobSlot job) const { return rows_[job].tier; }
  [[nodiscard]] std::int64_t level(JobSlot job) const { return rows_[job].level; }
  [[nodiscard]] bool is_preemptible(JobSlot job) const { return rows_[job].is_preemptible; }
  [[nodiscard]] LimitUse::Profile profile(JobSlot job) const { return rows_[job].profile; }
  [[nodiscard]] const LimitUse& limits() const { return limits_; }
  // When it was ended for another job; -kNever if never.
  void note_preempted(JobSlot job, Time now) { rows_[job].preempted_at = now; }
  [[nodiscard]] Time preempted_at(JobSlot job) const { return rows_[job].preempted_at; }
  // Machines have more, or less, than before; the jobs that are known are told again.
  void set_total_capacity(std::vector<Amount> total_capacity);
  void set_size(JobSlot job, Amount n_tasks, std::span<const Amount> demand) { rows_[job].size = size_of(n_tasks, demand); }

  // Before the events of the instant.
  void pass_to(Time now);
  void begin_run(JobSlot job, Amount n_tasks, std::span<const Amount> demand, Time now);
  void end_run(JobSlot job, Amount n_tasks, std::span<const Amount> demand, Time now);

  // As of the last multiple of the interval.
  [[nodiscard]] double priority(JobSlot job, Time release_time) const;
  [[nodiscard]] std::uint64_t version() const { return version_; }

  // What cannot be derived from the rules and the jobs.  Names come before the jobs, the rest after their runs were told;
  // those that run are named in the same order.
  void write_names(SnapshotWriter& archive) const;
  void read_names(SnapshotReader& archive);
  void write(SnapshotWriter& archive, std::span<const JobSlot> running) const;
  void read(SnapshotReader& archive, std::span<const JobSlot> running, Time now);

 private:
  struct Row {
    JobParties parties;
    std::int64_t tier = 0;
    std::int64_t level = 0;
    double size = 0;
    double size_of_run = 0;  // as of its start, whatever machines have since
    Time preempted_at = -kNever;
    double partition_factor = 0;
    double class_factor = 0;
    std::uint32_t account = 0;
    LimitUse::Profile profile = 0;
    bool is_preemptible = false;
    bool is_there = false;
  };

  [[nodiscard]] bool counts_use() const { return rules_.multifactor && rules_.multifactor->fair_share != 0; }
  [[nodiscard]] double share_of(std::string_view account) const;
  [[nodiscard]] std::uint32_t account_number(std::int32_t name);
  [[nodiscard]] std::int64_t counted_value(std::size_t limit, const JobParties& parties) const;
  [[nodiscard]] double size_of(Amount n_tasks, std::span<const Amount> demand) const;

  SiteRules rules_;
  std::vector<Amount> total_capacity_;
  std::array<PartyNames, kNamedParties> names_;
  std::vector<std::int32_t> partition_of_;  // by name: which of the partitions it is, -1 for none
  std::vector<std::int32_t> class_of_;
  std::vector<std::int64_t> one_value_;     // by limit: the number of its one value, kNotCounted for each by itself
  LimitUse limits_;
  FairShare fair_share_;                    // account 0: jobs without one; those by name follow in order of their numbers
  double sum_of_shares_ = 0;
  std::vector<Row> rows_;
  Time instant_ = -kNever;                  // T
  std::uint64_t version_ = 0;
};

}  // namespace schedcore
