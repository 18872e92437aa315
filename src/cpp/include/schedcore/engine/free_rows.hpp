// What is free on every machine that is not removed, by the numbers that callers use, nothing where a machine is down: rows
// that follow what happens, for policies of others.
//
// Costs nothing until somebody asks for them; from then on O(R) a job that ends or starts, and O(M R) an event with anything
// else.  The rows are shared with whoever shows them, and made anew where other machines are there.  A copy begins anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedcore/engine/policy.hpp"

namespace schedcore {

class CustomTurn;

class FreeRows {
 public:
  FreeRows() = default;
  FreeRows(const FreeRows& /*other*/) {}
  FreeRows& operator=(const FreeRows&) = delete;
  FreeRows(FreeRows&&) = delete;
  FreeRows& operator=(FreeRows&&) = delete;
  ~FreeRows() = default;

  // Row-major, in the order of `CustomTurn::machines`.
  [[nodiscard]] const std::shared_ptr<std::vector<Amount>>& rows(const CustomTurn& turn) {
    if (!rows_) make(turn);
    return rows_;
  }
  void take_up(const Event& event, const CustomTurn& turn);
  // A job has started, or ended.
  void follow(JobSlot job, const CustomTurn& turn);

 private:
  static constexpr std::size_t kNoRow = ~std::size_t{0};

  void make(const CustomTurn& turn);
  void set(std::size_t row, std::size_t machine, const CustomTurn& turn);

  std::vector<std::size_t> row_of_;  // by machine
  std::shared_ptr<std::vector<Amount>> rows_;
};

}  // namespace schedcore
