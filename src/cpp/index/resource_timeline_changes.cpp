// ResourceTimeline: how reserving and releasing change the function.
#include <algorithm>
#include <cassert>

#include "schedcore/index/resource_timeline.hpp"
#include "schedcore/index/rows.hpp"

namespace schedcore {

void ResourceTimeline::release(Time start, Time end, std::span<const Amount> demand) {
  assert(demand.size() == n_resources_);
  change(start, end, demand.data());
}

void ResourceTimeline::reserve(Time start, Time end, std::span<const Amount> demand) {
  assert(demand.size() == n_resources_);
  ScratchRow<std::size_t> by(n_resources_);
  for (std::size_t l = 0; l < n_resources_; ++l) by.data()[l] = -demand[l];
  change(start, end, by.data());
}

void ResourceTimeline::change(Time start, Time end, const Amount* by) {
  assert(start >= origin_ && start < end);
  split_at(start);
  if (end < kNever) split_at(end);
  with_width(n_resources_, [&](auto width) { add(levels_.size() - 1, root_, kNever, start, end, by, width); });
  if (end < kNever) merge_at(end);
  merge_at(start);
}

// Adds to the entries of `node`, which ends at `upper`, that lie in [start, end); both are breakpoints.
template <class Width>
void ResourceTimeline::add(std::size_t level, Node node, Time upper, Time start, Time end, const Amount* by,
                           Width width) {
  Level& here = levels_[level];
  const std::size_t up_to_start = keys_up_to(here, node, start);
  const std::size_t last = keys_before(here, node, end);
  for (std::size_t i = up_to_start > 0 ? up_to_start - 1 : 0; i < last; ++i) {
    const std::size_t entry = node * kFanOut + i;
    const Time next = i + 1 < here.size[node] ? here.key[entry + 1] : upper;
    Amount* low = here.low.data() + entry * width;
    if (level == 0) {
      add_row(low, by, width);
    } else if (here.key[entry] >= start && next <= end) {
      add_row(low, by, width);
      add_row(here.shift.data() + entry * width, by, width);
    } else {
      add(level - 1, here.child[entry], next, start, end, by, width);
      const Level& below = levels_[level - 1];
      const Node node_below = here.child[entry];
      minima_of_rows(low, below.low.data() + node_below * kFanOut * width, below.size[node_below], width);
      add_row(low, here.shift.data() + entry * width, width);
    }
  }
}

// Makes t a breakpoint.
void ResourceTimeline::split_at(Time t) {
  Path path;
  seek(t, path);
  if (levels_[0].key[path[0].entry()] == t) return;
  open_gap(0, path);
  Level& leaves = levels_[0];
  const std::size_t entry = path[0].entry();
  copy_entries(0, entry, entry + 1, 1);
  leaves.key[entry + 1] = t;
  ++n_breakpoints_;
}

// Removes the breakpoint t if nothing changes there.
void ResourceTimeline::merge_at(Time t) {
  if (t == origin_) return;
  Path path;
  seek(t, path);
  if (!equals_predecessor(path)) return;
  erase(0, path);
  --n_breakpoints_;
}

bool ResourceTimeline::equals_predecessor(const Path& path) const {
  const Amount* low = levels_[0].low.data();
  const Amount* row = low + path[0].entry() * n_resources_;
  if (path[0].position > 0) return equal_rows(row, row - n_resources_, n_resources_);
  // Up to the node that has both, then down its previous entry's last nodes.
  ScratchRow<std::size_t> difference(n_resources_);
  copy_row(difference.data(), row, n_resources_);
  std::size_t level = 0;
  do {
    ++level;
    add_row(difference.data(), levels_[level].shift.data() + path[level].entry() * n_resources_, n_resources_);
  } while (path[level].position == 0);
  Step step{path[level].node, path[level].position - 1};
  for (; level > 0; --level) {
    subtract_row(difference.data(), levels_[level].shift.data() + step.entry() * n_resources_, n_resources_);
    step.node = child(level, step);
    step.position = levels_[level - 1].size[step.node] - 1;
  }
  return equal_rows(difference.data(), low + step.entry() * n_resources_, n_resources_);
}

void ResourceTimeline::forget_before(Time t) {
  if (t <= origin_) return;
  Path path;
  seek(t, path);
  for (std::size_t level = levels_.size(); level-- > 0;) {
    Level& here = levels_[level];
    const Step step = path[level];
    const std::size_t first = step.node * kFanOut;
    if (level == 0) n_breakpoints_ -= step.position;
    for (std::size_t i = 0; level > 0 && i < step.position; ++i) drop_subtree(level - 1, here.child[first + i]);
    const std::uint32_t kept = here.size[step.node] - step.position;
    copy_entries(level, first + step.position, first, kept);
    std::fill_n(here.key.begin() + static_cast<std::ptrdiff_t>(first + kept), step.position, kNever);
    here.size[step.node] = kept;
    here.key[first] = t;
  }
  // What was dropped may have held the minima of the nodes that keep a part.
  for (std::size_t level = 1; level < levels_.size(); ++level) refresh_minima(level, path[level].node * kFanOut);
  origin_ = t;
  shrink_root();
}

}  // namespace schedcore
