// What the solvers of a switching cost on the rates per machine share; see `switching_slot.hpp`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/preemptive/switching_slot.hpp"

namespace schedcore {

// Heap order: the smallest cost on top, ties by machine or by row.
inline constexpr auto kLater = [](const auto& a, const auto& b) { return b < a; };

class SwitchingMachineLevel {
 public:
  SwitchingMachineLevel(std::span<const Amount> capacity, double alpha, bool work_conserving, Monitor* monitor)
      : capacity_(capacity.begin(), capacity.end()),
        alpha_(alpha),
        work_conserving_(work_conserving),
        monitor_(monitor) {}
  SwitchingMachineLevel(const SwitchingMachineLevel&) = delete;
  SwitchingMachineLevel& operator=(const SwitchingMachineLevel&) = delete;
  virtual ~SwitchingMachineLevel() = default;

  virtual void place(const SwitchingRows& rows, std::span<const CorePiece> previous,
                     std::vector<CorePiece>& pieces) = 0;

 protected:
  // To be called for every step; the monitor hears of one in `steps_between_polls`, a power of two.
  void poll(std::uint32_t steps_between_polls) {
    if (monitor_ != nullptr && (++n_steps_ & (steps_between_polls - 1)) == 0) monitor_->poll(0, 0);
  }

  std::vector<Amount> capacity_;
  double alpha_;
  bool work_conserving_;

 private:
  Monitor* monitor_;
  std::uint32_t n_steps_ = 0;
};

}  // namespace schedcore
