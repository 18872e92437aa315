// One core at a time to the cheapest pair of row and machine; see `switching_slot.hpp`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "switching_machine_level.hpp"

namespace schedcore {

class SwitchingGreedy final : public SwitchingMachineLevel {
 public:
  using SwitchingMachineLevel::SwitchingMachineLevel;
  void place(const SwitchingRows& rows, std::span<const CorePiece> previous, std::vector<CorePiece>& pieces) override;

 private:
  // A machine on which the row ran in the slot before, or has cores now.
  struct Touched {
    double marginal;  // of one more core there
    std::uint32_t machine;
    Amount cores;
    Amount previous;
    friend bool operator<(const Touched& a, const Touched& b) {
      return a.marginal < b.marginal || (a.marginal == b.marginal && a.machine < b.machine);
    }
  };
  struct Row {
    double base;    // c / d
    double square;  // d * d
    double alpha;   // 0 in the first slot
    Amount left;    // cores up to the limit
    std::uint32_t untouched;   // no untouched machine with room comes before this one
    std::size_t previous;      // the row's first piece of the slot before that is not before `untouched`
    std::size_t previous_end;
    std::vector<Touched> touched;  // a heap by (marginal, machine); full machines leave it when they come up

    [[nodiscard]] double marginal(Amount core, Amount previous_cores) const {
      return base + alpha * static_cast<double>(2 * (core - previous_cores) - 1) / square;
    }
  };
  struct Next {
    double marginal;
    std::uint32_t row;
    friend bool operator<(const Next& a, const Next& b) {
      return a.marginal < b.marginal || (a.marginal == b.marginal && a.row < b.row);
    }
  };

  void list_rows(const SwitchingRows& rows, std::span<const CorePiece> previous);
  [[nodiscard]] std::uint32_t first_with_room(std::uint32_t machine);
  [[nodiscard]] bool find_next(std::uint32_t index, std::span<const CorePiece> previous, std::vector<CorePiece>& pieces,
                               double& marginal);
  void give_core(Row& row);

  std::vector<Row> rows_;  // entries beyond the rows of this slot keep their memory
  std::vector<Next> heap_;  // a row's marginal here is at most that of its next core
  std::vector<Amount> room_;
  std::vector<std::uint32_t> skip_;  // machine with room: itself; full: a later one, none between has room
};

}  // namespace schedcore
