#include "schedcore/parallel_tasks/planned_usage.hpp"

#include <algorithm>
#include <cassert>

namespace schedcore {

void PlannedUsage::begin(Ticks now, std::vector<Running> running) {
  std::sort(running.begin(), running.end(), [](const Running& a, const Running& b) { return a.end < b.end; });
  now_ = now;
  time_.assign(1, now);
  for (const Running& task : running) {
    if (task.end != time_.back()) time_.push_back(task.end);
  }
  use_.assign(time_.size() * n_resources_, 0);
  std::size_t step = time_.size() - 1;  // tasks that end at time_[step + 1] run in it
  for (auto task = running.rbegin(); task != running.rend(); ++task) {
    while (time_[step] >= task->end) {
      --step;
      std::copy_n(&use_[(step + 1) * n_resources_], n_resources_, &use_[step * n_resources_]);
    }
    for (std::size_t r = 0; r < n_resources_; ++r) use_[step * n_resources_ + r] += task->demand[r];
  }
  peak_ = use_;  // it only falls
}

std::size_t PlannedUsage::step_at(Ticks time) const {
  return static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), time) - time_.begin()) - 1;
}

Ticks PlannedUsage::first_within(std::span<const Amount> limit) const {
  std::size_t low = 0, high = time_.size() - 1;  // the last step is within every limit
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    bool within = true;
    for (std::size_t r = 0; r < n_resources_; ++r) within &= peak_[middle * n_resources_ + r] <= limit[r];
    (within ? high : low) = within ? middle : middle + 1;
  }
  return std::max(now_, time_[low]);
}

void PlannedUsage::drop_before(Ticks now) {
  now_ = now;
  const auto n_past = static_cast<std::ptrdiff_t>(step_at(now));
  const auto n_entries = n_past * static_cast<std::ptrdiff_t>(n_resources_);
  time_.erase(time_.begin(), time_.begin() + n_past);
  use_.erase(use_.begin(), use_.begin() + n_entries);
  peak_.erase(peak_.begin(), peak_.begin() + n_entries);
}

void PlannedUsage::insert_step(std::size_t position, Ticks time, std::size_t like) {
  time_.insert(time_.begin() + static_cast<std::ptrdiff_t>(position), time);
  const auto entry = static_cast<std::ptrdiff_t>(position * n_resources_);
  use_.insert(use_.begin() + entry, n_resources_, 0);
  peak_.insert(peak_.begin() + entry, n_resources_, 0);
  // `like` comes before `position`, so its rows have not moved.
  std::copy_n(&use_[like * n_resources_], n_resources_, &use_[position * n_resources_]);
  std::copy_n(&peak_[like * n_resources_], n_resources_, &peak_[position * n_resources_]);
}

void PlannedUsage::renew_peaks(std::size_t from, std::size_t to) {
  for (std::size_t i = to; i-- > from;) {
    for (std::size_t r = 0; r < n_resources_; ++r) {
      const Amount later = i + 1 < time_.size() ? peak_[(i + 1) * n_resources_ + r] : 0;
      peak_[i * n_resources_ + r] = std::max(use_[i * n_resources_ + r], later);
    }
  }
}

void PlannedUsage::add(Ticks start, Ticks end, std::span<const Amount> demand) {
  drop_before(start);
  std::size_t last = step_at(end);  // steps before it are held; so is it, up to the end
  if (time_[last] != end) {
    insert_step(last + 1, end, last);
    ++last;
  }
  for (std::size_t i = 0; i < last; ++i) {
    for (std::size_t r = 0; r < n_resources_; ++r) use_[i * n_resources_ + r] += demand[r];
  }
  renew_peaks(0, last + 1);
}

void PlannedUsage::interrupt(Ticks start, Ticks duration, std::span<const Amount> demand) {
  drop_before(start);
  for (std::size_t i = 1; i < time_.size(); ++i) time_[i] += duration;
  insert_step(1, start + duration, 0);
  time_[0] = start;
  std::copy(demand.begin(), demand.end(), use_.begin());
  renew_peaks(0, 2);
}

void PlannedUsage::check_invariants() const {
  assert(!time_.empty() && time_.front() <= now_);
  assert(std::is_sorted(time_.begin(), time_.end()));
  assert(use_.size() == time_.size() * n_resources_ && peak_.size() == use_.size());
  for (std::size_t entry = 0; entry < use_.size(); ++entry) {
    [[maybe_unused]] const bool has_next = entry + n_resources_ < use_.size();
    assert(peak_[entry] == std::max(use_[entry], has_next ? peak_[entry + n_resources_] : 0));
    assert(has_next || use_[entry] == 0);
  }
}

}  // namespace schedcore
