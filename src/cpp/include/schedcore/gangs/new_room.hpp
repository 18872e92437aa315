// For how many tasks of a class that last so long what was given back to a plan makes room, at most, before anything else is
// asked.
//
// For each span that was given back there are the gaps on its machines, as the class saw them first: what others take later
// only makes them smaller, and what is given back later has gaps of its own.  Up to kGaps of them are told apart.
//
// Cost: O(k R) for each machine of a span, once for each class that asks; then a few comparisons for each span since the
// mark.  The last kKept spans are known to a class, older ones may make room for anybody.  Memory 34 KB a
// class, and more where more came between two that asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/gangs/earlier_starts.hpp"
#include "schedcore/gangs/gang_plan.hpp"
#include "schedcore/gangs/given_back.hpp"
#include "schedcore/index/gang_classes.hpp"

namespace schedcore {

class NewRoom {
 public:
  using Class = GangClasses::Class;

  struct Chance {
    std::size_t first_around_last = kNoMachine;  // no machine before this one may have room on [latest, latest + duration)
    bool may_reach_last = false;                 // there may be room just before `latest`
  };
  // Adds to what has room at starts from now to `latest` the tasks of the class that had no room there at the mark.
  Chance add_to(EarlierStarts& earlier, Class of, Time duration, Time now, Time latest, const GivenBack::Mark& mark,
                const GivenBack& given_back, const GangPlan& plan, const GangClasses& classes);

 private:
  static constexpr std::size_t kGaps = 4;
  static constexpr std::size_t kKept = 128;

  // Of what lasts so long and ends by then, however doubles round.
  [[nodiscard]] static Time last_start(Time end, Time duration) {
    return end < kNever ? end - duration + end * (4 * std::numeric_limits<Time>::epsilon()) : kNever;
  }

  struct Gap {
    Time begin = kNever;
    Time end = -kNever;
    Amount n_tasks = 0;         // on all its machines
    std::uint32_t machine = 0;  // the first of them
  };
  struct OfClass {
    std::uint64_t generation = ~std::uint64_t{0};
    std::uint64_t first = 0;                // number of the first span that it knows
    std::vector<std::uint32_t> first_gap;   // by span
    std::vector<Gap> gaps;                  // span by span
    [[nodiscard]] std::uint64_t end() const { return first + first_gap.size(); }
  };

  // Behind those that are known.
  static void add_span(OfClass& each, Class of, const GivenBack::Span& span, const GangPlan& plan, const GangClasses& classes);

  std::vector<OfClass> classes_;
};

}  // namespace schedcore
