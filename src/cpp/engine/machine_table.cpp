#include "schedcore/engine/machine_table.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kMostConstraints = 1024;  // that are remembered
constexpr std::size_t kMostNamedLabels = 4096;  // that are remembered; of a caller with more, all count as named
constexpr std::size_t kFewestSpares = 8;        // free seats behind those that were asked for, or an eighth of those taken
constexpr std::int64_t kNumberEnd = std::int64_t{1} << 62;

bool is_operator(std::string_view token) { return token == "!" || token == "&" || token == "|"; }

// Calls visit(token) for each; O(length).
template <class Visit>
void for_each_token(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::int64_t weight_of(const MachineDescriptions& machines, std::size_t machine) {
  return machines.weight.empty() ? 0 : machines.weight[machine];
}

}  // namespace

MachineTable::MachineTable(const MachineDescriptions& machines) {
  const std::size_t n_machines = machines.machines.n_machines;
  seats_.resize(n_machines);
  for (std::size_t machine = 0; machine < n_machines; ++machine) {
    seats_[machine] = {static_cast<std::int64_t>(machine), weight_of(machines, machine), keep(labels_of(machines, machine))};
  }
  std::ranges::stable_sort(seats_, {}, &Seat::weight);
  next_number_ = static_cast<std::int64_t>(n_machines);
  find_numbers();
}

MachineTable::LabelSet MachineTable::labels_of(const MachineDescriptions& machines, std::size_t machine) {
  if (machines.label_set.empty()) return {};
  LabelSet labels = machines.label_sets[static_cast<std::size_t>(machines.label_set[machine])];
  std::ranges::sort(labels);
  return labels;
}

std::uint32_t MachineTable::keep(LabelSet labels) {
  const auto [found, is_new] = set_of_.try_emplace(labels, static_cast<std::uint32_t>(label_sets_.size()));
  if (is_new) label_sets_.push_back(std::move(labels));
  return found->second;
}

void MachineTable::find_numbers() {
  machine_of_.clear();
  is_as_called_ = true;
  for (std::size_t machine = 0; machine < seats_.size(); ++machine) {
    is_as_called_ = is_as_called_ && seats_[machine].number == static_cast<std::int64_t>(machine);
  }
  if (is_as_called_) return;
  for (std::uint32_t machine = 0; machine < seats_.size(); ++machine) {
    if (!is_seat_free(machine)) machine_of_.emplace(seats_[machine].number, machine);
  }
}

std::optional<std::uint32_t> MachineTable::machine_of(std::int64_t number) const {
  if (is_as_called_) {
    if (number < 0 || static_cast<std::uint64_t>(number) >= seats_.size()) return std::nullopt;
    return static_cast<std::uint32_t>(number);
  }
  const auto found = machine_of_.find(number);
  return found == machine_of_.end() ? std::nullopt : std::optional(found->second);
}

std::shared_ptr<const MachineNames> MachineTable::names() const {
  const bool any_weight = std::ranges::any_of(seats_, [](const Seat& seat) { return seat.weight != 0; });
  if (is_as_called_ && !any_weight) return nullptr;
  std::vector<std::int64_t> numbers(seats_.size());
  std::ranges::transform(seats_, numbers.begin(), &Seat::number);
  std::vector<std::int64_t> weights(any_weight ? seats_.size() : 0);
  if (any_weight) std::ranges::transform(seats_, weights.begin(), &Seat::weight);
  return std::make_shared<const MachineNames>(std::move(numbers), std::move(weights));
}

std::vector<Amount> MachineTable::in_order(std::span<const Amount> rows, std::size_t n_columns) const {
  std::vector<Amount> ordered;
  ordered.reserve(rows.size());
  for (const Seat& seat : seats_) {
    const auto row = rows.subspan(static_cast<std::size_t>(seat.number) * n_columns, n_columns);
    ordered.insert(ordered.end(), row.begin(), row.end());
  }
  return ordered;
}

bool MachineTable::is_wellformed(std::string_view constraint) {
  std::size_t n_operands = 0;
  bool is_well = true;
  for_each_token(constraint, [&](std::string_view token) {
    const std::size_t n_taken = token == "!" ? 1 : is_operator(token) ? 2 : 0;
    is_well = is_well && n_operands >= n_taken;
    n_operands = is_well ? n_operands - n_taken + 1 : 0;
  });
  return is_well && n_operands <= 1;
}

