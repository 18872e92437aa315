#include "schedcore/site/site_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "site/snapshot_damage.hpp"

namespace schedcore {
namespace {

const std::vector<std::string> kPartitions{"short", "long", "gpu"};
const std::vector<std::string> kClasses{"low", "normal", "high"};
const std::vector<std::string> kUsers{"ann", "bob", "cid", "dan"};
const std::vector<std::string> kAccounts{"physics", "biology", "music"};

// Rules drawn at random at work, beside a list of all jobs and runs, of which every answer is computed anew.
class Site {
 public:
  explicit Site(std::uint64_t seed) : random_(seed), rules_(draw_rules()), state_(rules_, total_) {}

  void run(int n_steps) {
    for (int step = 0; step < n_steps; ++step) {
      if (below(2) == 0) pass();
      const auto some = jobs_.empty() ? 0 : static_cast<std::size_t>(below(static_cast<std::int64_t>(jobs_.size())));
      if (jobs_.size() < 3 || (jobs_.size() < 20 && below(3) == 0)) {
        add();
      } else if (below(5) == 0) {
        remove(some);
      } else if (below(12) == 0) {
        set_total();
      } else if (below(8) == 0) {
        set_priority(some);
      } else if (below(8) == 0) {
        save_and_load();
      } else {
        begin_or_end(some);
      }
      if (below(2) == 0) compare();
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  struct Job {
    JobBelongings belongings;
    JobSlot slot = 0;
    std::int64_t id = 0;
    Time release_time = 0;
    Amount n_tasks = 1;
    std::vector<Amount> demand;
    std::optional<std::size_t> run;
    Time preempted_at = -kNever;
  };
  struct Run {
    std::string account;
    double size = 0;
    Time from = 0;
    Time to = kNever;
  };

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  double some_weight() { return static_cast<double>(below(5)) * 100; }
  const std::string& one_of(const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(below(static_cast<std::int64_t>(names.size())))];
  }
  const std::vector<std::string>& names_of(Party party) const {
    switch (party) {
      case Party::user: return kUsers;
      case Party::account: return kAccounts;
      case Party::partition: return kPartitions;
      case Party::service_class:
      case Party::array: break;
    }
    return kClasses;
  }

  SiteRules draw_rules() {
    SiteRules rules;
    for (const std::string& name : kPartitions) {
      if (below(4) != 0) rules.partitions.push_back({name, below(3), static_cast<double>(below(5)) / 4});
    }
    for (const std::string& name : kClasses) {
      if (below(4) != 0) rules.classes.push_back({name, below(3), static_cast<double>(below(5)) / 4, below(2) == 0});
    }
    for (auto left = below(5); left > 0; --left) {
      SiteLimit limit;
      limit.party = static_cast<Party>(below(5));
      if (below(2) == 0) {
        if (limit.party == Party::array) limit.array = below(3);
        if (limit.party != Party::array) limit.value = one_of(names_of(limit.party));
      }
      limit.what = static_cast<SiteLimit::What>(below(3));
      limit.resource = static_cast<std::size_t>(below(2));
      limit.most = below(10);
      rules.limits.push_back(limit);
    }
    if (below(2) == 0) {
      for (const std::string& name : kAccounts) rules.shares.push_back({name, static_cast<double>(1 + below(5))});
      rules.shares.push_back({"", 1});
    }
    if (below(5) != 0) {
      Multifactor weights{some_weight(), some_weight(), some_weight(), some_weight(), some_weight(), some_weight()};
      weights.max_age = static_cast<Time>(1 + below(30));
      weights.half_life = below(4) == 0 ? kNever : static_cast<Time>(1 + below(20));
      const std::vector<Time> intervals{0, 1, 2.5, 10, 0.1, 0.7};
      weights.interval = intervals[static_cast<std::size_t>(below(static_cast<std::int64_t>(intervals.size())))];
      rules.multifactor = weights;
    }
    rules.preempts = below(2) == 0;
    return rules;
  }

  void pass() {
    now_ += static_cast<Time>(below(30)) / 10;
    const std::uint64_t version = state_.version();
    state_.pass_to(now_);
    if (!rules_.multifactor) return;
    const Time interval = rules_.multifactor->interval;
    // A product may be rounded to something later than now.
    const Time instant = interval > 0 ? std::min(now_, interval * std::floor(now_ / interval)) : now_;
    EXPECT_EQ(state_.version(), version + (instant > instant_ ? 1 : 0));
    instant_ = std::max(instant, instant_);
  }
  void add() {
    Job job;
    job.id = n_made_++;
    const auto says = [&] { return below(4) != 0; };
    if (says()) job.belongings.name[0] = one_of(kUsers);
    if (says()) job.belongings.name[1] = one_of(kAccounts);
    if (says()) job.belongings.name[2] = one_of(kPartitions);
    if (says()) job.belongings.name[3] = one_of(kClasses);
    if (says()) job.belongings.array = below(3);
    job.belongings.priority = static_cast<double>(below(100));
    job.release_time = std::max(0.0, now_ - static_cast<Time>(below(10)));
    job.n_tasks = 1 + below(3);
    job.demand = {below(3), below(3)};
    if (free_.empty()) {
      job.slot = static_cast<JobSlot>(n_slots_++);
    } else {
      job.slot = free_.back();
      free_.pop_back();
    }
    state_.add(job.slot, job.release_time, state_.parties_of(job.belongings), job.n_tasks, job.demand);
    jobs_.push_back(job);
  }
  void remove(std::size_t number) {
    if (jobs_[number].run) begin_or_end(number);
    state_.remove(jobs_[number].slot);
    state_.remove(jobs_[number].slot);  // of one that is not there
    free_.push_back(jobs_[number].slot);
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(number));
  }
  void begin_or_end(std::size_t number) {
    Job& job = jobs_[number];
    if (job.run) {
      state_.end_run(job.slot, job.n_tasks, job.demand, now_);
      runs_[*job.run].to = now_;
      job.run.reset();
      if (below(3) != 0) return;
      state_.note_preempted(job.slot, now_);
      job.preempted_at = now_;
    } else {
      state_.begin_run(job.slot, job.n_tasks, job.demand, now_);
      job.run = runs_.size();
      runs_.push_back({job.belongings.name[1], size_of(job), now_});
    }
  }
  void set_priority(std::size_t number) {
    jobs_[number].belongings.priority = static_cast<double>(below(100));
    state_.set_priority(jobs_[number].slot, jobs_[number].belongings.priority);
  }
  void set_total() {
    total_ = {10 + below(20), below(3) == 0 ? 0 : 10 + below(20)};
    const std::uint64_t version = state_.version();
    state_.set_total_capacity(total_);
    EXPECT_GT(state_.version(), version);
    for (const Job& job : jobs_) state_.set_size(job.slot, job.n_tasks, job.demand);
  }

