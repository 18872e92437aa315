#include "schedcore/colocation/levelling.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace schedcore {
namespace {

// With how many of the cheapest machines whole types are exchanged before single tasks are tried.
constexpr std::size_t kPartnersAtFirst = 128;

// The best exchange seen of the machine `from` that makes both sides cost less than `cost`.
struct Best {
  Exchange exchange;
  CostNumerator cost = 0;
  bool found = false;

  void consider(const Exchange& candidate, CostNumerator from_cost, CostNumerator to_cost) {
    const CostNumerator larger = std::max(from_cost, to_cost);
    if (larger >= cost) return;
    exchange = candidate;
    cost = larger;
    found = true;
  }
};

class Levelling {
 public:
  Levelling(PlacedTasks& tasks, CostNumerator target, WorkMeter& work)
      : tasks_(tasks), target_(target), work_(work), whole_types_tried_(tasks.n_machines(), false) {
    for (std::size_t machine = 0; machine < tasks.n_machines(); ++machine) {
      by_cost_.emplace(tasks.cost(machine), machine);
    }
  }

  std::uint64_t run() {
    while (!work_.spent() && by_cost_.rbegin()->first > target_ && step()) {
    }
    return moves_;
  }

 private:
  bool step() {
    const auto [cost, worst] = *by_cost_.rbegin();
    Best best;
    best.cost = cost;
    if (!whole_types_tried_[worst]) {
      whole_types_tried_[worst] = true;
      if (improves_by_whole_types(worst, kPartnersAtFirst, best)) return true;
    }
    for (const auto& [other_cost, other] : by_cost_) {
      if (other == worst) continue;
      weigh_single_tasks(worst, other, best);
      if (best.found || work_.spent()) break;
    }
    if (best.found) {
      carry_out(best.exchange);
      return true;
    }
    return improves_by_whole_types(worst, tasks_.n_machines(), best);
  }

  bool improves_by_whole_types(std::size_t worst, std::size_t n_partners, Best& best) {
    for (const auto& [other_cost, other] : by_cost_) {
      if (other != worst) weigh_whole_types(worst, other, best);
      if (work_.spent() || --n_partners == 0) break;
    }
    if (!best.found) return false;
    carry_out(best.exchange);
    std::fill(whole_types_tried_.begin(), whole_types_tried_.end(), false);
    return true;
  }

  void weigh(const Exchange& candidate, Best& best) {
    if (work_.spent()) return;
    work_.count();
    best.consider(candidate, tasks_.cost_after(candidate.from, candidate.given, candidate.returned),
                  tasks_.cost_after(candidate.to, candidate.returned, candidate.given));
  }

  void weigh_whole_types(std::size_t from, std::size_t to, Best& best) {
    for (std::size_t given = 0; given < tasks_.n_types(); ++given) {
      if (tasks_.tasks(from, given).empty()) continue;
      const Parcel out = tasks_.whole_type(from, given);
      weigh({from, to, out, {}}, best);
      for (std::size_t returned = 0; returned < tasks_.n_types(); ++returned) {
        if (returned != given && !tasks_.tasks(to, returned).empty()) {
          weigh({from, to, out, tasks_.whole_type(to, returned)}, best);
        }
      }
    }
  }

  void weigh_single_tasks(std::size_t from, std::size_t to, Best& best) {
    for (std::size_t given = 0; given < tasks_.n_types(); ++given) {
      const std::span<const PlacedTasks::Entry> here = tasks_.tasks(from, given);
      for (std::size_t i = 0; i < here.size() && !work_.spent(); i = next_size(here, i)) {
        weigh({from, to, tasks_.one_task(from, given, i), {}}, best);
      }
      for (std::size_t returned = 0; returned < tasks_.n_types(); ++returned) {
        weigh_swaps(from, given, to, returned, best);
      }
    }
  }

  // For a task that `from` gives, the larger of the two costs is least where the costs cross: `from` costs more with
  // a larger task in return, `to` less.  A larger task given moves the crossing up, so one pass over both lists finds
  // it for all.
  void weigh_swaps(std::size_t from, std::size_t given, std::size_t to, std::size_t returned, Best& best) {
    const std::span<const PlacedTasks::Entry> here = tasks_.tasks(from, given);
    const std::span<const PlacedTasks::Entry> there = tasks_.tasks(to, returned);
    if (there.empty()) return;
    std::size_t before = 0;
    std::size_t j = 0;
    for (std::size_t i = 0; i < here.size(); i = next_size(here, i)) {
      Exchange swap{from, to, tasks_.one_task(from, given, i), tasks_.one_task(to, returned, j)};
      for (;;) {
        if (work_.spent()) return;
        work_.count();
        const CostNumerator from_cost = tasks_.cost_after(from, swap.given, swap.returned);
        const CostNumerator to_cost = tasks_.cost_after(to, swap.returned, swap.given);
        best.consider(swap, from_cost, to_cost);
        const std::size_t next = next_size(there, j);
        if (from_cost >= to_cost || next == there.size()) break;
        before = j;
        j = next;
        swap.returned = tasks_.one_task(to, returned, j);
      }
      if (before != j) {
        swap.returned = tasks_.one_task(to, returned, before);
        weigh(swap, best);
      }
    }
  }

  // The first entry that is larger than entry i.
  static std::size_t next_size(std::span<const PlacedTasks::Entry> entries, std::size_t i) {
    if (i + 1 == entries.size() || entries[i + 1].size > entries[i].size) return i + 1;
    const auto is_smaller = [](Amount size, const PlacedTasks::Entry& entry) { return size < entry.size; };
    const auto rest = entries.begin() + static_cast<std::ptrdiff_t>(i);
    const auto larger = std::upper_bound(rest, entries.end(), entries[i].size, is_smaller);
    return static_cast<std::size_t>(std::distance(entries.begin(), larger));
  }

  void carry_out(const Exchange& exchange) {
    by_cost_.erase({tasks_.cost(exchange.from), exchange.from});
    by_cost_.erase({tasks_.cost(exchange.to), exchange.to});
    tasks_.exchange(exchange);
    by_cost_.emplace(tasks_.cost(exchange.from), exchange.from);
    by_cost_.emplace(tasks_.cost(exchange.to), exchange.to);
    ++moves_;
  }

  PlacedTasks& tasks_;
  CostNumerator target_;
  WorkMeter& work_;
  std::set<std::pair<CostNumerator, std::size_t>> by_cost_;  // all machines
  std::vector<bool> whole_types_tried_;  // of machines that were the worst since the last exchange of whole types
  std::uint64_t moves_ = 0;
};

}  // namespace

std::uint64_t level(PlacedTasks& tasks, CostNumerator target, WorkMeter& work) {
  return Levelling(tasks, target, work).run();
}

}  // namespace schedcore
