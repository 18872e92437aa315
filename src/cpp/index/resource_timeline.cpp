#include "schedcore/index/resource_timeline.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "schedcore/index/rows.hpp"

namespace schedcore {

std::size_t ResourceTimeline::keys_up_to(const Level& level, Node node, Time t) {
  const Time* key = level.key.data() + node * kFanOut;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kFanOut; ++i) count += static_cast<std::size_t>(key[i] <= t);
  return count;
}

std::size_t ResourceTimeline::keys_before(const Level& level, Node node, Time t) {
  const Time* key = level.key.data() + node * kFanOut;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kFanOut; ++i) count += static_cast<std::size_t>(key[i] < t);
  return count;
}

// The path to the stretch that contains t.
void ResourceTimeline::seek(Time t, Path& path) const {
  assert(t >= origin_ && t < kNever);
  Node node = root_;
  for (std::size_t level = levels_.size(); level-- > 0;) {
    path[level] = {node, static_cast<std::uint32_t>(keys_up_to(levels_[level], node, t) - 1)};
    if (level > 0) node = child(level, path[level]);
  }
}

void ResourceTimeline::free_at(Time t, std::span<Amount> out) const {
  assert(out.size() == n_resources_);
  with_width(n_resources_, [&](auto width) {
    Path path;
    seek(t, path);
    copy_row(out.data(), levels_[0].low.data() + path[0].entry() * width, width);
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      add_row(out.data(), levels_[level].shift.data() + path[level].entry() * width, width);
    }
  });
}

Time ResourceTimeline::room_for_good(std::span<const Amount> demand) const {
  assert(demand.size() == n_resources_);
  return with_width(n_resources_, [&](auto width) {
    ScratchRow<decltype(width)> wanted(width);
    copy_row(wanted.data(), demand.data(), width);
    Time after = kNever;  // where the stretch behind the last one without room begins
    Node node = root_;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      const Level& here = levels_[level];
      std::uint32_t end = here.size[node];
      while (end > 0 && fits(wanted.data(), here.low.data() + (node * kFanOut + end - 1) * width, width)) --end;
      if (end == 0) return origin_;  // at the root alone: further down something lacks room
      if (end < here.size[node]) after = here.key[node * kFanOut + end];
      if (level == 0) break;
      const std::size_t entry = node * kFanOut + end - 1;
      subtract_row(wanted.data(), here.shift.data() + entry * width, width);
      node = here.child[entry];
    }
    return after;
  });
}

bool ResourceTimeline::has_room_before(Time t, std::span<const Amount> demand) const {
  assert(t > origin_ && demand.size() == n_resources_);
  return with_width(n_resources_, [&](auto width) {
    ScratchRow<decltype(width)> wanted(width);
    copy_row(wanted.data(), demand.data(), width);
    Node node = root_;
    for (std::size_t level = levels_.size() - 1;; --level) {
      const Level& here = levels_[level];
      const std::size_t entry = node * kFanOut + keys_before(here, node, t) - 1;
      if (level == 0) return fits(wanted.data(), here.low.data() + entry * width, width);
      subtract_row(wanted.data(), here.shift.data() + entry * width, width);
      node = here.child[entry];
    }
  });
}

Time ResourceTimeline::next_change(Time after) const {
  Path path;
  seek(after, path);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (path[level].position + 1 < size(level, path[level])) return levels_[level].key[path[level].entry() + 1];
  }
  return kNever;
}

// What `take` makes of the rows in the range, one by one, in `out`.  Where `of_minima`, the minima of a subtree may stand for
// its rows.
template <bool of_minima, class Width, class Take>
void ResourceTimeline::fold(std::size_t level, Node node, Time start, Time end, Amount* shift, Amount* out, Width width,
                            const Take& take) const {
  const Level& here = levels_[level];
  const std::size_t up_to_start = keys_up_to(here, node, start);
  const std::size_t last = keys_before(here, node, end);
  for (std::size_t i = up_to_start > 0 ? up_to_start - 1 : 0; i < last; ++i) {
    const std::size_t entry = node * kFanOut + i;
    // A child that lies in the range except perhaps for its own first or last stretches is opened, others are not.
    const bool inside = of_minima && here.key[entry] >= start && i + 1 < last;
    if (level == 0 || inside) {
      const Amount* row = here.low.data() + entry * width;
      for (std::size_t l = 0; l < width; ++l) out[l] = take(out[l], row[l] + shift[l]);
    } else {
      const Amount* own = here.shift.data() + entry * width;
      add_row(shift, own, width);
      fold<of_minima>(level - 1, here.child[entry], start, end, shift, out, width, take);
      subtract_row(shift, own, width);
    }
  }
}

