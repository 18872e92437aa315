#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "gangs/cluster_caller.hpp"
#include "gangs/cluster_makers.hpp"

namespace schedcore {
namespace {

class EveryClusterPolicy : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryClusterPolicy, GoesOnIdenticallyFromSnapshotsAndCopiesWhateverHappens) {
  const testing::ClusterMaker& maker = testing::cluster_makers()[GetParam()];
  std::mt19937_64 random(GetParam());
  for (const std::size_t size : std::initializer_list<std::size_t>{20, 60, 200, 400}) {
    for (const std::size_t n_machines : std::initializer_list<std::size_t>{1, 3, 5}) {
      for (const KillRule rule : {KillRule::requeue, KillRule::drop, KillRule::checkpoint}) {
        std::vector<std::uint8_t> bytes(size);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
        testing::ClusterCaller interrupted(n_machines, maker, rule);
        testing::ClusterCaller straight(n_machines, maker, rule);
        EXPECT_EQ(interrupted.play(bytes, true), straight.play(bytes, false));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gangs, EveryClusterPolicy, ::testing::Range(std::size_t{0}, testing::cluster_makers().size()),
                         [](const auto& numbered) { return testing::cluster_makers()[numbered.param].name; });

}  // namespace
}  // namespace schedcore
