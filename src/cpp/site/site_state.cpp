#include "schedcore/site/site_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace schedcore {
namespace {

// By number of a name, which of the parts has it.
template <class Part>
std::vector<std::int32_t> numbers_of(const std::vector<Part>& parts, PartyNames& names) {
  std::vector<std::int32_t> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = static_cast<std::size_t>(names.number_of(parts[i].name).first);
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

SiteState::SiteState(SiteRules rules, std::vector<Amount> total_capacity)
    : rules_(std::move(rules)), total_capacity_(std::move(total_capacity)), limits_(rules_.limits) {
  if (rules_.multifactor) fair_share_ = FairShare(rules_.multifactor->half_life);
  double sum_of_shares = 0;
  for (const SiteShare& each : rules_.shares) sum_of_shares += each.share;
  for (const SiteShare& each : rules_.shares) share_of_.emplace(each.account, each.share / sum_of_shares);
  fair_share_.add_account(share_of(""));
  partition_of_ = numbers_of(rules_.partitions, names_[static_cast<std::size_t>(Party::partition)]);
  class_of_ = numbers_of(rules_.classes, names_[static_cast<std::size_t>(Party::service_class)]);
  for (const SiteLimit& limit : rules_.limits) {
    std::int64_t value = LimitUse::kNotCounted;
    if (limit.array) value = *limit.array;
    if (limit.value) value = number_of(limit.party, *limit.value);
    one_value_.push_back(value);
  }
  for (std::size_t p = 0; p < kNamedParties; ++p) {
    n_names_of_rules_[p] = names_[p].size();
    for (const std::int32_t name : names_[p].numbers()) names_[p].hold(name);
  }
}

bool SiteState::asks_about(Party party) const {
  if (party == Party::partition && !rules_.partitions.empty()) return true;
  if (party == Party::service_class && !rules_.classes.empty()) return true;
  if (party == Party::account && counts_use()) return true;
  return std::ranges::find(rules_.limits, party, &SiteLimit::party) != rules_.limits.end();
}

// An account without a share never gets here while there are shares.
double SiteState::share_of(const std::string& account) const {
  const auto found = share_of_.find(account);
  return found == share_of_.end() ? 1 : found->second;
}

std::int32_t SiteState::known_number_of(Party party, std::string_view name) {
  const auto [number, is_new] = names_[static_cast<std::size_t>(party)].number_of(name);
  if (is_new && party == Party::account) {
    while (fair_share_.n_accounts() <= account_of(number)) fair_share_.add_account(1);
    fair_share_.renew(account_of(number), share_of(std::string(name)));
  }
  return number;
}

// An account that is over but was not forgotten begins like one that was.
void SiteState::hold(Party party, std::int32_t name) {
  PartyNames& names = names_[static_cast<std::size_t>(party)];
  if (party == Party::account && !names.is_held(name) && is_over(party, name)) {
    fair_share_.renew(account_of(name), share_of(names.name(name)));
  }
  names.hold(name);
}

void SiteState::release(Party party, std::int32_t name) {
  PartyNames& names = names_[static_cast<std::size_t>(party)];
  if (!names.release(name)) return;
  if (is_over(party, name)) {
    names.forget(name);
  } else if (names.size() > most_accounts_) {
    forget_what_is_over(party);
    most_accounts_ = 2 * names.size() + 64;
  }
}

bool SiteState::is_over(Party party, std::int32_t name) const {
  return party != Party::account || fair_share_.is_spent(account_of(name));
}

void SiteState::forget_what_is_over(Party party) {
  PartyNames& names = names_[static_cast<std::size_t>(party)];
  for (const std::int32_t name : names.numbers()) {
    if (!names.is_held(name) && is_over(party, name)) names.forget(name);
  }
}

std::int64_t SiteState::counted_value(std::size_t limit, const JobParties& parties) const {
  const SiteLimit& rule = rules_.limits[limit];
  const std::int64_t value = rule.party == Party::array ? parties.array : parties.named(rule.party);
  if (value < 0) return LimitUse::kNotCounted;
  return (rule.value || rule.array) && value != one_value_[limit] ? LimitUse::kNotCounted : value;
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
    if (!belongings.name[p].empty()) parties.of[p] = number_of(static_cast<Party>(p), belongings.name[p]);
  }
  parties.array = belongings.array;
  parties.priority = belongings.priority;
  return parties;
}

void SiteState::add(JobSlot job, Time release_time, const JobParties& parties, Amount n_tasks, std::span<const Amount> demand) {
  if (job >= rows_.size()) {
    rows_.resize(job + 1);
    if (rules_.multifactor) terms_.resize(job + 1);
  }
  Row row;
  row.parties = parties;
  row.is_there = true;
  for (std::size_t p = 0; p < kNamedParties; ++p) {
    if (parties.of[p] >= 0) hold(static_cast<Party>(p), parties.of[p]);
  }
  const auto* partition = part_of(parties.named(Party::partition), partition_of_, rules_.partitions);
  const auto* service_class = part_of(parties.named(Party::service_class), class_of_, rules_.classes);
  if (partition != nullptr) row.tier = partition->tier;
  if (service_class != nullptr) {
    row.level = service_class->level;
    row.is_preemptible = service_class->is_preemptible;
  }
  row.size = size_of(n_tasks, demand);
  values_.clear();
  for (std::size_t limit = 0; limit < rules_.limits.size(); ++limit) values_.push_back(counted_value(limit, parties));
  row.profile = limits_.add(values_);
  rows_[job] = row;
  if (!rules_.multifactor) return;
  const Multifactor& weight = *rules_.multifactor;
  terms_[job] = {release_time,
                 weight.size * row.size,
                 weight.partition * (partition != nullptr ? partition->factor : 0),
                 weight.service_class * (service_class != nullptr ? service_class->factor : 0),
                 weight.job * parties.priority,
                 account_of(parties.named(Party::account))};
}

void SiteState::remove(JobSlot job) {
  if (job >= rows_.size() || !rows_[job].is_there) return;
  limits_.remove(rows_[job].profile);
  rows_[job].is_there = false;
  for (std::size_t p = 0; p < kNamedParties; ++p) {
    const std::int32_t name = rows_[job].parties.of[p];
    if (name >= 0) release(static_cast<Party>(p), name);
  }
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
  if (counts_use()) fair_share_.begin_run(terms_[job].account, row.size_of_run, now);
}

void SiteState::end_run(JobSlot job, Amount n_tasks, std::span<const Amount> demand, Time now) {
  const Row& row = rows_[job];
  if (any_limits()) limits_.end(row.profile, n_tasks, demand);
  if (counts_use()) fair_share_.end_run(terms_[job].account, row.size_of_run, now);
}

// Those of the rules have their numbers on reading as well.  The others are in the order of the alphabet, whoever came first.
std::vector<std::int32_t> SiteState::written_names(Party party) const {
  const PartyNames& names = names_[static_cast<std::size_t>(party)];
  std::vector<std::int32_t> numbers = names.numbers();
  std::erase_if(numbers, [&](std::int32_t name) { return !names.is_held(name) && is_over(party, name); });
  const auto n_of_rules = static_cast<std::ptrdiff_t>(n_names_of_rules_[static_cast<std::size_t>(party)]);
  std::ranges::sort(numbers.begin() + n_of_rules, numbers.end(), {}, [&](std::int32_t name) { return names.name(name); });
  return numbers;
}

void SiteState::write_names(SnapshotWriter& archive) const {
  for (std::size_t p = 0; p < kNamedParties; ++p) {
    const std::vector<std::int32_t> names = written_names(static_cast<Party>(p));
    archive(static_cast<std::uint64_t>(names.size()));
    for (const std::int32_t name : names) archive(names_[p].name(name));
  }
}

// Names that the rules name are there already, with the same numbers.
void SiteState::read_names(SnapshotReader& archive) {
  for (std::size_t p = 0; p < kNamedParties; ++p) {
    const std::size_t n_names = archive.length(sizeof(std::uint64_t));
    archive.require(n_names >= names_[p].size(), "it lacks names that the rules of the site name");
    for (std::size_t number = 0; number < n_names; ++number) {
      std::string name;
      archive(name);
      archive.require(static_cast<std::size_t>(known_number_of(static_cast<Party>(p), name)) == number,
                      "a name stands in another place, or twice");
    }
  }
}

void SiteState::write(SnapshotWriter& archive, std::span<const JobSlot> running) const {
  archive(instant_);
  if (!counts_use()) return;
  std::vector<std::uint32_t> accounts{0};
  for (const std::int32_t name : written_names(Party::account)) accounts.push_back(account_of(name));
  FairShare fair_share = fair_share_.with_accounts(accounts);
  archive(fair_share);
  for (const JobSlot job : running) archive(rows_[job].size_of_run);
}

void SiteState::read(SnapshotReader& archive, std::span<const JobSlot> running, Time now) {
  archive(instant_);
  archive.require(instant_ <= now, "its priorities are those of later on");
  if (counts_use()) {
    const FairShare of_runs = fair_share_;
    archive(fair_share_);
    archive.require(fair_share_.is_sound(now) && fair_share_.runs_as_many_as(of_runs), "the use of an account is impossible");
    for (const JobSlot job : running) {
      double& size = rows_[job].size_of_run;
      archive(size);
      archive.require(size >= 0 && size < kNever, "the size of a job that runs is impossible");
    }
  }
  for (std::size_t p = 0; p < kNamedParties; ++p) forget_what_is_over(static_cast<Party>(p));
}

}  // namespace schedcore
