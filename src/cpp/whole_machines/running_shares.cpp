#include "schedcore/whole_machines/running_shares.hpp"

#include <algorithm>
#include <numeric>

namespace schedcore {

RunningShares::RunningShares(std::size_t n_machines, const CycleRuns& runs) : processors_(n_machines), memory_(n_machines) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t run) { return runs.end[run]; });
  for (std::size_t place = 0; place < runs.machine.size(); ++place) {
    const HeldShare share{static_cast<std::uint32_t>(runs.machine[place]), runs.processors[place], runs.memory[place]};
    processors_[share.machine] += share.processors;
    memory_[share.machine] += share.memory;
    shares_.push_back(share);
  }
  for (const std::size_t run : order) {
    runs_.push_back({runs.end[run], runs.likely_end[run], static_cast<std::size_t>(runs.offset[run]),
                     static_cast<std::size_t>(runs.offset[run + 1])});
  }
}

void RunningShares::start(Seconds end, std::span<const HeldShare> shares) {
  const Run run{end, end, shares_.size(), shares_.size() + shares.size()};
  for (const HeldShare& share : shares) {
    processors_[share.machine] += share.processors;
    memory_[share.machine] += share.memory;
    shares_.push_back(share);
  }
  runs_.insert(std::ranges::upper_bound(runs_, end, {}, &Run::end), run);
}

Release::Release(const RunningShares& running, const MachineSet& machines, Seconds growth)
    : running_(running),
      machines_(machines),
      growth_(growth),
      processors_(running.processors_),
      memory_(running.memory_) {}

bool Release::touches(const RunningShares::Run& run) const {
  for (std::size_t share = run.first; share < run.last; ++share) {
    if (machines_.contains(running_.shares_[share].machine)) return true;
  }
  return false;
}

void Release::widen(Seconds end) {
  do {
    if (growth_ == 0) {
      width_ *= 2;
    } else {
      const Seconds short_of = std::max<Seconds>(end - (*base_ + width_), 1);
      width_ += (short_of + growth_ - 1) / growth_ * growth_;
    }
  } while (end > *base_ + width_);
}

std::optional<Release::Last> Release::next_group() {
  std::optional<Last> last;
  while (next_ < running_.runs_.size()) {
    const RunningShares::Run& run = running_.runs_[next_++];
    if (!touches(run)) continue;
    for (std::size_t place = run.first; place < run.last; ++place) {
      const HeldShare& share = running_.shares_[place];
      processors_[share.machine] -= share.processors;
      memory_[share.machine] -= share.memory;
    }
    last = Last{run.end, run.likely_end};
    if (!base_) base_ = (run.end / kFirstWidth + 1) * kFirstWidth;
    // What follows says whether the group is complete, also if it does not touch the machines.
    if (next_ < running_.runs_.size() && running_.runs_[next_].end > *base_ + width_) {
      widen(running_.runs_[next_].end);
      break;
    }
  }
  return last;
}

}  // namespace schedcore