template <bool of_minima, class Take>
void ResourceTimeline::fold_range(Time start, Time end, std::span<Amount> out, Amount first, const Take& take) const {
  assert(start >= origin_ && start < end && out.size() == n_resources_);
  with_width(n_resources_, [&](auto width) {
    ScratchRow<decltype(width)> shift(width);
    for (std::size_t l = 0; l < width; ++l) {
      shift.data()[l] = 0;
      out[l] = first;
    }
    fold<of_minima>(levels_.size() - 1, root_, start, end, shift.data(), out.data(), width, take);
  });
}

void ResourceTimeline::range_min(Time start, Time end, std::span<Amount> out) const {
  fold_range<true>(start, end, out, std::numeric_limits<Amount>::max(), [](Amount a, Amount b) { return std::min(a, b); });
}

void ResourceTimeline::range_max(Time start, Time end, std::span<Amount> out) const {
  fold_range<false>(start, end, out, std::numeric_limits<Amount>::lowest(), [](Amount a, Amount b) { return std::max(a, b); });
}

// A position that moves along, with the demand as seen from the current node: less the shifts above it, so that
// entries are compared as they are stored.
template <class Width>
class ResourceTimeline::Cursor {
 public:
  Cursor(const ResourceTimeline& timeline, Time t, const Amount* demand, Width width)
      : levels_(timeline.levels_), width_(width), wanted_(width) {
    timeline.seek(t, path_);
    copy_row(wanted_.data(), demand, width_);
    for (std::size_t level = levels_.size() - 1; level > 0; --level) lower(level);
  }

  [[nodiscard]] Time key() const { return levels_[0].key[path_[0].entry()]; }
  // The free amounts here: what is stored and the shifts above it, which are what the demand was lowered by.
  void copy_free(const Amount* demand, Amount* out) {
    copy_row(out, levels_[0].low.data() + path_[0].entry() * width_, width_);
    add_row(out, demand, width_);
    subtract_row(out, wanted_.data(), width_);
  }
  [[nodiscard]] bool has_room() { return entry_has_room(0, path_[0].entry()); }

  // Moves to the first stretch from here on that lacks room; false if there is none that begins before `limit`.
  [[nodiscard]] bool to_shortage(Time limit) {
    for (std::size_t level = 0;;) {
      const std::uint32_t size = levels_[level].size[path_[level].node];
      std::uint32_t& position = path_[level].position;
      while (position < size && entry_has_room(level, path_[level].entry())) ++position;
      if (position < size) {
        if (levels_[level].key[path_[level].entry()] >= limit) return false;
        if (level == 0) return true;
        lower(level);
        --level;
        path_[level] = {levels_[level + 1].child[path_[level + 1].entry()], 0};
      } else {
        if (++level == levels_.size()) return false;
        raise(level);
        const bool is_last = ++path_[level].position == levels_[level].size[path_[level].node];
        if (!is_last && levels_[level].key[path_[level].entry()] >= limit) return false;
      }
    }
  }

