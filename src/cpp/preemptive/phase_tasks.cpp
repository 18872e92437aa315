#include "schedcore/preemptive/phase_tasks.hpp"

#include <cassert>
#include <limits>

namespace schedcore {

PhaseTasks::PhaseTasks(std::uint32_t n_tasks, Amount cores, Slot time)
    : n_tasks_(n_tasks), cores_(cores), time_(time), remaining_(static_cast<Amount>(n_tasks) * cores * time) {}

Amount PhaseTasks::largest_remaining() const { return done() ? 0 : remaining_of(n_tasks_ - 1); }

PhaseTasks::Share PhaseTasks::spread(Amount amount, std::vector<TaskCores>& shares) const {
  assert(amount >= 0 && amount <= limit());
  Share share{false, std::numeric_limits<Slot>::max()};
  for (std::size_t task = first_; amount > 0; ++task) {
    const Amount remaining = remaining_of(task);
    const Amount usable = std::min(cores_, remaining);
    const Amount given = std::min(usable, amount);
    Slot n_slots = 1;
    if (given == cores_) {
      n_slots = remaining / cores_;
    } else if (given < usable && remaining >= cores_) {
      n_slots = (remaining - cores_) / given + 1;  // as long as it could use all cores before the slot
    }
    shares.push_back({static_cast<std::uint32_t>(task), given});
    share.has_cut = given < usable;
    share.n_slots = std::min(share.n_slots, n_slots);
    amount -= given;
  }
  return share;
}

void PhaseTasks::work(const TaskCores* shares, std::size_t n_shares, Slot n_slots) {
  if (n_shares == 0) return;
  const std::size_t end = done_here_ + (shares[n_shares - 1].task + 1 - first_);
  if (end > begun_.size()) begun_.resize(end, full());
  std::size_t n_done = 0;
  for (std::size_t k = 0; k < n_shares; ++k) {
    assert(shares[k].task == first_ + k);
    Amount& remaining = begun_[done_here_ + k];
    const Amount work = shares[k].cores * n_slots;
    assert(work <= remaining);
    unusable_ -= unusable_of(remaining);
    remaining -= work;
    remaining_ -= work;
    if (remaining == 0) {
      ++n_done;
    } else {
      unusable_ += unusable_of(remaining);
    }
  }
  first_ += n_done;
  done_here_ += n_done;
  if (done_here_ * 2 > begun_.size()) {
    begun_.erase(begun_.begin(), begun_.begin() + static_cast<std::ptrdiff_t>(done_here_));
    done_here_ = 0;
  }
}

}  // namespace schedcore
