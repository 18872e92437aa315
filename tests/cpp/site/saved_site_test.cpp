#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schedcore/site/site_state.hpp"
#include "site/snapshot_damage.hpp"

namespace schedcore {
namespace {

class SavedSite : public ::testing::Test {
 protected:
  SavedSite() {
    rules.partitions = {{"short", 1, 0.5}};
    rules.multifactor = Multifactor{};
    rules.multifactor->fair_share = 1;
    rules.multifactor->interval = 0;
    rules.multifactor->half_life = 5;
    SiteState site = with_names({"music", "physics"});
    site.pass_to(1);
    add_and_begin(site);
    site.pass_to(3);
    SnapshotWriter name_writer;
    site.write_names(name_writer);
    names = name_writer.bytes();
    SnapshotWriter writer;
    site.write(writer, running);
    rest = writer.bytes();
  }

  [[nodiscard]] SiteState with_names(const std::vector<std::string>& accounts) const {
    SiteState site(rules, {4});
    for (const std::string& name : accounts) static_cast<void>(site.number_of(Party::account, name));
    return site;
  }
  void add_and_begin(SiteState& site) const {
    const std::vector<Amount> demand{1};
    for (const JobSlot job : running) {
      JobBelongings belongings;
      belongings.name[static_cast<std::size_t>(Party::account)] = job == 0 ? "physics" : "music";
      site.add(job, 0, site.parties_of(belongings), 1, demand);
      site.begin_run(job, 1, demand, 3);
    }
  }

  SiteRules rules;
  std::vector<JobSlot> running{0, 1};
  std::string names;
  std::string rest;
};

TEST_F(SavedSite, DamagedNamesAreRefusedOrAreNames) {
  int n_refused = 0;
  testing::for_each_damage(names, [&](const std::string& damaged) {
    SiteState site(rules, {4});
    SnapshotReader archive(damaged);
    try {
      site.read_names(archive);
    } catch (const InvalidInstanceError&) {
      ++n_refused;
      return;
    }
    EXPECT_EQ(site.names(Party::partition).name(0), "short");
    add_and_begin(site);
  });
  EXPECT_GT(n_refused, 100);
}

TEST_F(SavedSite, DamagedUseIsRefusedOrGivesPriorities) {
  int n_refused = 0;
  int n_read = 0;
  testing::for_each_damage(rest, [&](const std::string& damaged) {
    SiteState site = with_names({"music", "physics"});
    add_and_begin(site);
    SnapshotReader archive(damaged);
    try {
      site.read(archive, running, 3);
    } catch (const InvalidInstanceError&) {
      ++n_refused;
      return;
    }
    ++n_read;
    const std::vector<Amount> demand{1};
    for (const Time now : {3.0, 7.0, 20.0}) {
      site.pass_to(now);
      if (now == 7) {
        for (const JobSlot job : running) site.end_run(job, 1, demand, now);
      }
      for (const JobSlot job : running) {
        const double priority = site.priority(job);
        EXPECT_TRUE(priority >= 0 && priority <= 1) << priority;
      }
    }
  });
  EXPECT_GT(n_refused, 150);
  EXPECT_GT(n_read, 100);
}

TEST_F(SavedSite, NamesInAnotherOrderAreRefused) {
  SiteState site(rules, {4});
  static_cast<void>(site.number_of(Party::account, "physics"));
  SnapshotReader archive(names);
  EXPECT_THROW(site.read_names(archive), InvalidInstanceError);
}

TEST_F(SavedSite, ANameThatStandsTwiceIsRefused) {
  SnapshotWriter writer;
  const std::vector<std::vector<std::string>> twice{{}, {"physics", "physics"}, {"short"}, {}};
  for (const auto& of_party : twice) {
    writer(static_cast<std::uint64_t>(of_party.size()));
    for (const std::string& name : of_party) writer(name);
  }
  SiteState site(rules, {4});
  SnapshotReader archive(writer.bytes());
  EXPECT_THROW(site.read_names(archive), InvalidInstanceError);
}

TEST_F(SavedSite, RunsOfImpossibleSizesAreRefused) {
  for (const double size : {-0.25, kNever}) {
    SnapshotWriter writer;
    writer(size);
    const std::string damaged = rest.substr(0, rest.size() - sizeof size) + writer.bytes();
    SiteState site = with_names({"music", "physics"});
    add_and_begin(site);
    SnapshotReader archive(damaged);
    EXPECT_THROW(site.read(archive, running, 3), InvalidInstanceError);
  }
}

TEST_F(SavedSite, IsRefusedWhereOthersRunOrBeforeItsInstant) {
  SiteState site = with_names({"music", "physics"});
  add_and_begin(site);
  SiteState idle = site;
  for (const JobSlot job : running) idle.end_run(job, 1, std::vector<Amount>{1}, 3);
  SnapshotReader nobody_runs(rest);
  EXPECT_THROW(idle.read(nobody_runs, {}, 3), InvalidInstanceError);
  SiteState earlier = site;
  SnapshotReader too_early(rest);
  EXPECT_THROW(earlier.read(too_early, running, 2), InvalidInstanceError);
  SnapshotReader archive(rest);
  EXPECT_NO_THROW(site.read(archive, running, 3));
}

}  // namespace
}  // namespace schedcore