  // The jobs have other slots, and are told in order of their ids.
  void save_and_load() {
    std::ranges::sort(jobs_, {}, &Job::id);
    std::vector<JobSlot> running;
    for (const Job& job : jobs_) {
      if (job.run) running.push_back(job.slot);
    }
    SnapshotWriter names;
    state_.write_names(names);
    SnapshotWriter rest;
    state_.write(rest, running);
    SiteState again(rules_, total_);
    SnapshotReader read_names(names.bytes());
    again.read_names(read_names);
    free_.clear();
    n_slots_ = 0;
    running.clear();
    for (Job& job : jobs_) {
      job.slot = static_cast<JobSlot>(n_slots_++);
      again.add(job.slot, job.release_time, again.parties_of(job.belongings), job.n_tasks, job.demand);
      again.note_preempted(job.slot, job.preempted_at);
      if (!job.run) continue;
      again.begin_run(job.slot, job.n_tasks, job.demand, now_);
      running.push_back(job.slot);
    }
    SnapshotReader read_rest(rest.bytes());
    again.read(read_rest, running, now_);
    EXPECT_TRUE(read_names.at_end() && read_rest.at_end());
    SnapshotWriter twice;
    again.write_names(twice);
    EXPECT_EQ(twice.bytes(), names.bytes());
    SnapshotWriter rest_twice;
    again.write(rest_twice, running);
    EXPECT_EQ(rest_twice.bytes(), rest.bytes());
    state_ = again;
  }