std::string MachineTable::in_infix(std::string_view constraint) {
  // With how tightly the last operator binds.
  std::vector<std::pair<std::string, int>> operands;
  const auto part_of = [](const std::pair<std::string, int>& operand, int binding) {
    return operand.second < binding ? std::string("(").append(operand.first).append(")") : operand.first;
  };
  for_each_token(constraint, [&](std::string_view token) {
    if (!is_operator(token)) {
      operands.emplace_back(token, 4);
    } else if (token == "!") {
      operands.back() = {std::string("!").append(part_of(operands.back(), 3)), 3};
    } else {
      const int binding = token == "&" ? 2 : 1;
      const std::string second = part_of(operands.back(), binding);
      operands.pop_back();
      operands.back() = {part_of(operands.back(), binding).append(token).append(second), binding};
    }
  });
  return operands.empty() ? std::string() : std::move(operands.back().first);
}

// By the sets of labels.
std::vector<bool> MachineTable::holds_for(std::string_view constraint) const {
  std::vector<std::vector<bool>> results;
  const auto pop = [&] {
    std::vector<bool> last = std::move(results.back());
    results.pop_back();
    return last;
  };
  for_each_token(constraint, [&](std::string_view token) {
    if (token == "!") {
      results.back().flip();
    } else if (is_operator(token)) {
      const std::vector<bool> other = pop();
      for (std::size_t set = 0; set < other.size(); ++set) {
        results.back()[set] = token == "&" ? results.back()[set] && other[set] : results.back()[set] || other[set];
      }
    } else {
      std::vector<bool>& carries = results.emplace_back();
      for (const LabelSet& labels : label_sets_) carries.push_back(std::ranges::binary_search(labels, token));
    }
  });
  return results.empty() ? std::vector<bool>(label_sets_.size(), true) : pop();
}

const Constraint& MachineTable::where(std::string_view constraint) const {
  std::string text(constraint);
  const auto found = constraints_.find(text);
  if (found != constraints_.end()) return found->second;
  if (constraints_.size() >= kMostConstraints) constraints_.clear();  // a caller with ever new ones
  for_each_token(constraint, [&](std::string_view token) {
    if (!is_operator(token)) named_labels_.emplace(token);
  });
  if (named_labels_.size() > kMostNamedLabels) {
    are_all_named_ = true;
    named_labels_.clear();
  }
  const std::vector<bool> holds = holds_for(constraint);
  std::vector<std::uint32_t> machines;
  for (std::uint32_t machine = 0; machine < seats_.size(); ++machine) {
    if (holds[seats_[machine].labels]) machines.push_back(machine);
  }
  Constraint known{text.empty() ? nullptr : std::make_shared<const std::string>(text), sets_.intern(std::move(machines), seats_.size())};
  return constraints_.emplace(std::move(text), std::move(known)).first->second;
}

bool MachineTable::are_told_apart(const LabelSet& a, const LabelSet& b) const {
  LabelSet differing;
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(differing));
  const auto is_named = [&](const std::string& label) { return are_all_named_ || named_labels_.contains(label); };
  return std::ranges::any_of(differing, is_named);
}

std::optional<std::vector<std::uint32_t>> MachineTable::seat(const MachineDescriptions& machines) {
  std::vector<std::uint32_t> taken;
  std::map<std::int64_t, std::uint32_t> next_of;  // by weight
  for (std::size_t machine = 0; machine < machines.machines.n_machines; ++machine) {
    const std::int64_t weight = weight_of(machines, machine);
    auto next = next_of.find(weight);
    if (next == next_of.end()) {
      const auto is_taken = [](const Seat& seat) { return seat.number != kNobody; };
      const auto [first, last] = std::ranges::equal_range(seats_, weight, {}, &Seat::weight);
      next = next_of.emplace(weight, static_cast<std::uint32_t>(std::partition_point(first, last, is_taken) - seats_.begin())).first;
    }
    const std::uint32_t here = next->second++;
    if (here >= seats_.size() || seats_[here].weight != weight) return std::nullopt;
    if (are_told_apart(labels_of(machines, machine), label_sets_[seats_[here].labels])) return std::nullopt;
    taken.push_back(here);
  }
  for (std::size_t machine = 0; machine < taken.size(); ++machine) {
    seats_[taken[machine]].labels = keep(labels_of(machines, machine));
    seats_[taken[machine]].number = next_number_;
    machine_of_.emplace(next_number_++, taken[machine]);
  }
  return taken;
}

