#include "switching_flow.hpp"

#include <algorithm>
#include <numeric>

namespace schedcore {
namespace {

constexpr std::uint32_t kSearchesBetweenPolls = 1u << 6;

}  // namespace

void SwitchingFlow::list_rows(const SwitchingRows& rows, std::span<const CorePiece> previous) {
  const std::size_t n_machines = capacity_.size();
  change_.assign(rows.size() * n_machines, 0);
  most_before_.assign(rows.size(), 0);
  for (const CorePiece& before : previous) {
    change_[before.row * n_machines + before.machine] = -before.cores;
    most_before_[before.row] = std::max(most_before_[before.row], before.cores);
  }
  scale_marginals(rows, most_before_, alpha_, n_machines, marginal_);
  left_.assign(rows.limit.begin(), rows.limit.end());
  heap_.clear();
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (left_[row] == 0) continue;
    const auto back_in_place = static_cast<Int128>(1 - 2 * most_before_[row]);
    heap_.push_back({marginal_[row].base + marginal_[row].weight * back_in_place, row});
  }
  std::ranges::make_heap(heap_, kLater);
}

void SwitchingFlow::place(const SwitchingRows& rows, std::span<const CorePiece> previous,
                          std::vector<CorePiece>& pieces) {
  const std::size_t n_machines = capacity_.size();
  list_rows(rows, previous);
  paths_.start(rows.size(), capacity_);
  const Marginals marginals{marginal_, change_, n_machines};
  Amount free = std::accumulate(capacity_.begin(), capacity_.end(), Amount{0});
  while (free > 0 && !heap_.empty() && (work_conserving_ || heap_.front().cost < 0)) {
    std::ranges::pop_heap(heap_, kLater);
    Next& next = heap_.back();
    next.cost = marginal_[next.row].base + paths_.search(next.row, marginals);
    poll(kSearchesBetweenPolls);
    const bool is_cheapest = heap_.size() == 1 || !(heap_.front() < next);
    if (is_cheapest && (work_conserving_ || next.cost < 0)) {
      paths_.augment(1, [&](std::size_t row, std::size_t machine, Amount cores) {
        change_[row * n_machines + machine] += cores;
      });
      --free;
      if (--left_[next.row] == 0) {
        heap_.pop_back();
        continue;
      }
    }
    std::ranges::push_heap(heap_, kLater);
  }
  paths_.write_pieces(pieces);
}

}  // namespace schedcore
