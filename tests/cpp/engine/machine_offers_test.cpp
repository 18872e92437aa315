#include "schedcore/engine/machine_offers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "schedcore/engine/engine.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

// Starts arrivals on machines that are offered, each where it first fits, and leaves some of them waiting.
class OfferedPolicy final : public Policy {
 public:
  OfferedPolicy(std::vector<std::size_t>& offered, std::size_t leaves) : offered_(&offered), leaves_(leaves) {}
  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<OfferedPolicy>(*this); }
  void write(SnapshotWriter& /*archive*/) const override {}
  void read(SnapshotReader& /*archive*/) override {}
  void attach(const MachinesView& /*machines*/) override {}
  [[nodiscard]] bool heeds_placements() const override { return true; }
  void decide(const Event& event, Turn& turn) override {
    offered_->clear();
    offers_.run(event.completed, event.arrived, turn, false, [&](std::size_t machine, bool only_fresh) {
      const bool has_completed = std::ranges::count(event.completed, machine, &Completion::machine) > 0;
      EXPECT_FALSE(only_fresh && has_completed);
      offered_->push_back(machine);
      for (const JobSlot job : event.arrived) {
        if (leaves_ > 0 && job % leaves_ == 0) continue;
        if (turn.jobs().state(job) != JobState::running && can_start(job, machine, turn)) turn.start(job, machine);
      }
      return false;
    });
    // A machine that was passed over has room for none that waits: room only shrinks, so nor had it at its turn.
    for (std::size_t machine = 0; machine < turn.machines().n_machines(); ++machine) {
      if (std::ranges::find(*offered_, machine) != offered_->end()) continue;
      for (const JobSlot job : event.arrived) {
        EXPECT_FALSE(turn.jobs().state(job) != JobState::running && can_start(job, machine, turn));
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(*offered_));
  }

 private:
  static bool can_start(JobSlot job, std::size_t machine, const Turn& turn) {
    return turn.jobs().eligibility(job).allows(machine) && fits(turn.jobs().demand(job), turn.machines().free(machine));
  }

  std::vector<std::size_t>* offered_;
  std::size_t leaves_;
  MachineOffers offers_;
};

JobSlot add(Engine& engine, Amount demand, const Eligibility& eligibility) {
  JobPlacements placements;
  placements.eligibility = eligibility;
  const auto id = static_cast<std::int64_t>(engine.jobs().n_slots());
  return engine.jobs().add({0, 1, 1, 0, id}, std::vector<Amount>{demand}, &placements);
}

TEST(MachineOffers, NoMachineIsPassedOverThatCouldTakeAnArrival) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const auto n_machines = static_cast<std::uint32_t>(1 + random() % 40);
    const std::vector<Amount> capacity(n_machines, 10);
    std::vector<std::size_t> offered;
    Engine engine({capacity, n_machines, 1}, std::make_unique<OfferedPolicy>(offered, random() % 4));
    EligibilitySets sets;
    std::set<JobSlot> running;
    const std::size_t most = trial % 3 == 0 ? 120 : 8;  // beyond and below what is tracked one by one
    for (int event = 0; event < 6; ++event) {
      std::vector<JobSlot> completed, arrived;
      for (const JobSlot job : running) {
        if (random() % 2 == 0) completed.push_back(job);
      }
      for (std::size_t n = random() % most; n > 0; --n) {
        std::vector<std::uint32_t> machines;
        for (std::uint32_t machine = 0; machine < n_machines; ++machine) {
          if (random() % 3 == 0) machines.push_back(machine);
        }
        const bool is_restricted = !machines.empty() && random() % 4 != 0;
        const Eligibility eligibility = is_restricted ? sets.intern(machines, n_machines) : Eligibility();
        arrived.push_back(add(engine, static_cast<Amount>(1 + random() % 10), eligibility));
      }
      std::vector<Placement> starts;
      engine.advance(event, completed, arrived, starts);
      for (const JobSlot job : completed) running.erase(job);
      for (const Placement& start : starts) running.insert(start.job);
    }
  }
}

TEST(MachineOffers, ManyArrivalsThatMayUseFewMachinesLeadToThoseAlone) {
  const std::uint32_t n_machines = 1000;
  const std::vector<Amount> capacity(n_machines, 10);
  std::vector<std::size_t> offered;
  Engine engine({capacity, n_machines, 1}, std::make_unique<OfferedPolicy>(offered, 0));
  EligibilitySets sets;
  std::vector<JobSlot> arrived;
  for (std::uint32_t job = 0; job < 300; ++job) {
    arrived.push_back(add(engine, 10, sets.intern({3 * (job % 150)}, n_machines)));
  }
  std::vector<Placement> starts;
  engine.advance(0, {}, arrived, starts);
  EXPECT_EQ(starts.size(), 150u);
  EXPECT_EQ(offered.size(), 150u);
}

}  // namespace
}  // namespace schedcore
