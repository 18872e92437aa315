#include "schedcore/site/site_state.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace schedcore {
namespace {

// By number of a name, which of the parts has it.
template <class Part>
std::vector<std::int32_t> numbers_of(const std::vector<Part>& parts, PartyNames& names) {
  std::vector<std::int32_t> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = static_cast<std::size_t>(names.number_of(parts[i].name));
    found.resize(std::max(found.size(), number + 1), -1);
    found[number] = static_cast<std::int32_t>(i);
  }
  return found;
}

template <class Part>
const Part* part_of(std::int32_t name, const std::vector<std::int32_t>& number_of, const std::vector<Part>& parts) {
  if (name < 0 || static_cast<std::size_t>(name) >= number_of.size()) return nullptr;
  const std::int32_t number = number_of[static_cast<std::size_t>(name)];
  return number < 0 ? nullptr : &parts[static_cast<std::size_t>(number)];
}

}  // namespace

std::int32_t PartyNames::number_of(std::string_view name) {
  const auto [found, is_new] = number_of_.try_emplace(std::string(name), static_cast<std::int32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return found->second;
}

SiteState::SiteState(SiteRules rules, std::vector<Amount> total_capacity)
    : rules_(std::move(rules)), total_capacity_(std::move(total_capacity)), limits_(rules_.limits) {
  if (rules_.multifactor) fair_share_ = FairShare(rules_.multifactor->half_life);
  for (const SiteShare& each : rules_.shares) sum_of_shares_ += each.share;
  fair_share_.add_account(share_of(""));
  partition_of_ = numbers_of(rules_.partitions, names_[static_cast<std::size_t>(Party::partition)]);
  class_of_ = numbers_of(rules_.classes, names_[static_cast<std::size_t>(Party::service_class)]);
  for (const SiteLimit& limit : rules_.limits) {
    std::int64_t value = LimitUse::kNotCounted;
    if (limit.value && limit.party == Party::array) {
      std::from_chars(limit.value->data(), limit.value->data() + limit.value->size(), value);
    } else if (limit.value) {
      value = number_of(limit.party, *limit.value);
    }
    one_value_.push_back(value);
  }
  static_cast<void>(account_number(-1));  // of those that limits name
}

// An account without a share never gets here while there are shares.
double SiteState::share_of(std::string_view account) const {
  for (const SiteShare& each : rules_.shares) {
    if (each.account == account) return each.share / sum_of_shares_;
  }
  return 1;
}

std::uint32_t SiteState::account_number(std::int32_t name) {
  const PartyNames& accounts = names(Party::account);
  while (fair_share_.n_accounts() <= accounts.size()) {
    const auto next = static_cast<std::int32_t>(fair_share_.n_accounts() - 1);
    fair_share_.add_account(next < static_cast<std::int32_t>(accounts.size()) ? share_of(accounts.name(next)) : 1);
  }
  return static_cast<std::uint32_t>(name + 1);
}

std::int64_t SiteState::counted_value(std::size_t limit, const JobParties& parties) const {
  const SiteLimit& rule = rules_.limits[limit];
  const std::int64_t value = rule.party == Party::array ? parties.array : parties.named(rule.party);
  if (value < 0) return LimitUse::kNotCounted;
  return rule.value && value != one_value_[limit] ? LimitUse::kNotCounted : value;
}

double SiteState::size_of(Amount n_tasks, std::span<const Amount> demand) const {
  double most = 0;
  for (std::size_t k = 0; k < demand.size(); ++k) {
    if (total_capacity_[k] == 0) continue;
    most = std::max(most, static_cast<double>(n_tasks) * static_cast<double>(demand[k]) / static_cast<double>(total_capacity_[k]));
  }
  return most;
}

void SiteState::set_total_capacity(std::vector<Amount> total_capacity) {
  total_capacity_ = std::move(total_capacity);
  ++version_;
}

JobParties SiteState::parties_of(const JobBelongings& belongings) {
  JobParties parties;
  for (std::size_t p = 0; p < kNamedParties; ++p) {
    if (!belongings.name[p].empty()) parties.of[p] = names_[p].number_of(belongings.name[p]);
  }
  parties.array = belongings.array;
  parties.priority = belongings.priority;
  return parties;
}

void SiteState::add(JobSlot job, const JobParties& parties, Amount n_tasks, std::span<const Amount> demand) {
  if (job >= rows_.size()) rows_.resize(job + 1);
  Row row;
  row.parties = parties;
  row.is_there = true;
  if (const auto* partition = part_of(parties.named(Party::partition), partition_of_, rules_.partitions)) {
    row.tier = partition->tier;
    row.partition_factor = partition->factor;
  }
  if (const auto* service_class = part_of(parties.named(Party::service_class), class_of_, rules_.classes)) {
    row.level = service_class->level;
    row.class_factor = service_class->factor;
    row.is_preemptible = service_class->is_preemptible;
  }
  row.account = account_number(parties.named(Party::account));
  row.size = size_of(n_tasks, demand);
  std::vector<std::int64_t> values;
  for (std::size_t limit = 0; limit < rules_.limits.size(); ++limit) values.push_back(counted_value(limit, parties));
  row.profile = limits_.add(values);
  rows_[job] = row;
}

void SiteState::remove(JobSlot job) {
  if (job >= rows_.size() || !rows_[job].is_there) return;
  limits_.remove(rows_[job].profile);
  rows_[job].is_there = false;
}

void SiteState::pass_to(Time now) {
  if (!rules_.multifactor) return;
  const Time interval = rules_.multifactor->interval;
  // The product may be rounded to something later.
  const Time instant = interval > 0 ? std::min(now, interval * std::floor(now / interval)) : now;
  if (!(instant > instant_)) return;
  instant_ = instant;
  ++version_;
  if (counts_use()) fair_share_.pass_to(instant);
}

void SiteState::begin_run(JobSlot job, Amount n_tasks, std::span<const Amount> demand, Time now) {
  Row& row = rows_[job];
  row.size_of_run = row.size;
  if (any_limits()) limits_.begin(row.profile, n_tasks, demand);
  if (counts_use()) fair_share_.begin_run(row.account, row.size_of_run, now);
}

void SiteState::end_run(JobSlot job, Amount n_tasks, std::span<const Amount> demand, Time now) {
  const Row& row = rows_[job];
  if (any_limits()) limits_.end(row.profile, n_tasks, demand);
  if (counts_use()) fair_share_.end_run(row.account, row.size_of_run, now);
}

double SiteState::priority(JobSlot job, Time release_time) const {
  const Multifactor& weight = *rules_.multifactor;
  const Row& row = rows_[job];
  // Before the first event nobody has waited.
  const double age = std::min(1.0, std::max(0.0, instant_ - release_time) / weight.max_age);
  const double fair_share = weight.fair_share != 0 ? fair_share_.factor(row.account) : 0;
  return weight.age * age + weight.fair_share * fair_share + weight.size * row.size +
         weight.partition * row.partition_factor + weight.service_class * row.class_factor +
         weight.job * row.parties.priority;
}

void SiteState::write_names(SnapshotWriter& archive) const {
  for (const PartyNames& each : names_) {
    archive(static_cast<std::uint64_t>(each.size()));
    for (std::size_t number = 0; number < each.size(); ++number) archive(each.name(static_cast<std::int32_t>(number)));
  }
}

// Names that the rules name are there already, with the same numbers.
void SiteState::read_names(SnapshotReader& archive) {
  for (PartyNames& each : names_) {
    const std::size_t n_names = archive.length(sizeof(std::uint64_t));
    archive.require(n_names >= each.size(), "it lacks names that the rules of the site name");
    for (std::size_t number = 0; number < n_names; ++number) {
      std::string name;
      archive(name);
      archive.require(static_cast<std::size_t>(each.number_of(name)) == number, "a name stands in another place, or twice");
    }
  }
  static_cast<void>(account_number(-1));
}

void SiteState::write(SnapshotWriter& archive, std::span<const JobSlot> running) const {
  archive(instant_);
  if (!counts_use()) return;
  FairShare fair_share = fair_share_;
  archive(fair_share);
  for (const JobSlot job : running) archive(rows_[job].size_of_run);
}

void SiteState::read(SnapshotReader& archive, std::span<const JobSlot> running, Time now) {
  archive(instant_);
  archive.require(instant_ <= now, "its priorities are those of later on");
  if (!counts_use()) return;
  const FairShare of_runs = fair_share_;
  archive(fair_share_);
  archive.require(fair_share_.is_sound(now) && fair_share_.runs_as_many_as(of_runs), "the use of an account is impossible");
  for (const JobSlot job : running) {
    double& size = rows_[job].size_of_run;
    archive(size);
    archive.require(size >= 0 && size < kNever, "the size of a job that runs is impossible");
  }
}

}  // namespace schedcore
