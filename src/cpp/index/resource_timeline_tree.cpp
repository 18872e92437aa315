// ResourceTimeline: the B+-tree under the function.  Nodes split when they are full and join with a neighbour when both
// together leave a quarter free, so that all but the nodes on the left edge (which forget_before empties) stay filled.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "schedcore/index/resource_timeline.hpp"
#include "schedcore/index/rows.hpp"

namespace schedcore {

ResourceTimeline::ResourceTimeline(std::span<const Amount> capacity, Time origin)
    : n_resources_(capacity.size()), n_breakpoints_(1), origin_(origin), levels_(1) {
  assert(std::isfinite(origin));
  root_ = new_node(0);
  levels_[0].size[root_] = 1;
  levels_[0].key[0] = origin;
  copy_row(levels_[0].low.data(), capacity.data(), n_resources_);
}

ResourceTimeline::Node ResourceTimeline::new_node(std::size_t level) {
  Level& here = levels_[level];
  if (!here.unused.empty()) {
    const Node node = here.unused.back();
    here.unused.pop_back();
    return node;
  }
  const std::size_t n_nodes = here.size.size() + 1;
  here.size.push_back(0);
  here.key.resize(n_nodes * kFanOut, kNever);
  here.low.resize(n_nodes * kFanOut * n_resources_);
  if (level > 0) {
    here.child.resize(n_nodes * kFanOut);
    here.shift.resize(n_nodes * kFanOut * n_resources_);
  }
  return static_cast<Node>(n_nodes - 1);
}

// Copies entries within a level, also between overlapping places.
void ResourceTimeline::copy_entries(std::size_t level, std::size_t from, std::size_t to, std::size_t count) {
  Level& here = levels_[level];
  const auto move = [from, to, count](auto& column, std::size_t width) {
    const auto begin = column.begin();
    const auto at = [&](std::size_t entry) { return begin + static_cast<std::ptrdiff_t>(entry * width); };
    if (to <= from) {
      std::copy(at(from), at(from + count), at(to));
    } else {
      std::copy_backward(at(from), at(from + count), at(to + count));
    }
  };
  move(here.key, 1);
  move(here.low, n_resources_);
  if (level == 0) return;
  move(here.child, 1);
  move(here.shift, n_resources_);
}

// The minima of an entry above level 0, from the entries of its child.
void ResourceTimeline::refresh_minima(std::size_t level, std::size_t entry) {
  with_width(n_resources_, [&](auto width) {
    Level& here = levels_[level];
    const Level& below = levels_[level - 1];
    const Node node = here.child[entry];
    Amount* low = here.low.data() + entry * width;
    minima_of_rows(low, below.low.data() + node * kFanOut * width, below.size[node], width);
    add_row(low, here.shift.data() + entry * width, width);
  });
}

// Makes room for one entry after path[level], whose node may be split; the path follows.
void ResourceTimeline::open_gap(std::size_t level, Path& path) {
  if (size(level, path[level]) == kFanOut) split_node(level, path);
  const Step step = path[level];
  const std::size_t gap = step.entry() + 1;
  copy_entries(level, gap, gap + 1, levels_[level].size[step.node] - step.position - 1);
  ++levels_[level].size[step.node];
}

// Moves the upper half of path[level].node to a new node after it.
void ResourceTimeline::split_node(std::size_t level, Path& path) {
  constexpr std::size_t kHalf = kFanOut / 2;
  if (level + 1 == levels_.size()) {
    add_root_level();
    path[level + 1] = {root_, 0};
  }
  open_gap(level + 1, path);
  const Node left = path[level].node;
  const Node right = new_node(level);
  copy_entries(level, left * kFanOut + kHalf, right * kFanOut, kFanOut - kHalf);
  Level& here = levels_[level];
  std::fill_n(here.key.begin() + static_cast<std::ptrdiff_t>(left * kFanOut + kHalf), kFanOut - kHalf, kNever);
  here.size[left] = kHalf;
  here.size[right] = kFanOut - kHalf;

  Level& above = levels_[level + 1];
  const std::size_t entry = path[level + 1].entry();
  copy_entries(level + 1, entry, entry + 1, 1);
  above.key[entry + 1] = here.key[right * kFanOut];
  above.child[entry + 1] = right;
  refresh_minima(level + 1, entry);
  refresh_minima(level + 1, entry + 1);
  if (path[level].position >= kHalf) {
    path[level] = {right, path[level].position - static_cast<std::uint32_t>(kHalf)};
    ++path[level + 1].position;
  }
}

// A new root with the old one as its only entry.
void ResourceTimeline::add_root_level() {
  const std::size_t level = levels_.size();
  assert(level < kMaxLevels);
  levels_.emplace_back();
  const Node below = root_;
  root_ = new_node(level);
  Level& here = levels_[level];
  const std::size_t entry = root_ * kFanOut;
  here.size[root_] = 1;
  here.key[entry] = origin_;
  here.child[entry] = below;
  refresh_minima(level, entry);
}

void ResourceTimeline::erase_entry(std::size_t level, Step step) {
  Level& here = levels_[level];
  const std::uint32_t size = here.size[step.node]--;
  copy_entries(level, step.entry() + 1, step.entry(), size - step.position - 1);
  here.key[step.node * kFanOut + size - 1] = kNever;
}

// Removes the entry path[level] and what becomes empty or too empty by it.
void ResourceTimeline::erase(std::size_t level, Path& path) {
  erase_entry(level, path[level]);
  if (level + 1 == levels_.size()) return shrink_root();
  const Node node = path[level].node;
  const std::uint32_t left = levels_[level].size[node];
  if (left == 0) {
    free_node(level, node);
    return erase(level + 1, path);
  }
  const Time first = levels_[level].key[node * kFanOut];
  bool opens = true;  // whether all that lies below `above` on the path comes first in its node
  for (std::size_t above = level + 1; above < levels_.size(); ++above) {
    opens = opens && path[above - 1].position == 0;
    if (opens) levels_[above].key[path[above].entry()] = first;
    refresh_minima(above, path[above].entry());
  }
  if (left > kFanOut / 4) return;
  const Step parent = path[level + 1];
  const auto fits_with_next = [&](std::uint32_t position) {
    if (position + 1 >= size(level + 1, parent)) return false;
    const std::size_t entry = Step{parent.node, position}.entry();
    const auto& child_of = levels_[level + 1].child;
    return levels_[level].size[child_of[entry]] + levels_[level].size[child_of[entry + 1]] <= kFanOut - kFanOut / 4;
  };
  if (fits_with_next(parent.position)) {
    join_with_next(level, parent);
    ++path[level + 1].position;
    erase(level + 1, path);
  } else if (parent.position > 0 && fits_with_next(parent.position - 1)) {
    join_with_next(level, {parent.node, parent.position - 1});
    erase(level + 1, path);
  }
}

// Moves the entries of the child after parent.position to the child at it, in whose frame they are then expressed.
void ResourceTimeline::join_with_next(std::size_t level, Step parent) {
  Level& here = levels_[level];
  Level& above = levels_[level + 1];
  const std::size_t entry = parent.entry();
  const Node left = above.child[entry];
  const Node right = above.child[entry + 1];
  const std::size_t first = left * kFanOut + here.size[left];
  copy_entries(level, right * kFanOut, first, here.size[right]);
  ScratchRow<std::size_t> difference(n_resources_);
  copy_row(difference.data(), above.shift.data() + (entry + 1) * n_resources_, n_resources_);
  subtract_row(difference.data(), above.shift.data() + entry * n_resources_, n_resources_);
  shift_entries(level, first, here.size[right], difference.data());
  here.size[left] += here.size[right];
  free_node(level, right);
  refresh_minima(level + 1, entry);
}

void ResourceTimeline::shift_entries(std::size_t level, std::size_t first, std::size_t count, const Amount* by) {
  Level& here = levels_[level];
  for (std::size_t entry = first; entry < first + count; ++entry) {
    add_row(here.low.data() + entry * n_resources_, by, n_resources_);
    if (level > 0) add_row(here.shift.data() + entry * n_resources_, by, n_resources_);
  }
}

// A root with one entry gives way to its child.
void ResourceTimeline::shrink_root() {
  while (levels_.size() > 1 && levels_.back().size[root_] == 1) {
    const std::size_t level = levels_.size() - 1;
    const std::size_t entry = root_ * kFanOut;
    const Node below = levels_[level].child[entry];
    shift_entries(level - 1, below * kFanOut, levels_[level - 1].size[below],
                  levels_[level].shift.data() + entry * n_resources_);
    root_ = below;
    levels_.pop_back();
  }
}

void ResourceTimeline::free_node(std::size_t level, Node node) {
  Level& here = levels_[level];
  std::fill_n(here.key.begin() + static_cast<std::ptrdiff_t>(node * kFanOut), kFanOut, kNever);
  here.size[node] = 0;
  here.unused.push_back(node);
}

void ResourceTimeline::drop_subtree(std::size_t level, Node node) {
  if (level == 0) n_breakpoints_ -= levels_[0].size[node];
  for (std::size_t i = 0; level > 0 && i < levels_[level].size[node]; ++i) {
    drop_subtree(level - 1, levels_[level].child[node * kFanOut + i]);
  }
  free_node(level, node);
}

}  // namespace schedcore
