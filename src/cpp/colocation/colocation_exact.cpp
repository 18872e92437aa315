#include "schedcore/colocation/colocation_exact.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "load_directions.hpp"
#include "present_types.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/colocation/machine_costs.hpp"
#include "schedcore/packing/list_scheduling.hpp"
#include "state_table.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 22;   // tasks times machines
constexpr std::size_t kSeenBytes = std::size_t{1} << 27;   // of the placements remembered
constexpr std::size_t kTooFewToRemember = 3;               // with fewer tasks left a search is as fast as a look-up
constexpr std::uint64_t kNodesBetweenPolls = 64;

// What a machine can still take below the incumbent; renewed when its loads, the incumbent or the types to come change.
struct Room {
  CostNumerator below = -1;         // computed for costs up to this; -1: the loads have changed since
  std::uint32_t types_to_come = 0;  // bits of the types of which tasks remain, where there are directions
  std::vector<Amount> of_type;      // [type]: the most additional load of that type alone
  std::vector<double> weighted;     // [direction]: the most additional load of all types together
};

class ExactSearch {
 public:
  ExactSearch(const ColocationView& view, std::size_t n_machines, CostNumerator incumbent,
              const ExactColocationOptions& options)
      : view_(view),
        n_machines_(n_machines),
        n_types_(view.n_types),
        incumbent_(incumbent),
        options_(options),
        directions_(view.alpha, view.n_types),
        costs_(view, n_machines),
        rooms_(n_machines, Room{-1, 0, std::vector<Amount>(n_types_), std::vector<double>(directions_.n_directions())}),
        order_(decreasing_order(view.size)),
        sizes_of_type_(n_types_),
        n_placed_(n_types_, 0),
        remaining_(load_of_types(view)),
        slack_(n_types_),
        seen_(1 + n_machines * n_types_, kSeenBytes),
        state_(1 + n_machines * n_types_) {
    for (const std::uint32_t task : order_) sizes_of_type_[view.type_of(task)].push_back(view.size[task]);
  }

  // Whether the search came to its end.
  bool run() {
    if (!done()) open_level(0);
    while (!levels_.empty() && !done()) {
      Level& level = levels_.back();
      const bool viable = level.worst <= ceiling();
      if (!viable || level.next == candidates_.size() || candidates_[level.next].cost > ceiling()) {
        // A state that was dropped because the incumbent overtook it has not been searched.
        if (viable) remember();
        candidates_.resize(level.first);
        levels_.pop_back();
        if (!levels_.empty()) take_back();
        continue;
      }
      if (options_.node_limit != 0 && nodes_ == options_.node_limit) return false;
      const Candidate chosen = candidates_[level.next++];
      const CostNumerator worst = std::max(level.worst, chosen.cost);
      place(chosen.machine);
      if (machine_of_position_.size() == order_.size()) record(worst);
      if (machine_of_position_.size() == order_.size() || !open_level(worst)) take_back();
    }
    return true;
  }

  [[nodiscard]] CostNumerator cost() const { return incumbent_; }
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  // Of each position in the decreasing order; empty if nothing cheaper than the start was found.
  [[nodiscard]] const std::vector<std::uint32_t>& best() const { return best_; }
  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  struct Candidate {
    CostNumerator cost;
    std::uint32_t machine;
  };
  struct Level {
    std::size_t first;    // of its candidates
    std::size_t next;     // to be tried
    CostNumerator worst;  // cost of the tasks placed before
  };

  [[nodiscard]] bool done() const { return incumbent_ <= options_.lower_bound; }
  [[nodiscard]] CostNumerator ceiling() const { return incumbent_ - 1; }  // what is still worth finding
  [[nodiscard]] std::size_t task_at(std::size_t position) const { return order_[position]; }
  [[nodiscard]] Amount smallest(std::size_t type) const { return sizes_of_type_[type].back(); }

  void place(std::uint32_t machine) {
    if (++nodes_ % kNodesBetweenPolls == 0 && options_.monitor != nullptr) {
      options_.monitor->poll(nodes_, options_.node_limit);
    }
    const std::size_t task = task_at(machine_of_position_.size());
    const std::size_t type = view_.type_of(task);
    costs_.add(machine, type, view_.size[task]);
    remaining_[type] -= view_.size[task];
    ++n_placed_[type];
    rooms_[machine].below = -1;
    machine_of_position_.push_back(machine);
  }

  void take_back() {
    const std::uint32_t machine = machine_of_position_.back();
    machine_of_position_.pop_back();
    const std::size_t task = task_at(machine_of_position_.size());
    const std::size_t type = view_.type_of(task);
    costs_.remove(machine, type, view_.size[task]);
    remaining_[type] += view_.size[task];
    --n_placed_[type];
    rooms_[machine].below = -1;
  }

