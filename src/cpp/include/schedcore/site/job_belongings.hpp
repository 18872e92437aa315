// What one job says of itself to a site, and of others for which it waits; a job that says nothing has none of it.
//
// A value; what is said of a job does not change.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/site/awaited_jobs.hpp"
#include "schedcore/site/site_rules.hpp"

namespace schedcore {

struct JobBelongings {
  std::array<std::string, kNamedParties> name;  // empty for none
  std::int64_t array = -1;
  double priority = 0;
  std::vector<AwaitedJob> awaited;

  [[nodiscard]] bool says_nothing() const {
    for (const std::string& each : name) {
      if (!each.empty()) return false;
    }
    return array < 0 && priority == 0 && awaited.empty();
  }
};

inline void write_belongings(SnapshotWriter& archive, const JobBelongings& belongings) {
  for (const std::string& name : belongings.name) archive(name);
  archive(belongings.array, belongings.priority, static_cast<std::uint64_t>(belongings.awaited.size()));
  for (const AwaitedJob& each : belongings.awaited) archive(each.id, static_cast<std::uint8_t>(each.end));
}

[[nodiscard]] inline JobBelongings read_belongings(SnapshotReader& archive) {
  JobBelongings belongings;
  for (std::string& name : belongings.name) archive(name);
  archive(belongings.array, belongings.priority);
  archive.require(belongings.array >= -1 && belongings.priority > -kNever && belongings.priority < kNever,
                  "an array or a priority is impossible");
  belongings.awaited.resize(archive.length(sizeof(std::int64_t) + 1));
  for (AwaitedJob& each : belongings.awaited) {
    std::uint8_t end = 0;
    archive(each.id, end);
    archive.require(end <= static_cast<std::uint8_t>(AwaitedEnd::not_ok), "a job waits for an unknown end");
    each.end = static_cast<AwaitedEnd>(end);
  }
  return belongings;
}

}  // namespace schedcore
