// Which machines a job takes when these are free of plans and so much of them is held by running jobs.
//
// `MachineChoice` says what every machine offers to the job, and chooses by its order:
//
//   consecutive  Neighbours of equal weight that offer something are a part.  Part after part is taken: of least weight first;
//                one that suffices before one that does not, of those that suffice the one with the fewest processors, else
//                the one with the most.  Parts are compared one after the other against the best so far, and one that does
//                not suffice but has more takes the place of one that suffices; that is as it was observed.  Within a part
//                the smallest machine that suffices alone if one is left to choose, else from the first on.
//   first, last, busy, spread
//                All machines in an order: of least weight first, then as they stand, in reverse, those in use now first, or
//                those of which the greatest share is free first.
//
// If that fails, those that offer 1 or less are dropped, then 2 or less, and so on; what a try took of a machine stays what the
// machine offers in the next.  A choice also has to succeed if no processor were in use.
//
// Cost of a choice: O(n + p^2) for p parts that are taken, and as much for each further try.  Holds scratch space, so it is
// not for two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/whole_machines/cycle_columns.hpp"
#include "schedcore/whole_machines/machine_set.hpp"

namespace schedcore {

// One row of the requests, with what follows from it.
struct CycleRequest {
  std::int64_t fewest = 1;  // machines
  std::int64_t most = 1;
  std::int64_t wanted = 1;  // processors in all
  std::int64_t n_tasks = 1;
  std::int64_t processors_per_task = 1;
  std::int64_t least_processors = 0;  // given by a machine that is taken
  std::int64_t least_offer = 1;       // of a machine that may be taken
  std::int64_t memory_units = 1;      // processors for which a machine has to have memory
  MemoryKind memory_kind = MemoryKind::none;
  std::int64_t memory = 0;
  bool is_exclusive = false;
  MachineOrder order = MachineOrder::consecutive;

  [[nodiscard]] static CycleRequest of(const CycleRequests& requests, std::size_t row, std::size_t n_required);
  // Whether a machine with so much could be one of the job's if it were empty.
  [[nodiscard]] bool suits(std::int64_t processors, std::int64_t memory_of_machine) const;
  // The processors that a machine could give of which so much is held; 0 if it may not be taken.  Less is held, no less is
  // offered.
  [[nodiscard]] std::int64_t offer(const CycleMachines& machines, std::size_t machine, std::int64_t held, std::int64_t held_memory) const;
};

// What the chosen machines give.
struct ChosenMachine {
  std::uint32_t machine = 0;
  std::int64_t processors = 0;
};

class MachineChoice {
 public:
  // The columns outlive it; machines in use now are those that `busy` prefers.
  MachineChoice(const CycleMachines& machines, MachineSet in_use_now);

  // Chooses among `eligible`, of which runs hold `processors` and `memory`; whether it found any.  `required` is within
  // `eligible`.  At the present instant `busy` is `consecutive`.
  bool choose(const CycleRequest& request, const MachineSet& eligible, const MachineSet* required,
              std::span<const std::int64_t> processors, std::span<const std::int64_t> memory, bool is_now);
  // What was found, in the order of the choice.
  [[nodiscard]] std::span<const ChosenMachine> chosen() const { return chosen_; }

 private:
  struct Offer {
    std::uint32_t machine = 0;
    std::int64_t processors = 0;
    bool is_taken = false;
    bool is_required = false;
  };
  struct Part {
    std::size_t first = 0;  // offer
    std::size_t last = 0;   // the one behind
    std::int64_t total = 0;
    std::int64_t weight = 0;
    std::size_t n_required = 0;
  };
  // What is left to find.
  struct Need {
    std::int64_t processors = 0;
    std::int64_t fewest = 0;
    std::int64_t most = 0;
    std::size_t required = 0;
    [[nodiscard]] bool is_met() const { return processors <= 0 && fewest <= 0 && required == 0; }
  };

  // The offers of machines of which so much is held; nothing where `processors` is empty.
  void make_offers(const CycleRequest& request, const MachineSet& eligible, const MachineSet* required,
                   std::span<const std::int64_t> processors, std::span<const std::int64_t> memory);
  bool select(const CycleRequest& request, MachineOrder order, std::size_t n_required);
  bool try_once(const CycleRequest& request, MachineOrder order, std::size_t n_required);
  void put_in_order(MachineOrder order, std::span<const std::int64_t> processors);
  void make_parts(MachineOrder order);
  [[nodiscard]] std::size_t best_part(const Need& need) const;
  void take_from(const CycleRequest& request, MachineOrder order, Part part, Need& need);
  void take(const CycleRequest& request, Offer& offer, Need& need);

  const CycleMachines& machines_;
  MachineSet in_use_now_;
  std::vector<Offer> offers_;
  std::vector<Part> parts_;
  std::vector<ChosenMachine> chosen_;
  std::vector<std::size_t> visits_;  // scratch
};

}  // namespace schedcore