  double size_of(const Job& job) const {
    double most = 0;
    for (std::size_t k = 0; k < total_.size(); ++k) {
      if (total_[k] > 0) most = std::max(most, static_cast<double>(job.n_tasks * job.demand[k]) / static_cast<double>(total_[k]));
    }
    return most;
  }
  const SitePartition* partition_of(const Job& job) const {
    const auto found = std::ranges::find(rules_.partitions, job.belongings.name[2], &SitePartition::name);
    return found == rules_.partitions.end() ? nullptr : &*found;
  }
  const SiteClass* class_of(const Job& job) const {
    const auto found = std::ranges::find(rules_.classes, job.belongings.name[3], &SiteClass::name);
    return found == rules_.classes.end() ? nullptr : &*found;
  }
  double fair_share_of(const std::string& account) const {
    double of_account = 0;
    double together = 0;
    for (const Run& run : runs_) {
      const Time to = std::min(run.to, instant_);
      if (to <= run.from) continue;
      const Time half_life = rules_.multifactor->half_life;
      const auto primitive = [&](Time x) {
        return half_life == kNever ? x : half_life / std::numbers::ln2 * std::exp2((x - instant_) / half_life);
      };
      const double used = run.size * (primitive(to) - primitive(run.from));
      together += used;
      if (run.account == account) of_account += used;
    }
    double share = 1;
    if (!rules_.shares.empty()) {
      double sum = 0;
      for (const SiteShare& each : rules_.shares) sum += each.share;
      share = std::ranges::find(rules_.shares, account, &SiteShare::account)->share / sum;
    }
    return std::exp2(together > 0 ? -of_account / together / share : 0);
  }
  double priority_of(const Job& job) const {
    const Multifactor& weights = *rules_.multifactor;
    double priority = weights.job * job.belongings.priority;
    priority += weights.age * std::clamp((instant_ - job.release_time) / weights.max_age, 0.0, 1.0);
    if (weights.fair_share != 0) priority += weights.fair_share * fair_share_of(job.belongings.name[1]);
    priority += weights.size * size_of(job);
    if (const auto* partition = partition_of(job)) priority += weights.partition * partition->factor;
    if (const auto* service_class = class_of(job)) priority += weights.service_class * service_class->factor;
    return priority;
  }

  bool asks_about(Party party) const {
    if (std::ranges::find(rules_.limits, party, &SiteLimit::party) != rules_.limits.end()) return true;
    switch (party) {
      case Party::account: return rules_.multifactor && rules_.multifactor->fair_share > 0;
      case Party::partition: return !rules_.partitions.empty();
      case Party::service_class: return !rules_.classes.empty();
      case Party::user:
      case Party::array: break;
    }
    return false;
  }
  // The name or the number under which a limit counts the job, if it counts it.
  std::optional<std::string> value_of(const SiteLimit& limit, const Job& job) const {
    std::optional<std::string> value;
    if (limit.party == Party::array) {
      if (job.belongings.array >= 0) value = std::to_string(job.belongings.array);
    } else if (const std::string& name = job.belongings.name[static_cast<std::size_t>(limit.party)]; !name.empty()) {
      value = name;
    }
    if (limit.value && value != limit.value) return std::nullopt;
    if (limit.array && job.belongings.array != *limit.array) return std::nullopt;
    return value;
  }
  std::optional<std::size_t> first_exceeded(const Job& job) const {
    for (std::size_t number = 0; number < rules_.limits.size(); ++number) {
      const SiteLimit& limit = rules_.limits[number];
      const auto value = value_of(limit, job);
      const auto amount = [&](const Job& of) -> Amount {
        if (limit.what == SiteLimit::What::jobs) return 1;
        return limit.what == SiteLimit::What::tasks ? of.n_tasks : of.n_tasks * of.demand[limit.resource];
      };
      if (!value || amount(job) == 0) continue;
      Amount sum = amount(job);
      for (const Job& other : jobs_) {
        if (other.run && value_of(limit, other) == value) sum += amount(other);
      }
      if (sum > limit.most) return number;
    }
    return std::nullopt;
  }

  void compare() {
    EXPECT_EQ(state_.any_limits(), !rules_.limits.empty());
    EXPECT_EQ(state_.preempts(), rules_.preempts);
    std::map<LimitUse::Profile, std::string> seen;
    for (const Job& job : jobs_) {
      const auto* partition = partition_of(job);
      const auto* service_class = class_of(job);
      EXPECT_EQ(state_.tier(job.slot), partition == nullptr ? 0 : partition->tier);
      EXPECT_EQ(state_.level(job.slot), service_class == nullptr ? 0 : service_class->level);
      EXPECT_EQ(state_.is_preemptible(job.slot), service_class != nullptr && service_class->is_preemptible);
      EXPECT_EQ(state_.preempted_at(job.slot), job.preempted_at);
      for (std::size_t p = 0; p < kNamedParties; ++p) {
        const std::string& name = job.belongings.name[p];
        const std::int32_t number = state_.parties(job.slot).named(static_cast<Party>(p));
        if (name.empty() || !asks_about(static_cast<Party>(p))) {
          EXPECT_EQ(number, -1);
        } else {
          EXPECT_EQ(state_.names(static_cast<Party>(p)).name(number), name);
        }
      }
      // Those that limits treat alike have one profile, and no others.
      std::string alike;
      for (const SiteLimit& limit : rules_.limits) alike += "/" + value_of(limit, job).value_or("-");
      const auto [found, is_new] = seen.try_emplace(state_.profile(job.slot), alike);
      EXPECT_EQ(found->second, alike);
      if (rules_.multifactor) {
        EXPECT_NEAR(state_.priority(job.slot), priority_of(job), 1e-6) << "job " << job.id << " at " << instant_;
      }
      if (!job.run) {
        EXPECT_EQ(state_.limits().first_exceeded(state_.profile(job.slot), job.n_tasks, job.demand), first_exceeded(job));
      }
    }
    for (const auto& [profile, alike] : seen) {
      const auto same = std::ranges::count_if(seen, [&](const auto& entry) { return entry.second == alike; });
      EXPECT_EQ(same, 1);
    }
  }

