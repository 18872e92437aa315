// The passes of a compression over all reservations, which may be left off and gone on with.
//
// In a pass every reservation, in the order of the queue, may move into what was given back.  Where the budget of a decision
// is spent it is left off.  It comes to its end before what was given back since lets another one begin.
#pragma once

#include <cstdint>
#include <utility>

namespace schedcore {

enum class Compression : std::uint8_t { none, pass, fixpoint };

struct CompressionPasses {
  bool is_due = false;        // something was given back since the last one began
  bool is_under_way = false;  // one was left off
  bool has_moved = false;     // a reservation, in the last one

  void begin() {
    is_under_way = true;
    has_moved = false;
  }

  // The steps are those of a policy: start_due(), start_selected(), begin_pass(), go_on() with a pass, and look_at_others(),
  // which returns whether the budget sufficed.  Returns whether it sufficed for all.
  template <class Steps>
  [[nodiscard]] bool run(Compression compression, bool selects, const Steps& steps) {
    const bool goes_on = is_under_way;
    if (goes_on) {
      steps.start_due();  // also what the pass has looked at
      steps.go_on();
      if (!steps.look_at_others()) return false;
    }
    const auto repeats = [&] { return compression == Compression::fixpoint && has_moved; };
    const bool begins = std::exchange(is_due, false) && compression != Compression::none;
    if (begins && selects) {
      steps.start_due();
      steps.start_selected();
    }
    if (!begins && !goes_on) steps.start_due();
    for (bool again = begins || (goes_on && repeats()); again; again = repeats()) {
      steps.begin_pass();
      if (!steps.look_at_others()) return false;
    }
    return true;
  }
};

}  // namespace schedcore
