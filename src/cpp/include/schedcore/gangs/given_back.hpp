// Where and when room was given back to a plan, for whoever has to look again because of it.
//
// Each reader keeps a mark and sees what came after it.  The last kKept spans at least are kept; a reader that is further
// behind has to expect that anything was given back.  O(machines) amortised to note; O(spans since the mark) to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/job_shape.hpp"

namespace schedcore {

class GivenBack {
 public:
  struct Mark {
    std::uint64_t n_seen = 0;
  };
  struct Span {
    Time from = 0;
    Time to = kNever;
    bool is_everywhere = true;               // then the machines are not listed
    std::span<const std::uint32_t> machines = {};
    std::uint64_t number = 0;  // of the last one, where it stands for several
  };

  void note(Time from, Time to, std::span<const TaskPlace> places) {
    if (spans_.size() == 2 * kKept) drop_half();
    const std::size_t first = machines_.size();
    for (const TaskPlace& place : places) {
      machines_.push_back(place.machine);
      if (place.machine >= n_noted_on_.size()) n_noted_on_.resize(place.machine + 1);
      n_noted_on_[place.machine] = n_noted_ + 1;
    }
    spans_.push_back({from, to, first, places.size()});
    ++n_noted_;
  }
  // Readers have to expect that anything was given back.
  void note_all() {
    spans_.clear();
    machines_.clear();
    ++n_noted_;
    n_noted_everywhere_ = n_noted_;
  }
  [[nodiscard]] Mark mark() const { return {n_noted_}; }

  // Whether anything was given back on the machine since the mark.
  [[nodiscard]] bool was_noted_on(std::uint32_t machine, const Mark& mark) const {
    return n_noted_everywhere_ > mark.n_seen || (machine < n_noted_on_.size() && n_noted_on_[machine] > mark.n_seen);
  }

  // Calls visit(span) for each span since the mark; for one over all time and machines if not all of them are kept.
  template <class Visit>
  void for_each_since(const Mark& mark, const Visit& visit) const {
    const std::uint64_t n_missed = n_noted_ - mark.n_seen;
    if (n_missed > spans_.size()) {
      visit(Span{.number = n_noted_ - 1});
      return;
    }
    for (std::size_t i = spans_.size() - static_cast<std::size_t>(n_missed); i < spans_.size(); ++i) {
      const Kept& kept = spans_[i];
      visit(Span{kept.from, kept.to, false, {machines_.data() + kept.first_machine, kept.n_machines},
                 n_noted_ - spans_.size() + i});
    }
  }

 private:
  static constexpr std::size_t kKept = 512;

  struct Kept {
    Time from = 0;
    Time to = 0;
    std::size_t first_machine = 0;
    std::size_t n_machines = 0;
  };

  void drop_half() {
    const std::size_t n_dropped = spans_[kKept].first_machine;
    machines_.erase(machines_.begin(), machines_.begin() + static_cast<std::ptrdiff_t>(n_dropped));
    spans_.erase(spans_.begin(), spans_.begin() + kKept);
    for (Kept& kept : spans_) kept.first_machine -= n_dropped;
  }

  std::vector<Kept> spans_;
  std::vector<std::uint32_t> machines_;
  std::uint64_t n_noted_ = 0;
  std::uint64_t n_noted_everywhere_ = 0;
  std::vector<std::uint64_t> n_noted_on_;  // by machine
};

}  // namespace schedcore
