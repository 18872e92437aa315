// Which machines could be of use to a job up to some instant, given when what runs ends: never too few, so a job for which
// these do not suffice need not be looked at more closely.
//
// What is held is known at 64 of the ends, evenly spaced by number; in between, the later one counts.  Jobs that start
// meanwhile are left out, which only makes the sets larger.  A set is made once for each of these ends and each kind of
// request, O(n), and remembered: memory up to 8 n bytes a kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "schedcore/whole_machines/cycle_columns.hpp"
#include "schedcore/whole_machines/machine_choice.hpp"
#include "schedcore/whole_machines/machine_set.hpp"

namespace schedcore {

class UsableMachines {
 public:
  // The machines outlive it.
  UsableMachines(const CycleMachines& machines, const CycleRuns& runs);

  // Those that offer anything to the request at some moment up to `latest`.
  [[nodiscard]] const MachineSet& up_to(Seconds latest, const CycleRequest& request);

 private:
  struct Held {
    Seconds end = 0;  // by runs that end after that
    std::vector<std::int64_t> processors;
    std::vector<std::int64_t> memory;
  };
  using Kind = std::tuple<std::int64_t, std::int64_t, std::int64_t, MemoryKind, std::int64_t, bool>;

  static constexpr std::size_t kEnds = 64;

  const CycleMachines& machines_;
  std::vector<Held> held_;  // by end; the last one holds nothing
  std::map<Kind, std::vector<std::optional<MachineSet>>> known_;
};

}  // namespace schedcore