  // Moves to the last stretch up to this one that lacks room; false if there is none.
  [[nodiscard]] bool back_to_shortage() {
    for (std::size_t level = 0;;) {
      std::uint32_t behind = path_[level].position + 1;
      while (behind > 0 && entry_has_room(level, path_[level].node * kFanOut + behind - 1)) --behind;
      if (behind > 0) {
        path_[level].position = behind - 1;
        if (level == 0) return true;
        lower(level);
        const Node below = levels_[level].child[path_[level].entry()];
        --level;
        path_[level] = {below, levels_[level].size[below] - 1};
      } else {
        do {
          if (++level == levels_.size()) return false;
          raise(level);
        } while (path_[level].position == 0);
        --path_[level].position;
      }
    }
  }
  // Where the stretch ends.
  [[nodiscard]] Time next_key() const {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const Step& step = path_[level];
      if (step.position + 1 < levels_[level].size[step.node]) return levels_[level].key[step.entry() + 1];
    }
    return kNever;
  }

  // Moves to the first stretch after this one that has room; false if there is none that begins before `until`.
  [[nodiscard]] bool to_room(Time until) {
    do {
      std::uint32_t& position = path_[0].position;
      if (++position == levels_[0].size[path_[0].node] && !next_leaf()) return false;
      if (key() >= until) return false;
    } while (!has_room());
    return true;
  }

 private:
  [[nodiscard]] bool entry_has_room(std::size_t level, std::size_t entry) {
    return fits(wanted_.data(), levels_[level].low.data() + entry * width_, width_);
  }
  void lower(std::size_t level) {
    subtract_row(wanted_.data(), levels_[level].shift.data() + path_[level].entry() * width_, width_);
  }
  void raise(std::size_t level) {
    add_row(wanted_.data(), levels_[level].shift.data() + path_[level].entry() * width_, width_);
  }
  [[nodiscard]] bool next_leaf() {
    std::size_t level = 1;
    for (;; ++level) {
      if (level == levels_.size()) return false;
      raise(level);
      if (++path_[level].position < levels_[level].size[path_[level].node]) break;
    }
    for (; level > 0; --level) {
      lower(level);
      path_[level - 1] = {levels_[level].child[path_[level].entry()], 0};
    }
    return true;
  }

  const std::vector<Level>& levels_;
  Width width_;
  ScratchRow<Width> wanted_;
  Path path_;
};

Time ResourceTimeline::first_shortage(Time from, std::span<const Amount> demand) const {
  assert(demand.size() == n_resources_);
  return with_width(n_resources_, [&](auto width) {
    Cursor<decltype(width)> cursor(*this, from, demand.data(), width);
    return cursor.to_shortage(kNever) ? std::max(from, cursor.key()) : kNever;
  });
}

Time ResourceTimeline::shortage_before(Time from, Time until, std::span<const Amount> demand,
                                       std::span<Amount> available) const {
  assert(demand.size() == n_resources_ && available.size() == n_resources_);
  return with_width(n_resources_, [&](auto width) {
    Cursor<decltype(width)> cursor(*this, from, demand.data(), width);
    if (cursor.has_room() && !cursor.to_shortage(until)) return kNever;
    cursor.copy_free(demand.data(), available.data());
    return std::max(from, cursor.key());
  });
}

Time ResourceTimeline::room_since(Time t, std::span<const Amount> demand) const {
  assert(t > origin_ && demand.size() == n_resources_);
  return with_width(n_resources_, [&](auto width) {
    Cursor<decltype(width)> cursor(*this, std::nextafter(t, -kNever), demand.data(), width);
    return cursor.back_to_shortage() ? std::min(t, cursor.next_key()) : origin_;
  });
}

ResourceTimeline::Gap ResourceTimeline::first_gap(Time from, Time to, std::span<const Amount> demand) const {
  assert(from < to && demand.size() == n_resources_);
  return with_width(n_resources_, [&](auto width) -> Gap {
    Cursor<decltype(width)> cursor(*this, from, demand.data(), width);
    Gap gap;
    if (cursor.has_room()) {
      auto back = cursor;
      gap.begin = back.back_to_shortage() ? back.next_key() : origin_;
    } else {
      if (!cursor.to_room(to)) return {};
      gap.begin = cursor.key();
    }
    gap.end = cursor.to_shortage(kNever) ? cursor.key() : kNever;
    return gap;
  });
}

Time ResourceTimeline::earliest_fit(Time not_before, Time duration, std::span<const Amount> demand, Time until) const {
  assert(duration >= 0 && demand.size() == n_resources_);
  if (not_before >= until) return kNever;
  return with_width(n_resources_, [&](auto width) {
    Cursor<decltype(width)> cursor(*this, not_before, demand.data(), width);
    Time start = not_before;
    while (!cursor.has_room() || cursor.to_shortage(start + duration)) {
      if (!cursor.to_room(until)) return kNever;
      start = cursor.key();
    }
    return start;
  });
}

}  // namespace schedcore
