// What the solvers of a switching cost on the rates per machine share; see `schedcore/switching_slot.hpp`.
#pragma once

#include <span>
#include <vector>

#include "schedcore/switching_slot.hpp"

namespace schedcore {

class SwitchingMachineLevel {
 public:
  SwitchingMachineLevel(std::span<const Amount> capacity, double alpha, bool work_conserving)
      : capacity_(capacity.begin(), capacity.end()), alpha_(alpha), work_conserving_(work_conserving) {}
  SwitchingMachineLevel(const SwitchingMachineLevel&) = delete;
  SwitchingMachineLevel& operator=(const SwitchingMachineLevel&) = delete;
  virtual ~SwitchingMachineLevel() = default;

  virtual void place(const SwitchingRows& rows, std::span<const CorePiece> previous,
                     std::vector<CorePiece>& pieces) = 0;

 protected:
  std::vector<Amount> capacity_;
  double alpha_;
  bool work_conserving_;
};

}  // namespace schedcore
