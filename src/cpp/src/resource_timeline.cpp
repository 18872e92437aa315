#include "schedcore/resource_timeline.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "schedcore/fit.hpp"

namespace schedcore {

ResourceTimeline::ResourceTimeline(std::span<const Amount> capacity, Time origin)
    : n_resources_(capacity.size()), time_{origin}, free_(capacity.begin(), capacity.end()) {}

std::size_t ResourceTimeline::stretch_at(Time t) const {
  assert(t >= time_.front());
  return static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), t) - time_.begin()) - 1;
}

std::size_t ResourceTimeline::split_at(Time t) {
  if (t == kNever) return time_.size();
  const std::size_t stretch = stretch_at(t);
  if (time_[stretch] == t) return stretch;
  const auto row = static_cast<std::ptrdiff_t>(stretch * n_resources_);
  const std::vector<Amount> copy(free_.begin() + row, free_.begin() + row + static_cast<std::ptrdiff_t>(n_resources_));
  time_.insert(time_.begin() + static_cast<std::ptrdiff_t>(stretch) + 1, t);
  free_.insert(free_.begin() + row + static_cast<std::ptrdiff_t>(n_resources_), copy.begin(), copy.end());
  return stretch + 1;
}

void ResourceTimeline::merge_at(std::size_t stretch) {
  if (stretch == 0 || stretch >= time_.size()) return;
  const auto row = free_.begin() + static_cast<std::ptrdiff_t>(stretch * n_resources_);
  const auto width = static_cast<std::ptrdiff_t>(n_resources_);
  if (!std::equal(row, row + width, row - width)) return;
  free_.erase(row, row + width);
  time_.erase(time_.begin() + static_cast<std::ptrdiff_t>(stretch));
}

void ResourceTimeline::add(Time start, Time end, std::span<const Amount> demand, Amount sign) {
  assert(start < end && demand.size() == n_resources_);
  const std::size_t first = split_at(start);
  const std::size_t last = split_at(end);
  for (std::size_t i = first; i < last; ++i) {
    for (std::size_t l = 0; l < n_resources_; ++l) free_[i * n_resources_ + l] += sign * demand[l];
  }
  merge_at(last);
  merge_at(first);
}

void ResourceTimeline::free_at(Time t, std::span<Amount> out) const {
  std::copy_n(free_.data() + stretch_at(t) * n_resources_, n_resources_, out.data());
}

void ResourceTimeline::range_min(Time start, Time end, std::span<Amount> out) const {
  assert(start < end);
  free_at(start, out);
  for (std::size_t i = stretch_at(start) + 1; i < time_.size() && time_[i] < end; ++i) {
    for (std::size_t l = 0; l < n_resources_; ++l) out[l] = std::min(out[l], free_[i * n_resources_ + l]);
  }
}

Time ResourceTimeline::first_shortage(Time from, std::span<const Amount> demand) const {
  for (std::size_t i = stretch_at(from); i < time_.size(); ++i) {
    if (!fits(demand.data(), free_.data() + i * n_resources_, n_resources_)) return std::max(from, time_[i]);
  }
  return kNever;
}

Time ResourceTimeline::earliest_fit(Time not_before, Time duration, std::span<const Amount> demand) const {
  Time start = not_before;
  bool fitting = true;
  for (std::size_t i = stretch_at(not_before); i < time_.size(); ++i) {
    if (fitting && time_[i] > start && time_[i] >= start + duration) return start;
    const bool room = fits(demand.data(), free_.data() + i * n_resources_, n_resources_);
    if (room && !fitting) start = time_[i];
    fitting = room;
  }
  return fitting ? start : kNever;
}

void ResourceTimeline::forget_before(Time t) {
  if (t <= time_.front()) return;
  const auto stretch = static_cast<std::ptrdiff_t>(stretch_at(t));
  time_.erase(time_.begin(), time_.begin() + stretch);
  free_.erase(free_.begin(), free_.begin() + stretch * static_cast<std::ptrdiff_t>(n_resources_));
  time_.front() = t;
}

Time ResourceTimeline::next_change(Time after) const {
  const auto next = std::upper_bound(time_.begin(), time_.end(), after);
  return next == time_.end() ? kNever : *next;
}

void ResourceTimeline::check_invariants() const {
  if (time_.empty() || free_.size() != time_.size() * n_resources_) throw std::logic_error("ResourceTimeline: sizes");
  for (std::size_t i = 1; i < time_.size(); ++i) {
    if (!(time_[i - 1] < time_[i])) throw std::logic_error("ResourceTimeline: order");
    const Amount* row = free_.data() + i * n_resources_;
    if (std::equal(row, row + n_resources_, row - n_resources_)) throw std::logic_error("ResourceTimeline: unmerged");
  }
}

}  // namespace schedcore