MachineTable::Grown MachineTable::grown(const MachineDescriptions& machines, const std::vector<bool>& is_gone) const {
  Grown grown;
  MachineTable& table = grown.table;
  table.next_number_ = next_number_;
  struct Joining {
    std::size_t n_machines = 0;
    std::size_t last = 0;  // whose labels those seats have that are asked for next, as far as anybody can tell
    std::vector<std::size_t> all;
  };
  std::map<std::int64_t, Joining> joining;
  for (std::size_t machine = 0; machine < machines.machines.n_machines; ++machine) {
    joining[weight_of(machines, machine)].all.push_back(machine);
  }
  grown.number_of.assign(seats_.size(), SnapshotWriter::kGone);
  const auto add_free_seats = [&](std::int64_t weight, const Joining& all, std::size_t n_taken) {
    for (const std::size_t machine : all.all) table.seats_.push_back({kNobody, weight, table.keep(labels_of(machines, machine))});
    const std::uint32_t labels = table.seats_.back().labels;
    table.seats_.insert(table.seats_.end(), std::max(kFewestSpares, n_taken / 8), {kNobody, weight, labels});
  };
  std::size_t n_taken = 0;
  for (std::size_t machine = 0; machine <= seats_.size(); ++machine) {
    const bool is_new_weight = machine == seats_.size() || machine == 0 || seats_[machine].weight != seats_[machine - 1].weight;
    if (is_new_weight && machine > 0) {
      const auto here = joining.find(seats_[machine - 1].weight);
      if (here != joining.end()) {
        add_free_seats(here->first, here->second, n_taken);
        joining.erase(here);
      }
      n_taken = 0;
    }
    const std::int64_t reached = machine < seats_.size() ? seats_[machine].weight : 0;
    while (is_new_weight && !joining.empty() && (machine == seats_.size() || joining.begin()->first < reached)) {
      add_free_seats(joining.begin()->first, joining.begin()->second, 0);
      joining.erase(joining.begin());
    }
    if (machine == seats_.size()) break;
    const Seat& seat = seats_[machine];
    // Free seats behind those that were asked for are made anew, with other labels.
    const bool is_dropped = is_seat_free(machine) ? joining.contains(seat.weight) : is_gone[machine];
    if (is_dropped) continue;
    if (!is_seat_free(machine)) ++n_taken;
    grown.number_of[machine] = static_cast<std::uint32_t>(table.seats_.size());
    table.seats_.push_back({seat.number, seat.weight, table.keep(label_sets_[seat.labels])});
  }
  table.find_numbers();
  return grown;
}

void MachineTable::write(SnapshotWriter& archive) const {
  archive(next_number_, static_cast<std::uint64_t>(label_sets_.size()));
  for (const LabelSet& labels : label_sets_) archive(labels);
  archive(static_cast<std::uint64_t>(seats_.size()));
  for (const Seat& seat : seats_) archive(seat.number, seat.weight, seat.labels);
}

void MachineTable::read(SnapshotReader& archive) {
  *this = MachineTable();
  archive(next_number_);
  archive.require(next_number_ > 0 && next_number_ < kNumberEnd, "the next number of a machine is impossible");
  for (std::size_t left = archive.length(sizeof(std::uint64_t)); left > 0; --left) {
    archive(label_sets_.emplace_back());
    archive.require(std::ranges::is_sorted(label_sets_.back()), "the labels of a machine are out of order");
    set_of_.emplace(label_sets_.back(), static_cast<std::uint32_t>(set_of_.size()));
    archive.require(set_of_.size() == label_sets_.size(), "labels are there twice");
  }
  const std::size_t n_seats = archive.length(2 * sizeof(std::int64_t) + sizeof(std::uint32_t));
  archive.require(n_seats > 0, "there is no machine");
  for (std::size_t machine = 0; machine < n_seats; ++machine) {
    Seat seat;
    archive(seat.number, seat.weight, seat.labels);
    archive.require(seat.number >= kNobody && seat.number < next_number_, "a machine has no number");
    archive.require(seat.labels < label_sets_.size(), "the labels of a machine are missing");
    const auto rank = [](const Seat& each) {
      return std::pair(each.weight, each.number == kNobody ? kNumberEnd : each.number);
    };
    const bool is_in_order = seats_.empty() || rank(seats_.back()) < rank(seat) ||
                             (seat.number == kNobody && rank(seats_.back()) == rank(seat));
    archive.require(is_in_order, "machines are out of order");
    seats_.push_back(seat);
  }
  find_numbers();
  archive.require(is_as_called_ || machine_of_.size() + static_cast<std::size_t>(std::ranges::count(
                                                           seats_, kNobody, &Seat::number)) == n_seats,
                  "two machines have one number");
}

}  // namespace schedcore