  std::mt19937_64 random_;
  std::vector<Amount> total_{20, 10};
  SiteRules rules_;
  SiteState state_;
  std::vector<Job> jobs_;
  std::vector<Run> runs_;
  std::vector<JobSlot> free_;
  std::int64_t n_made_ = 0;
  std::int64_t n_slots_ = 0;
  Time now_ = 0;
  Time instant_ = -kNever;
};

TEST(SiteStateTest, SaysWhatTheRulesSayWhateverComesAndGoes) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Site(seed).run(250);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// 17 * 0.1 is rounded to something that is later than 1.7; of intervals that are too short there are infinitely many.
TEST(SiteStateTest, PrioritiesAreNeverThoseOfLaterOn) {
  EXPECT_GT(17 * 0.1, 1.7);
  SiteRules rules;
  rules.multifactor = Multifactor{};
  rules.multifactor->fair_share = 1;
  for (const Time interval : {0.1, 0.3, 0.7, 1e-3, 1e-20, 1e-320, 5e-324, 1e300}) {
    rules.multifactor->interval = interval;
    SiteState site(rules, {4});
    Time before = 0;
    for (int step = 0; step < 2000; ++step) {
      const Time now = step < 1000 ? step / 10.0 : step * 1e6 + 0.1;
      site.pass_to(now);
      SnapshotWriter writer;
      site.write(writer, {});
      SnapshotReader reader(writer.bytes());
      SiteState again(rules, {4});
      ASSERT_NO_THROW(again.read(reader, {}, now)) << interval << " at " << now;
      SnapshotReader too_early(writer.bytes());
      if (interval < 0.1) {
        ASSERT_THROW(SiteState(rules, {4}).read(too_early, {}, before - 1), InvalidInstanceError);
      }
      before = now;
    }
  }
}

// Users, accounts and arrays that come once, one after the other.
TEST(SiteStateTest, NamesAreKnownAsLongAsTheyAreNeeded) {
  SiteRules rules;
  rules.limits = {{Party::user, {}, SiteLimit::What::jobs, 0, 1, {}}, {Party::user, "root", SiteLimit::What::jobs, 0, 1, {}}};
  rules.multifactor = Multifactor{};
  rules.multifactor->fair_share = 1;
  rules.multifactor->half_life = 1;
  rules.multifactor->interval = 1;
  rules.partitions = {{"short", 1, 0.5}};
  SiteState site(rules, {4});
  const std::vector<Amount> demand{1};
  const auto job_of = [](int number) {
    JobBelongings belongings;
    const std::string name = std::to_string(number);
    for (const Party party : {Party::user, Party::account, Party::service_class}) {
      belongings.name[static_cast<std::size_t>(party)] = name;
    }
    return belongings;
  };
  const auto written = [](const SiteState& of) {
    SnapshotWriter writer;
    of.write_names(writer);
    of.write(writer, {});
    return writer.bytes();
  };
  std::size_t largest = 0;
  for (int number = 0; number < 2000; ++number) {
    site.pass_to(number);
    site.add(0, 0, site.parties_of(job_of(number)), 1, demand);
    EXPECT_EQ(site.parties(0).named(Party::service_class), -1);  // no rule asks about classes
    site.begin_run(0, 1, demand, number);
    site.add(1, 0, site.parties_of(job_of(number + 1)), 1, demand);
    EXPECT_EQ(site.names(Party::user).size(), 3u);
    EXPECT_EQ(site.names(Party::user).name(site.parties(1).named(Party::user)), std::to_string(number + 1));
    site.end_run(0, 1, demand, number + 0.5);
    site.remove(0);
    site.remove(1);
    EXPECT_EQ(site.names(Party::user).size(), 1u);
    EXPECT_LE(site.names(Party::account).size(), 300u);
    largest = std::max(largest, written(site).size());
  }
  // Sixty half-lives of one account each.
  EXPECT_LT(largest, 70u * 80u);
}

}  // namespace
}  // namespace schedcore