  void record(CostNumerator worst) {
    incumbent_ = worst;
    best_ = machine_of_position_;
  }

  // Prepares the next task; false if the node is cut.
  bool open_level(CostNumerator worst) {
    renew_rooms();
    if (!types_fit() || !directions_fit() || was_seen()) return false;
    const std::size_t first = candidates_.size();
    const std::size_t task = task_at(machine_of_position_.size());
    const std::size_t type = view_.type_of(task);
    for (std::size_t machine = 0; machine < n_machines_; ++machine) {
      if (rooms_[machine].of_type[type] < view_.size[task]) continue;
      const CostNumerator cost = costs_.cost_with(machine, type, view_.size[task]);
      const auto alike = [&](const Candidate& other) {
        return other.cost == cost && same_loads(other.machine, machine);
      };
      if (std::any_of(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(), alike)) continue;
      candidates_.push_back({cost, static_cast<std::uint32_t>(machine)});
    }
    std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
              [](const Candidate& a, const Candidate& b) {
                return std::tie(a.cost, a.machine) < std::tie(b.cost, b.machine);
              });
    levels_.push_back({first, first, worst});
    return true;
  }

  [[nodiscard]] bool same_loads(std::size_t one, std::size_t other) const {
    for (std::size_t type = 0; type < n_types_; ++type) {
      if (costs_.load(one, type) != costs_.load(other, type)) return false;
    }
    return true;
  }

  void renew_rooms() {
    std::uint32_t types_to_come = 0;
    if (directions_.n_directions() > 0) {
      for (std::size_t type = 0; type < n_types_; ++type) {
        if (remaining_[type] > 0) types_to_come |= std::uint32_t{1} << type;
      }
    }
    for (std::size_t machine = 0; machine < n_machines_; ++machine) {
      const Room& room = rooms_[machine];
      if (room.below != ceiling() || room.types_to_come != types_to_come) renew_room(machine, types_to_come);
    }
  }

  void renew_room(std::size_t machine, std::uint32_t types_to_come) {
    Room& room = rooms_[machine];
    room.below = ceiling();
    room.types_to_come = types_to_come;
    std::uint32_t present = 0;
    std::uint32_t blocked = 0;
    for (std::size_t type = 0; type < n_types_; ++type) {
      const CostNumerator own = ceiling() - costs_.cost_of_type(machine, type);
      slack_[type] = static_cast<double>(own);
      Amount most = own > 0 ? own / view_.coefficient(type, type) : 0;
      for (std::size_t d = 0; d < n_types_; ++d) {
        const CostNumerator caused = view_.coefficient(type, d);
        if (costs_.load(machine, d) == 0 || caused == 0) continue;
        most = std::min(most, std::max<CostNumerator>(0, ceiling() - costs_.cost_of_type(machine, d)) / caused);
      }
      room.of_type[type] = most;
      if (directions_.n_directions() == 0) continue;
      const std::uint32_t bit = std::uint32_t{1} << type;
      if (costs_.load(machine, type) > 0) present |= bit;
      if (own <= 0) blocked |= bit;
    }
    const std::uint32_t joining = types_to_come & ~blocked & ~present;
    for (std::size_t direction = 0; direction < directions_.n_directions(); ++direction) {
      double most = 0;
      for (std::uint32_t more = joining;; more = (more - 1) & joining) {
        if ((present | more) != 0) most = std::max(most, directions_.most(direction, present | more, slack_));
        if (more == 0) break;
      }
      room.weighted[direction] = most;
    }
  }

  // What of the remaining load of a type a machine can take, for all that is known of this type alone.
  [[nodiscard]] Amount usable(std::size_t machine, std::size_t type) const {
    const Amount room = rooms_[machine].of_type[type];
    return room < smallest(type) ? 0 : std::min(room, remaining_[type]);
  }

  [[nodiscard]] bool types_fit() const {
    for (std::size_t type = 0; type < n_types_; ++type) {
      if (remaining_[type] == 0) continue;
      const Amount next = sizes_of_type_[type][n_placed_[type]];
      Amount largest = 0;
      Amount missing = remaining_[type];
      for (std::size_t machine = 0; machine < n_machines_ && (missing > 0 || largest < next); ++machine) {
        const Amount room = usable(machine, type);
        largest = std::max(largest, room);
        missing -= std::min(missing, room);
      }
      if (missing > 0 || largest < next) return false;
    }
    return true;
  }

  [[nodiscard]] bool directions_fit() const {
    for (std::size_t direction = 0; direction < directions_.n_directions(); ++direction) {
      double needed = 0;
      for (std::size_t type = 0; type < n_types_; ++type) {
        needed += directions_.weight(direction, type) * static_cast<double>(remaining_[type]);
      }
      double taken = 0;
      for (std::size_t machine = 0; machine < n_machines_ && taken < needed; ++machine) {
        double apart = 0;
        for (std::size_t type = 0; type < n_types_; ++type) {
          if (remaining_[type] == 0) continue;
          apart += directions_.weight(direction, type) * static_cast<double>(usable(machine, type));
        }
        taken += std::min(apart, rooms_[machine].weighted[direction]);
      }
      if (needed > taken * LoadDirections::kOutward) return false;
    }
    return true;
  }

  // The state decides what can follow: how many tasks are placed, and the loads of the machines that can take another,
  // in any order of machines.
  void write_state() {
    open_.clear();
    for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
      for (std::size_t type = 0; type < n_types_; ++type) {
        if (remaining_[type] == 0 || rooms_[machine].of_type[type] < smallest(type)) continue;
        open_.push_back(machine);
        break;
      }
    }
    std::ranges::sort(open_, [&](std::uint32_t one, std::uint32_t other) {
      for (std::size_t type = 0; type < n_types_; ++type) {
        const Amount difference = costs_.load(one, type) - costs_.load(other, type);
        if (difference != 0) return difference < 0;
      }
      return false;
    });
    std::size_t word = 0;
    state_[word++] = machine_of_position_.size();
    for (const std::uint32_t machine : open_) {
      for (std::size_t type = 0; type < n_types_; ++type) {
        state_[word++] = static_cast<std::uint64_t>(costs_.load(machine, type));
      }
    }
    std::fill(state_.begin() + static_cast<std::ptrdiff_t>(word), state_.end(), ~std::uint64_t{0});
  }

  [[nodiscard]] bool worth_remembering() const {
    return order_.size() - machine_of_position_.size() >= kTooFewToRemember;
  }

  bool was_seen() {
    if (!worth_remembering()) return false;
    write_state();
    return seen_.find(state_) != 0;
  }

  // All that can follow here below the incumbent has been searched, and an incumbent only gets cheaper.  A state that
  // is equal later has the same loads on the machines it can use, so nothing below the incumbent follows there, either.
  void remember() {
    if (!worth_remembering()) return;
    renew_rooms();
    write_state();
    seen_.raise(state_, 1);
  }

  const ColocationView& view_;
  std::size_t n_machines_;
  std::size_t n_types_;
  CostNumerator incumbent_;
  const ExactColocationOptions& options_;
  LoadDirections directions_;
  MachineCosts costs_;
  std::vector<Room> rooms_;                         // [machine]
  std::vector<std::uint32_t> order_;                // tasks by position
  std::vector<std::vector<Amount>> sizes_of_type_;  // [type], decreasing
  std::vector<std::size_t> n_placed_;               // [type]
  std::vector<Amount> remaining_;                   // [type]: load not yet placed
  std::vector<double> slack_;                       // scratch of renew_room
  StateTable seen_;                                 // placements that lead to nothing cheaper
  std::vector<std::uint64_t> state_;                // scratch of write_state, as is open_
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> machine_of_position_;  // of the tasks placed
  std::vector<std::uint32_t> best_;
  std::vector<Candidate> candidates_;               // of all levels, one after the other
  std::vector<Level> levels_;
  std::uint64_t nodes_ = 0;
};

}  // namespace

ExactColocation exact_colocation(const ColocationView& view, std::span<const std::int64_t> start,
                                 const ExactColocationOptions& options) {
  // More machines than tasks stay empty in some optimum: an empty machine is like every other.
  const std::size_t n_machines = std::min(view.n_machines, view.n_tasks());
  if (n_machines > 0 && view.n_tasks() > kMostCells / n_machines) {
    throw UnsupportedError("the search for the optimum takes at most 2^22 tasks times machines, not " +
                           std::to_string(view.n_tasks()) + " tasks on " + std::to_string(view.n_machines) +
                           " machines");
  }
  ExactColocation result{{start.begin(), start.end()}, colocation_cost(view, start).largest, 0, true};
  if (view.n_tasks() == 0) return result;
  const PresentTypes present(view);
  ExactSearch search(present.view(), n_machines, result.cost, options);
  result.proven = search.run();
  result.nodes = search.nodes();
  result.cost = search.cost();
  for (std::size_t position = 0; position < search.best().size(); ++position) {
    result.machine[search.order()[position]] = search.best()[position];
  }
  return result;
}

}  // namespace schedcore
