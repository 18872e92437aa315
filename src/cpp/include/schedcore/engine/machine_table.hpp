// Which machines an embedded engine schedules on: what callers call them, whom jobs prefer, and which labels they carry.
//
// The engine numbers its machines in order of preference: by weight, then by the numbers of the caller, who counts all
// machines that there ever were.  So a machine that joins may stand before others, and these are renumbered; how the engine
// does that is its own business (OnlineScheduler).  To spare most of it, there are seats that wait for machines behind those
// of their weight, each for machines with the same labels, as far as constraints have named them.  A machine that is removed
// keeps its seat until the next renumbering.
//
// A constraint is a text in postfix: labels and the operators ! & |, with blanks between; the empty one holds everywhere.
//
// Cost: O(1) to translate a number; a constraint O(length * distinct sets of labels + machines), once for each text; a machine
// that takes a seat O(log machines + its labels); `grown` O(machines).  A value.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/engine/machine_names.hpp"
#include "schedcore/index/eligibility.hpp"

namespace schedcore {

// Machines as callers describe them.  `weight` is empty where all are 0, `label_set` where nobody carries labels.
struct MachineDescriptions {
  MachinesView machines;
  std::span<const std::int64_t> weight = {};
  std::span<const std::int64_t> label_set = {};  // of each machine
  std::span<const std::vector<std::string>> label_sets = {};
};

// Where a job may run because of what it asks for; `text` is null if it asks for nothing.
struct Constraint {
  std::shared_ptr<const std::string> text;
  Eligibility eligibility;
};

class MachineTable {
 public:
  static constexpr std::int64_t kNobody = -1;

  explicit MachineTable(const MachineDescriptions& machines);

  // Seats, of which some may wait for machines.
  [[nodiscard]] std::size_t size() const { return seats_.size(); }
  // The caller's number of a machine; kNobody of a seat that waits for one.
  [[nodiscard]] std::int64_t number_of(std::size_t machine) const { return seats_[machine].number; }
  [[nodiscard]] bool is_seat_free(std::size_t machine) const { return seats_[machine].number == kNobody; }
  // Nothing for a number that nobody has, or has any more.
  [[nodiscard]] std::optional<std::uint32_t> machine_of(std::int64_t number) const;
  // The next machine that joins has it.
  [[nodiscard]] std::int64_t next_number() const { return next_number_; }
  // Whether callers and engine number alike.
  [[nodiscard]] bool is_as_called() const { return is_as_called_; }
  // The same, and weights, for whoever knows no table; null where it is as called and nobody has a weight.
  [[nodiscard]] std::shared_ptr<const MachineNames> names() const;
  // Machines in the order of the table, row by row.
  [[nodiscard]] std::vector<Amount> in_order(std::span<const Amount> rows, std::size_t n_columns) const;

  // The machines of the constraint; what it names is remembered.
  [[nodiscard]] const Constraint& where(std::string_view constraint) const;
  [[nodiscard]] static bool is_wellformed(std::string_view constraint);
  // As callers write it, though operands may have changed places; for messages.
  [[nodiscard]] static std::string in_infix(std::string_view constraint);

  // Seats for machines that join, in their order; nothing if there are too few, and then nothing has changed.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> seat(const MachineDescriptions& machines);
  // A table with free seats for these machines and some more, without the machines that are gone, whom nobody names.
  struct Grown;
  [[nodiscard]] Grown grown(const MachineDescriptions& machines, const std::vector<bool>& is_gone) const;

  // All but what constraints have named, of which whoever reads a snapshot of jobs takes note anew.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);

 private:
  using LabelSet = std::vector<std::string>;  // in increasing order
  struct Seat {
    std::int64_t number = kNobody;
    std::int64_t weight = 0;
    std::uint32_t labels = 0;  // a row of label_sets_
  };

  MachineTable() = default;
  [[nodiscard]] static LabelSet labels_of(const MachineDescriptions& machines, std::size_t machine);
  [[nodiscard]] std::uint32_t keep(LabelSet labels);
  // Whether constraints that somebody has named tell the two apart.
  [[nodiscard]] bool are_told_apart(const LabelSet& a, const LabelSet& b) const;
  [[nodiscard]] std::vector<bool> holds_for(std::string_view constraint) const;
  void find_numbers();

  std::vector<Seat> seats_;  // by weight, then by number, free seats last
  std::vector<LabelSet> label_sets_;  // each once
  std::map<LabelSet, std::uint32_t> set_of_;
  std::int64_t next_number_ = 0;
  bool is_as_called_ = true;
  std::unordered_map<std::int64_t, std::uint32_t> machine_of_;  // unless callers and engine number alike

  // Of what was asked for; the first is a cache, the second what it has named since the table was made.
  mutable std::unordered_map<std::string, Constraint> constraints_;
  mutable std::unordered_set<std::string> named_labels_;
  mutable bool are_all_named_ = false;
  mutable EligibilitySets sets_;
};

struct MachineTable::Grown {
  MachineTable table;
  std::vector<std::uint32_t> number_of;  // in it, by the number before; SnapshotWriter::kGone for those that are gone
};

}  // namespace schedcore
