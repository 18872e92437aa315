#include "schedcore/preemptive/slotted_simulation.hpp"

#include <algorithm>
#include <limits>

#include "schedcore/preemptive/active_jobs.hpp"
#include "schedcore/preemptive/slot_calendar.hpp"

namespace schedcore {
namespace {

constexpr Slot kSlotsBetweenPolls = 4096;

class SlottedSimulation {
 public:
  SlottedSimulation(const SlotJobs& jobs, MachinesView machines, const SlotRules& rules, Slot max_slots,
                    bool keep_record, Monitor* monitor)
      : n_jobs_(jobs.n_jobs()),
        max_slots_(max_slots),
        keep_record_(keep_record),
        monitor_(monitor),
        arrivals_(jobs.release_time),
        active_(jobs),
        within_slot_(*this),
        decision_(jobs, machines, rules, &within_slot_) {
    outcome_.completion_time.assign(n_jobs_, std::numeric_limits<double>::infinity());
  }

  PreemptiveOutcome operator()() {
    for (Slot slot = 1; slot <= max_slots_;) {
      const auto arrived = arrivals_.take(slot);
      if (!arrived.empty()) {
        active_.add(arrived);
        decision_.added(active_);
      }
      if (active_.size() > 0) {
        slot = serve(slot);
      } else {
        if (arrivals_.next_release() == kNoSlot) break;
        slot = arrivals_.next_release() + 1;
      }
    }
    outcome_.pieces.finish();
    return std::move(outcome_);
  }

 private:
  // Polls of a slot that takes long, with how far the run is.
  class WithinSlot final : public Monitor {
   public:
    explicit WithinSlot(SlottedSimulation& simulation) : simulation_(simulation) {}
    void poll(std::uint64_t, std::uint64_t) override { simulation_.poll(); }

   private:
    SlottedSimulation& simulation_;
  };

  // Decides `slot` and all that follow alike; returns the next one to be decided.
  Slot serve(Slot slot) {
    require_exact(slot);
    decision_.decide(slot, active_, keep_record_);
    active_.work_of(decision_.cores(), work_);
    const Slot most = std::min({arrivals_.next_release(), max_slots_, kLastExactSlot}) - slot;
    const Slot n_slots = 1 + decision_.steady_slots(active_, work_, most);
    record_pieces(slot, n_slots);
    advance_multipliers(slot, n_slots);
    active_.advance(work_, n_slots, completed_);
    if (!completed_.empty()) {
      for (const std::uint32_t row : completed_)
        outcome_.completion_time[active_.jobs()[row]] = static_cast<double>(slot + n_slots - 1);
      n_completed_ += completed_.size();
      active_.remove(completed_);
      decision_.removed(active_);
    }
    poll();
    return slot + n_slots;
  }

  void record_pieces(Slot slot, Slot n_slots) {
    pieces_.clear();
    for (const CorePiece& piece : decision_.pieces())
      pieces_.push_back({active_.jobs()[piece.row], 0, piece.machine, piece.cores});
    outcome_.pieces.record(slot, pieces_);
    outcome_.pieces.extend(n_slots - 1);
    outcome_.n_refused += decision_.n_refused() * static_cast<std::uint64_t>(n_slots);
    if (!keep_record_ || decision_.refused().empty()) return;
    for (Slot s = slot; s < slot + n_slots; ++s) {
      poll();
      for (const CorePiece& piece : decision_.refused()) {
        outcome_.record.refused_slot.push_back(s);
        outcome_.record.refused_job.push_back(active_.jobs()[piece.row]);
        outcome_.record.refused_machine.push_back(piece.machine);
      }
    }
  }

  void advance_multipliers(Slot slot, Slot n_slots) {
    if (decision_.multipliers().empty()) return;
    const Slot chunk = keep_record_ ? 1 : kSlotsBetweenPolls;
    for (Slot done = 0; done < n_slots; done += chunk) {
      if (keep_record_) record_multipliers(slot + done);
      const bool settled = decision_.advance(slot + done, std::min(chunk, n_slots - done), work_);
      if (settled && !keep_record_) return;
      poll();
    }
  }

  void record_multipliers(Slot slot) {
    const auto multipliers = decision_.multipliers();
    for (std::size_t row = 0; row < multipliers.size(); ++row) {
      outcome_.record.multiplier_slot.push_back(slot);
      outcome_.record.multiplier_job.push_back(active_.jobs()[row]);
      outcome_.record.multiplier.push_back(multipliers[row]);
    }
  }

  void poll() {
    if (monitor_ != nullptr) monitor_->poll(n_completed_, n_jobs_);
  }

  std::size_t n_jobs_;
  Slot max_slots_;
  bool keep_record_;
  Monitor* monitor_;
  SlotArrivals arrivals_;
  ActiveJobs active_;
  WithinSlot within_slot_;
  SlotDecision decision_;
  std::uint64_t n_completed_ = 0;
  std::vector<Amount> work_;
  std::vector<std::uint32_t> completed_;
  std::vector<SlotPiece> pieces_;
  PreemptiveOutcome outcome_;
};

}  // namespace

PreemptiveOutcome run_slots(const SlotJobs& jobs, MachinesView machines, const SlotRules& rules, Slot max_slots,
                            bool keep_record, Monitor* monitor) {
  return SlottedSimulation(jobs, machines, rules, max_slots, keep_record, monitor)();
}

}  // namespace schedcore
