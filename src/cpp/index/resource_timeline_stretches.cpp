// ResourceTimeline as a plain list of stretches: what snapshots hold, and the check of the tree against its definition.
#include <cmath>
#include <stdexcept>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/index/resource_timeline.hpp"
#include "schedcore/index/rows.hpp"

namespace schedcore {

ResourceTimeline::Stretches ResourceTimeline::stretches() const {
  Stretches all;
  all.time.reserve(n_breakpoints_);
  all.free.resize(n_breakpoints_ * n_resources_);
  for (Time t = origin_; t < kNever; t = next_change(t)) {
    const std::size_t row = all.time.size() * n_resources_;
    all.time.push_back(t);
    free_at(t, std::span(all.free).subspan(row, n_resources_));
  }
  return all;
}

ResourceTimeline ResourceTimeline::from_stretches(std::size_t n_resources, const Stretches& stretches) {
  const std::vector<Time>& time = stretches.time;
  const std::vector<Amount>& free = stretches.free;
  if (time.empty() || free.size() % time.size() != 0 || free.size() / time.size() != n_resources) {
    throw InvalidInstanceError("a timeline needs one row of " + std::to_string(n_resources) +
                               " free amounts for each of its breakpoints, and at least one");
  }
  constexpr std::size_t kFilled = kFanOut - kFanOut / 4;
  const auto row = [&](std::size_t i) { return free.data() + i * n_resources; };
  ResourceTimeline timeline({row(0), n_resources}, 0);
  std::size_t count = 0;  // entries of the level that is being filled
  std::size_t previous = 0;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (!std::isfinite(time[i]) || (i > 0 && !(time[i - 1] < time[i]))) {
      throw InvalidInstanceError("time[" + std::to_string(i) + "] = " + std::to_string(time[i]) +
                                 " is not finite or not after the breakpoint before it");
    }
    if (i > 0 && equal_rows(row(previous), row(i), n_resources)) continue;
    previous = i;
    const std::size_t node = count / kFilled;
    if (node == timeline.levels_[0].size.size()) (void)timeline.new_node(0);
    Level& leaves = timeline.levels_[0];
    const std::size_t entry = node * kFanOut + count % kFilled;
    leaves.key[entry] = time[i];
    copy_row(leaves.low.data() + entry * n_resources, row(i), n_resources);
    leaves.size[node] = static_cast<std::uint32_t>(count % kFilled + 1);
    ++count;
  }
  timeline.origin_ = time.front();
  timeline.n_breakpoints_ = count;
  const auto n_nodes_for = [](std::size_t n_entries) { return (n_entries + kFilled - 1) / kFilled; };
  for (std::size_t n_below = n_nodes_for(count); n_below > 1; n_below = n_nodes_for(n_below)) {
    const std::size_t level = timeline.levels_.size();
    timeline.levels_.emplace_back();
    for (std::size_t i = 0; i < n_below; ++i) {
      if (i % kFilled == 0) (void)timeline.new_node(level);
      Level& here = timeline.levels_[level];
      const std::size_t entry = i / kFilled * kFanOut + i % kFilled;
      here.key[entry] = timeline.levels_[level - 1].key[i * kFanOut];
      here.child[entry] = static_cast<Node>(i);
      here.size[i / kFilled] = static_cast<std::uint32_t>(i % kFilled + 1);
      timeline.refresh_minima(level, entry);
    }
  }
  timeline.root_ = 0;
  return timeline;
}

void ResourceTimeline::check_invariants() const {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::logic_error(std::string("ResourceTimeline: ") + what);
  };
  std::size_t n_leaf_entries = 0;
  // Checks the subtree of an entry whose first key must be `first` and whose keys must stay below `upper`.
  const auto check = [&](const auto& self, std::size_t level, Node node, Time first, Time upper) -> void {
    const Level& here = levels_[level];
    const std::size_t count = here.size[node];
    const std::size_t begin = node * kFanOut;
    require(count > 0 && count <= kFanOut, "size of a node");
    require(here.key[begin] == first && here.key[begin + count - 1] < upper, "keys of a node");
    for (std::size_t i = 0; i < kFanOut; ++i) {
      const Time key = here.key[begin + i];
      require(i < count ? i == 0 || here.key[begin + i - 1] < key : key == kNever, "order");
    }
    if (level == 0) n_leaf_entries += count;
    for (std::size_t i = 0; level > 0 && i < count; ++i) {
      const std::size_t entry = begin + i;
      const Node below = here.child[entry];
      self(self, level - 1, below, here.key[entry], i + 1 < count ? here.key[entry + 1] : upper);
      std::vector<Amount> expected(n_resources_);
      minima_of_rows(expected.data(), levels_[level - 1].low.data() + below * kFanOut * n_resources_,
                     levels_[level - 1].size[below], n_resources_);
      add_row(expected.data(), here.shift.data() + entry * n_resources_, n_resources_);
      require(equal_rows(expected.data(), here.low.data() + entry * n_resources_, n_resources_), "minima");
    }
  };
  check(check, levels_.size() - 1, root_, origin_, kNever);
  require(n_leaf_entries == n_breakpoints_, "number of breakpoints");
  require(levels_.size() == 1 || levels_.back().size[root_] > 1, "a root with one entry");
  const Stretches all = stretches();
  for (std::size_t i = 1; i < all.time.size(); ++i) {
    const Amount* row = all.free.data() + i * n_resources_;
    require(!equal_rows(row, row - n_resources_, n_resources_), "equal neighbours");
  }
}

}  // namespace schedcore
