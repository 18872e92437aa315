// What a site says: its partitions, its classes of service, its limits, what accounts were promised, and of what priorities
// are made.
//
// Values; resources are columns of demands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

struct SitePartition {
  std::string name;
  std::int64_t tier = 0;
  double factor = 0;
};

struct SiteClass {
  std::string name;
  std::int64_t level = 0;
  double factor = 0;
  bool is_preemptible = false;
};

// To whom jobs belong.
enum class Party : std::uint8_t { user, account, partition, service_class, array };
inline constexpr std::size_t kNamedParties = 4;  // the first ones have names, arrays have numbers

struct SiteLimit {
  enum class What : std::uint8_t { jobs, tasks, resource };
  Party party = Party::user;
  std::optional<std::string> value;  // of a party with names that one alone; none: each by itself
  What what = What::jobs;
  std::size_t resource = 0;
  Amount most = 0;
  std::optional<std::int64_t> array;  // that array alone; none: each by itself
};

struct SiteShare {
  std::string account;  // empty: jobs without one
  double share = 1;
};

// Weights of factors, and their scales of time.
struct Multifactor {
  double age = 0;
  double fair_share = 0;
  double size = 0;
  double partition = 0;
  double service_class = 0;
  double job = 0;
  Time max_age = 604800;
  Time half_life = 604800;
  Time interval = 300;
};

struct SiteRules {
  std::vector<SitePartition> partitions;
  std::vector<SiteClass> classes;
  std::vector<SiteLimit> limits;
  std::vector<SiteShare> shares;  // none: all accounts count alike
  std::optional<Multifactor> multifactor;
  bool preempts = false;
};

// Of one job: numbers of names that the site has seen, and its own number for its array; -1 for none.
struct JobParties {
  std::int32_t of[kNamedParties] = {-1, -1, -1, -1};
  std::int64_t array = -1;
  double priority = 0;

  [[nodiscard]] std::int32_t named(Party party) const { return of[static_cast<std::size_t>(party)]; }
};

}  // namespace schedcore
