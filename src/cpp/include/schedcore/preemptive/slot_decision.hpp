// What happens in one slot: the policy's order, cores, their machines, memory; and for how long it stays so.
//
//   order     slot_order: keys, sorted only where memory or a test of the order needs it;
//   cores     slot_rates, or switching_slot (OCORP+); where the pool suffices for all limits, these, whatever the keys;
//   machines  slot_packing, unless the rows have the cores that the last packing placed (packing the same again, or, if
//             sticky, what stands there, changes nothing);
//   memory    memory_step, if there is more than one resource.
//
// Under policies that share fairly, fair_sharing says how many cores each job gets, and the order in which memory is
// granted.
//
// Where jobs are served whole, whole_service decides who runs where, all resources included; of the cores that it holds
// a job uses those for which there is work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/active_jobs.hpp"
#include "schedcore/preemptive/fair_sharing.hpp"
#include "schedcore/preemptive/memory_step.hpp"
#include "schedcore/preemptive/slot_order.hpp"
#include "schedcore/preemptive/slot_packing.hpp"
#include "schedcore/preemptive/slot_rates.hpp"
#include "schedcore/preemptive/switching_slot.hpp"
#include "schedcore/preemptive/whole_service.hpp"

namespace schedcore {

struct SlotRules {
  SlotPolicy policy = SlotPolicy::ocorp;
  DualRules dual;               // of OCORP and OCORP+
  bool work_conserving = true;  // otherwise OCORP and OCORP+ serve only what they gain by
  bool sticky = false;          // jobs stay on the machines of the slot before
  MemoryMode memory = MemoryMode::backfill;
  double alpha = 0.0;           // of OCORP+, as is the solver
  SwitchingSolver solver = SwitchingSolver::joblevel;
  Service service = Service::shared;
  bool skip = false;            // of whole jobs: who does not fit keeps nobody else from running
  bool carries_remainders = true;  // of fair sharing
};

class SlotDecision {
 public:
  // `jobs` and the monitor, which hears from slots that take long, must outlive this.  With more than one resource OCORP+
  // takes joblevel alone, and policies without keys (fair sharing), or whose keys grow while a job runs (OCORP, LAS,
  // Gittins), take shared service alone: UnsupportedError.
  SlotDecision(const SlotJobs& jobs, MachinesView machines, const SlotRules& rules, Monitor* monitor);

  // After jobs were let in, or let go.
  void added(const ActiveJobs& active);
  void removed(const ActiveJobs& active);

  // Decides `slot`, for at least one job.  `keep_refused`: refused() will be asked.
  void decide(Slot slot, ActiveJobs& active, bool keep_refused);

  // Of the slot decided last: cores by row, where they are, and which pieces memory refused, sorted by (row, machine).
  [[nodiscard]] std::span<const Amount> cores() const { return cores_; }
  [[nodiscard]] const std::vector<CorePiece>& pieces() const { return memory_ ? admitted_ : placed_; }
  [[nodiscard]] std::span<const CorePiece> refused() const { return refused_; }
  [[nodiscard]] std::uint64_t n_refused() const { return n_refused_; }

  // For how many slots after that one, `most` at most, everything is decided alike if the rows do `work` in each.
  [[nodiscard]] Slot steady_slots(const ActiveJobs& active, std::span<const Amount> work, Slot most);

  // What n_slots slots of such work from `first` on change.  True if further ones change no multiplier.
  bool advance(Slot first, Slot n_slots, std::span<const Amount> work);

  // Before the work of a slot is done; empty for baselines.
  [[nodiscard]] std::span<const double> multipliers() const { return order_.multipliers(); }

 private:
  void follow(const ActiveJobs& active);
  [[nodiscard]] bool pool_suffices(std::span<const Amount> limit) const;
  void share_cores(Slot slot, const ActiveJobs& active);
  void share_cores_and_place(Slot slot, const ActiveJobs& active);
  void place(const ActiveJobs& active);
  void serve_whole(Slot slot, const ActiveJobs& active);
  void admit(Slot slot, ActiveJobs& active, bool keep_refused);
  [[nodiscard]] SwitchingRows switching_rows(const ActiveJobs& active) const;

  SlotRules rules_;
  bool only_gains_;     // strict: rows with keys of 0 and more get nothing
  bool places_itself_;  // a solver that decides cores and machines at once
  Amount total_ = 0;    // cores of all machines
  SlotOrder order_;
  SlotRates rates_;
  SlotPacking packing_;
  std::optional<SwitchingSlot> switching_;
  std::optional<MemoryStep> memory_;
  std::optional<FairSharing> fair_;
  std::optional<WholeService> whole_;

  bool everybody_served_ = false;    // each row has its limit, memory aside
  std::vector<Amount> limit_;        // strict: 0 where the key is not negative
  std::vector<Amount> planned_;      // cores by row before the memory step
  std::size_t cut_ = kNoRow;
  std::vector<std::uint8_t> first_;  // 1: the row's first slot
  std::vector<Amount> cores_;        // by row, of the slot decided last
  std::vector<CorePiece> placed_;    // planned_ on machines
  std::vector<CorePiece> next_placed_;
  // placed_ is the packing of packed_cores_ with the cut job packed_cut_, if packing_holds_.
  std::vector<Amount> packed_cores_;
  std::uint32_t packed_cut_ = kNewRow;
  bool packing_holds_ = false;

  std::vector<std::uint32_t> server_;  // by row, of whole jobs: where it ran in the slot decided last

  std::vector<double> profit_;
  std::vector<CorePiece> admitted_;
  std::vector<CorePiece> admitted_before_;  // in the slot before; kept if sticky
  std::vector<CorePiece> refused_;
  std::uint64_t n_refused_ = 0;
};

}  // namespace schedcore
