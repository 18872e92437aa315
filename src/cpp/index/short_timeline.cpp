#include "schedcore/index/short_timeline.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "schedcore/index/rows.hpp"

namespace schedcore {

std::size_t ShortTimeline::at(Time t) const {
  return static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), t) - time_.begin()) - 1;
}

// Without a branch, as few of them would be foreseen.
std::size_t ShortTimeline::last_before(Time t) const {
  const Time* last = time_.data();
  for (std::size_t n = time_.size(); n > 1;) {
    const std::size_t half = n / 2;
    last += last[half] < t ? half : 0;
    n -= half;
  }
  return static_cast<std::size_t>(last - time_.data());
}

std::size_t ShortTimeline::cut(Time t) {
  const auto found = std::lower_bound(time_.begin(), time_.end(), t);
  const auto stretch = static_cast<std::size_t>(found - time_.begin());
  if (found != time_.end() && *found == t) return stretch;
  const std::size_t width = n_resources();
  time_.insert(found, t);
  rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(stretch * width), width, 0);
  std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>((stretch - 1) * width), width,
              rows_.begin() + static_cast<std::ptrdiff_t>(stretch * width));
  return stretch;
}

void ShortTimeline::merge_with_previous(std::size_t stretch) {
  if (stretch == 0 || stretch >= time_.size()) return;
  const std::size_t width = n_resources();
  if (!equal_rows(row(stretch), row(stretch - 1), width)) return;
  const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(stretch * width);
  rows_.erase(first, first + static_cast<std::ptrdiff_t>(width));
  time_.erase(time_.begin() + static_cast<std::ptrdiff_t>(stretch));
}

template <int kSign>
void ShortTimeline::change(Time start, Time end, std::span<const Amount> amounts) {
  start = std::max(start, time_.front());
  if (start >= end) return;
  const std::size_t first = cut(start);
  const std::size_t last = end < kNever ? cut(end) : time_.size();
  const std::size_t width = amounts.size();
  for (std::size_t stretch = first; stretch < last; ++stretch) {
    Amount* here = rows_.data() + stretch * width;
    for (std::size_t k = 0; k < width; ++k) here[k] += kSign * amounts[k];
  }
  merge_with_previous(last);
  merge_with_previous(first);
}

template void ShortTimeline::change<1>(Time start, Time end, std::span<const Amount> amounts);
template void ShortTimeline::change<-1>(Time start, Time end, std::span<const Amount> amounts);

void ShortTimeline::forget_before(Time t) {
  if (t <= time_.front()) return;
  const std::size_t first = at(t);
  const std::size_t width = n_resources();
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(first * width));
  time_.erase(time_.begin(), time_.begin() + static_cast<std::ptrdiff_t>(first));
  time_.front() = t;
}

std::uint64_t ShortTimeline::hash() const {
  // A sum, so that no word waits for the one before it.
  std::uint64_t sum = time_.size();
  std::uint64_t salt = 0;
  const auto add = [&](std::uint64_t word) {
    salt += 0x9E3779B97F4A7C15ULL;
    word = (word ^ salt) * 0xBF58476D1CE4E5B9ULL;
    sum += word ^ (word >> 31);
  };
  for (std::size_t i = 1; i < time_.size(); ++i) add(std::bit_cast<std::uint64_t>(time_[i]));
  for (const Amount amount : rows_) add(static_cast<std::uint64_t>(amount));
  return sum ^ (sum >> 29);
}

bool ShortTimeline::is_negative_in(Time from, Time to) const {
  const std::size_t first = from > time_.front() ? at(from) : 0;
  const std::size_t end = to == kNever ? size() : to > time_.front() ? last_before(to) + 1 : 0;
  return first < end && std::any_of(row(first), row(end), [](Amount amount) { return amount < 0; });
}

void ShortTimeline::check_invariants() const {
  for (std::size_t stretch = 1; stretch < time_.size(); ++stretch) {
    if (!(time_[stretch - 1] < time_[stretch]) || equal_rows(row(stretch - 1), row(stretch), n_resources())) {
      throw std::logic_error("ShortTimeline: stretches");
    }
  }
}

}  // namespace schedcore
