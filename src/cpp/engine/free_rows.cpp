#include "schedcore/engine/free_rows.hpp"

#include <algorithm>

#include "schedcore/engine/custom_policy.hpp"

namespace schedcore {

void FreeRows::take_up(const Event& event, const CustomTurn& turn) {
  if (!rows_) return;
  if (event.is_disturbed()) {
    make(turn);
    return;
  }
  for (const Completion& ended : event.completed) follow(ended.job, turn);
}

void FreeRows::follow(JobSlot job, const CustomTurn& turn) {
  if (!rows_) return;
  turn.turn().jobs().for_each_place(job, [&](std::uint32_t machine, Amount /*n_tasks*/) {
    if (row_of_[machine] != kNoRow) set(row_of_[machine], machine, turn);
  });
}

void FreeRows::make(const CustomTurn& turn) {
  const std::vector<std::uint32_t> machines = turn.machines();
  const std::size_t n_amounts = machines.size() * turn.turn().machines().n_resources();
  if (!rows_ || rows_->size() != n_amounts) rows_ = std::make_shared<std::vector<Amount>>(n_amounts);
  row_of_.assign(turn.turn().machines().n_machines(), kNoRow);
  for (std::size_t row = 0; row < machines.size(); ++row) {
    row_of_[machines[row]] = row;
    set(row, machines[row], turn);
  }
}

void FreeRows::set(std::size_t row, std::size_t machine, const CustomTurn& turn) {
  const bool is_blocked = turn.turn().availability().is_blocked(machine);
  const auto free = turn.turn().machines().free(machine);
  const auto to = rows_->begin() + static_cast<std::ptrdiff_t>(row * free.size());
  std::ranges::transform(free, to, [&](Amount amount) { return is_blocked ? 0 : std::max<Amount>(amount, 0); });
}

}  // namespace schedcore
