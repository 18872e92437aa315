#include "schedcore/backfilling/demand_clusters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

using Row = std::vector<Amount>;

Row random_row(std::mt19937_64& random, std::size_t n_resources, std::uint64_t n_values) {
  Row row(n_resources);
  for (Amount& amount : row) amount = static_cast<Amount>((std::uint64_t{1} << random() % n_values) + random() % 3);
  return row;
}

TEST(DemandClusters, HaveCornersThatFitWhereverAMemberFits) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t n_resources = 1 + seed % 5;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < 1 + seed * 20; ++i) rows.push_back(random_row(random, n_resources, 1 + seed % 12));
    std::vector<Amount> flat;
    for (const Row& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    DemandClusters clusters(n_resources);
    clusters.build(flat);
    const std::size_t n_distinct = std::set<Row>(rows.begin(), rows.end()).size();
    ASSERT_LE(clusters.size(), std::min(n_distinct, DemandClusters::kMost));
    ASSERT_GE(clusters.size(), std::min<std::size_t>(n_distinct, 2));
    for (int i = 0; i < 50; ++i) rows.push_back(random_row(random, n_resources, 14));  // come later
    std::map<Row, DemandClusters::Cluster> placed;
    for (const Row& row : rows) {
      const auto cluster = clusters.place(row);
      ASSERT_LT(cluster, clusters.size());
      ASSERT_EQ(placed.try_emplace(row, cluster).first->second, cluster);
    }
    for (const auto& [row, cluster] : placed) ASSERT_TRUE(fits(clusters.corner(cluster), row));
  }
}

TEST(DemandClusters, TellSmallFromLarge) {
  DemandClusters clusters(2);
  clusters.build(Row{1, 1, 1, 1, 100, 1, 100, 200});
  EXPECT_EQ(clusters.size(), 3u);
  EXPECT_NE(clusters.place(Row{1, 1}), clusters.place(Row{100, 1}));
  EXPECT_NE(clusters.place(Row{100, 1}), clusters.place(Row{100, 200}));
}

TEST(DemandClusters, AreOneWhereAllIsTheSameOrNothing) {
  DemandClusters clusters(2);
  clusters.build(Row{3, 4, 3, 4});
  EXPECT_EQ(clusters.size(), 1u);
  clusters.build({});
  EXPECT_EQ(clusters.size(), 1u);
  EXPECT_EQ(clusters.place(Row{5, 6}), 0u);
  DemandClusters nothing(0);
  nothing.build({});
  EXPECT_EQ(nothing.place({}), 0u);
}

}  // namespace
}  // namespace schedcore
