// The rules of a site at work: what they say of every job that is known, and what the running jobs make of them.
//
// A value.  Jobs are known by their slots in the table of jobs, from `add` to `remove`; those that run are told by `begin_run`
// and `end_run`.  Priorities stand still between two multiples of the interval; `version` changes when they do.
// Only names that the rules ask about are known, and only as long as a job has them; of accounts with a fair share also as long
// as what they have used makes a difference.
// Cost: O(limits) a job that comes or goes, O(limits that count it) a start or an end, O(1) everything else.  Memory 80 bytes a
// job, 130 with a multifactor order, and the names that are known.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/index/class_queue.hpp"
#include "schedcore/site/fair_share.hpp"
#include "schedcore/site/job_belongings.hpp"
#include "schedcore/site/limit_use.hpp"
#include "schedcore/site/party_names.hpp"
#include "schedcore/site/site_rules.hpp"

namespace schedcore {

class SiteState {
 public:
  // The capacities of all machines together.
  SiteState(SiteRules rules, std::vector<Amount> total_capacity);

  [[nodiscard]] const SiteRules& rules() const { return rules_; }
  [[nodiscard]] bool preempts() const { return rules_.preempts; }
  [[nodiscard]] bool any_limits() const { return !rules_.limits.empty(); }
  // Names are numbers in `JobParties`; -1 where no rule asks about such parties.
  [[nodiscard]] std::int32_t number_of(Party party, std::string_view name) {
    return asks_about(party) ? known_number_of(party, name) : -1;
  }
  [[nodiscard]] const PartyNames& names(Party party) const { return names_[static_cast<std::size_t>(party)]; }

  // Until the job is added nobody holds its names.
  [[nodiscard]] JobParties parties_of(const JobBelongings& belongings);
  void add(JobSlot job, Time release_time, const JobParties& parties, Amount n_tasks, std::span<const Amount> demand);
  void reserve(std::size_t n_jobs) {
    rows_.reserve(n_jobs);
    if (rules_.multifactor) terms_.reserve(n_jobs);
  }
  void remove(JobSlot job);
  [[nodiscard]] const JobParties& parties(JobSlot job) const { return rows_[job].parties; }
  void set_priority(JobSlot job, double priority) {
    rows_[job].parties.priority = priority;
    if (rules_.multifactor) terms_[job].job = rules_.multifactor->job * priority;
  }
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
  void set_size(JobSlot job, Amount n_tasks, std::span<const Amount> demand) {
    rows_[job].size = size_of(n_tasks, demand);
    if (rules_.multifactor) terms_[job].size = rules_.multifactor->size * rows_[job].size;
  }

  // Before the events of the instant.
  void pass_to(Time now);
  void begin_run(JobSlot job, Amount n_tasks, std::span<const Amount> demand, Time now);
  void end_run(JobSlot job, Amount n_tasks, std::span<const Amount> demand, Time now);

  // As of the last multiple of the interval, of a multifactor order.
  [[nodiscard]] double priority(JobSlot job) const {
    const Multifactor& weight = *rules_.multifactor;
    const Terms& terms = terms_[job];
    // Before the first event nobody has waited.
    const double age = std::min(1.0, std::max(0.0, instant_ - terms.release_time) / weight.max_age);
    const double fair_share = weight.fair_share != 0 ? fair_share_.factor(terms.account) : 0;
    return weight.age * age + weight.fair_share * fair_share + terms.size + terms.partition + terms.service_class + terms.job;
  }
  [[nodiscard]] std::uint64_t version() const { return version_; }

  // What cannot be derived from the rules and the jobs.  Names come before the jobs, in an order that does not depend on their
  // numbers; the rest comes after the runs of the jobs were told; those that run are named in the same order.
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
    LimitUse::Profile profile = 0;
    bool is_preemptible = false;
    bool is_there = false;
  };

  // What a multifactor order adds for a job, apart from all else: those of all waiting jobs are read whenever priorities move.
  struct Terms {
    Time release_time = 0;
    double size = 0;
    double partition = 0;
    double service_class = 0;
    double job = 0;
    std::uint32_t account = 0;
  };

  [[nodiscard]] bool counts_use() const { return rules_.multifactor && rules_.multifactor->fair_share != 0; }
  [[nodiscard]] double share_of(const std::string& account) const;
  [[nodiscard]] bool asks_about(Party party) const;
  [[nodiscard]] std::int32_t known_number_of(Party party, std::string_view name);
  static std::uint32_t account_of(std::int32_t name) { return static_cast<std::uint32_t>(name + 1); }
  void hold(Party party, std::int32_t name);
  void release(Party party, std::int32_t name);
  // Whether a name that nobody holds may be forgotten.
  [[nodiscard]] bool is_over(Party party, std::int32_t name) const;
  void forget_what_is_over(Party party);
  // The names that are written, in this order.
  [[nodiscard]] std::vector<std::int32_t> written_names(Party party) const;
  [[nodiscard]] std::int64_t counted_value(std::size_t limit, const JobParties& parties) const;
  [[nodiscard]] double size_of(Amount n_tasks, std::span<const Amount> demand) const;

  SiteRules rules_;
  std::vector<Amount> total_capacity_;
  std::array<PartyNames, kNamedParties> names_;
  std::array<std::size_t, kNamedParties> n_names_of_rules_{};  // which have the lowest numbers, and are never forgotten
  std::size_t most_accounts_ = 64;          // with more of them it is time to look for some that are over
  std::vector<std::int32_t> partition_of_;  // by name: which of the partitions it is, -1 for none
  std::vector<std::int32_t> class_of_;
  std::vector<std::int64_t> one_value_;     // by limit: the number of its one value, kNotCounted for each by itself
  LimitUse limits_;
  FairShare fair_share_;                    // account 0: jobs without one; those by name follow, at their numbers
  std::unordered_map<std::string, double> share_of_;  // of all shares
  std::vector<Row> rows_;
  std::vector<Terms> terms_;                // as many, where there is a multifactor order
  std::vector<std::int64_t> values_;        // scratch
  Time instant_ = -kNever;                  // T
  std::uint64_t version_ = 0;
};

}  // namespace schedcore
