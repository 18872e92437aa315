#include "schedcore/index/machine_index.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "schedcore/exact/wide.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

// Every machine looked at.
std::size_t first_fit_by_scan(const MachineIndex& index, std::span<const Amount> demand, std::size_t from,
                              const Eligibility& allowed = {}) {
  for (std::size_t machine = from; machine < index.n_machines(); ++machine) {
    if (allowed.allows(machine) && fits(demand, index.free(machine))) return machine;
  }
  return kNoMachine;
}

std::size_t best_fit_by_scan(const MachineIndex& index, std::span<const Amount> demand, std::span<const Amount> scale,
                             const Eligibility& allowed = {}) {
  std::size_t best = kNoMachine;
  UInt128 least{};
  for (std::size_t machine = 0; machine < index.n_machines(); ++machine) {
    if (!allowed.allows(machine) || !fits(demand, index.free(machine))) continue;
    UInt128 norm{};
    const std::size_t row = scale.size() == demand.size() ? 0 : machine * demand.size();
    for (std::size_t l = 0; l < demand.size(); ++l) {
      const auto share = static_cast<std::uint64_t>(index.free(machine)[l] * scale[row + l]);
      norm += multiply_words(share, share);
    }
    if (best == kNoMachine || norm < least) {
      best = machine;
      least = norm;
    }
  }
  return best;
}

TEST(MachineIndex, SearchesEqualTheScanDuringRandomChanges) {
  std::mt19937_64 random(5);
  for (const std::size_t n_machines : std::initializer_list<std::size_t>{1, 2, 32, 33, 64, 257, 1100}) {
    for (const std::size_t n_resources : std::initializer_list<std::size_t>{1, 3, 4, 20}) {
      const Amount capacity = 100;
      MachineIndex index(std::vector<Amount>(n_machines * n_resources, capacity), n_resources);
      const std::vector<Amount> scale(n_resources, Amount{1} << 40);
      std::vector<std::vector<std::vector<Amount>>> held(n_machines);
      std::vector<Amount> own_scales(n_machines * n_resources);
      for (Amount& factor : own_scales) factor = static_cast<Amount>(1 + random() % 1000);
      EligibilitySets sets;
      std::vector<std::uint32_t> every_third;
      for (std::uint32_t machine = 0; machine < n_machines; ++machine) {
        if (random() % 3 == 0) every_third.push_back(machine);
      }
      const std::array<Eligibility, 2> allowed{Eligibility(), sets.intern(every_third, n_machines)};
      std::vector<Amount> demand(n_resources);
      for (int step = 0; step < 800; ++step) {
        for (Amount& amount : demand) amount = static_cast<Amount>(random() % 40);
        const std::size_t from = random() % (n_machines + 2);
        ASSERT_EQ(index.first_fit(demand, from), first_fit_by_scan(index, demand, from));
        ASSERT_EQ(index.best_fit(demand, scale), best_fit_by_scan(index, demand, scale));
        ASSERT_EQ(index.best_fit(demand, own_scales), best_fit_by_scan(index, demand, own_scales));
        for (const Eligibility& some : allowed) {
          ASSERT_EQ(index.first_fit(demand, from, some), first_fit_by_scan(index, demand, from, some));
          ASSERT_EQ(index.best_fit(demand, scale, some), best_fit_by_scan(index, demand, scale, some));
          ASSERT_EQ(index.best_fit(demand, own_scales, some), best_fit_by_scan(index, demand, own_scales, some));
        }
        const std::size_t machine = index.first_fit(demand);
        if (machine != kNoMachine && random() % 3 != 0) {
          index.acquire(machine, demand);
          held[machine].push_back(demand);
        } else if (auto& here = held[random() % n_machines]; !here.empty()) {
          index.release(static_cast<std::size_t>(&here - held.data()), here.back());
          here.pop_back();
        }
        if (step % 100 == 0) index.check_invariants();
      }
      for (std::size_t machine = 0; machine < n_machines; ++machine) {
        for (const auto& amounts : held[machine]) index.release(machine, amounts);
        EXPECT_EQ(index.free(machine).front(), capacity);
      }
      index.check_invariants();
    }
  }
}

// Squares near 2^108 that differ in their last bit: no floating-point norm tells them apart.
TEST(MachineIndex, BestFitComparesNormsExactly) {
  const Amount large = (Amount{1} << 53) - 1;
  const std::vector<Amount> free{large, large, large, large - 1, large - 1, large};
  const MachineIndex index(free, 2);
  const std::vector<Amount> none{0, 0};
  EXPECT_EQ(index.best_fit(none, std::vector<Amount>{1, 1}), 1u);  // ties with machine 2, goes to the lower
  EXPECT_EQ(index.best_fit(none, std::vector<Amount>{2, 1}), 2u);
  EXPECT_EQ(index.best_fit(std::vector<Amount>{large, large}, std::vector<Amount>{1, 1}), 0u);
}

TEST(MachineIndex, OneBuiltOfTheFreeVectorsAnswersAsTheOriginalAndGoesOnByItself) {
  MachineIndex index(std::vector<Amount>(300, 10), 3);
  index.acquire(0, std::vector<Amount>{4, 4, 4});
  const MachineIndex rebuilt(index.all_free(), 3);
  rebuilt.check_invariants();
  const std::vector<Amount> demand{7, 7, 7};
  EXPECT_EQ(rebuilt.first_fit(demand), 1u);
  index.release(0, std::vector<Amount>{4, 4, 4});
  EXPECT_EQ(index.first_fit(demand), 0u);
  EXPECT_EQ(rebuilt.first_fit(demand), 1u);
}

TEST(MachineIndex, WithoutMachinesNothingFits) {
  EXPECT_EQ(MachineIndex().n_machines(), 0u);
  EXPECT_EQ(MachineIndex().first_fit({}), kNoMachine);
  EXPECT_EQ(MachineIndex({}, 2).first_fit(std::vector<Amount>{0, 0}), kNoMachine);
}

}  // namespace
}  // namespace schedcore
