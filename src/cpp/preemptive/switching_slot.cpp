#include "schedcore/preemptive/switching_slot.hpp"

#include <cassert>
#include <numeric>

#include "switching_flow.hpp"
#include "switching_greedy.hpp"
#include "switching_job_level.hpp"

namespace schedcore {

SwitchingSlot::SwitchingSlot(std::span<const Amount> capacity, double alpha, SwitchingSolver solver,
                             bool work_conserving, Monitor* monitor)
    : solver_(solver) {
  switch (solver) {
    case SwitchingSolver::joblevel: {
      const Amount total = std::accumulate(capacity.begin(), capacity.end(), Amount{0});
      job_level_ = std::make_unique<SwitchingJobLevel>(total, alpha, work_conserving);
      break;
    }
    case SwitchingSolver::greedy:
      machine_level_ = std::make_unique<SwitchingGreedy>(capacity, alpha, work_conserving, monitor);
      break;
    case SwitchingSolver::flow:
      machine_level_ = std::make_unique<SwitchingFlow>(capacity, alpha, work_conserving, monitor);
      break;
  }
}

SwitchingSlot::SwitchingSlot(SwitchingSlot&&) noexcept = default;
SwitchingSlot& SwitchingSlot::operator=(SwitchingSlot&&) noexcept = default;
SwitchingSlot::~SwitchingSlot() = default;

std::size_t SwitchingSlot::rates(const SwitchingRows& rows, std::span<const Amount> previous_total,
                                 std::span<const double> omega, std::vector<Amount>& cores) {
  assert(job_level_ != nullptr);
  return job_level_->rates(rows, previous_total, omega, cores);
}

void SwitchingSlot::place(const SwitchingRows& rows, std::span<const CorePiece> previous,
                          std::vector<CorePiece>& pieces) {
  assert(machine_level_ != nullptr);
  machine_level_->place(rows, previous, pieces);
}

}  // namespace schedcore
