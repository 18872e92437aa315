#include "schedcore/index/start_index.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "schedcore/index/rows.hpp"

namespace schedcore {
namespace {

void require(bool holds) {
  if (!holds) throw std::logic_error("StartIndex: invariant broken");
}

// Calls visit(time, free) for `from` and every later instant at which some resource rises.
template <class Visit>
void for_each_rise(const ResourceTimeline& timeline, Time from, const Visit& visit) {
  const std::size_t n_resources = timeline.n_resources();
  const ResourceTimeline::Stretches stretches = timeline.stretches();
  const auto later = std::upper_bound(stretches.time.begin(), stretches.time.end(), from);
  const auto first = static_cast<std::size_t>(later - stretches.time.begin());
  visit(from, stretches.free.data() + (first - 1) * n_resources);
  for (std::size_t i = first; i < stretches.time.size(); ++i) {
    const Amount* free = stretches.free.data() + i * n_resources;
    if (!fits(free, free - n_resources, n_resources)) visit(stretches.time[i], free);
  }
}

}  // namespace

StartIndex::StartIndex(std::vector<ResourceTimeline>& timelines, Time from)
    : timelines_(timelines), n_resources_(timelines.front().n_resources()), from_(from), available_(n_resources_) {
  struct Rise {
    Key key;
    std::size_t row;
  };
  std::vector<Rise> rises;
  std::vector<Amount> free;
  for (std::uint32_t machine = 0; machine < timelines.size(); ++machine) {
    for_each_rise(timelines[machine], from, [&](Time time, const Amount* row) {
      rises.push_back({{time, machine}, free.size()});
      free.insert(free.end(), row, row + n_resources_);
    });
  }
  std::sort(rises.begin(), rises.end(), [](const Rise& a, const Rise& b) { return a.key < b.key; });
  for (const Rise& rise : rises) {
    // Blocks start out three quarters full.
    if (order_.empty() || block(order_.size() - 1).size == kBlockSize / 4 * 3) add_block(order_.size(), rise.key);
    Block& last = block(order_.size() - 1);
    set_entry(last, last.size++, rise.key, free.data() + rise.row);
  }
}

void StartIndex::add_block(std::size_t rank, const Key& first) {
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(rank), {first, static_cast<std::uint32_t>(block_.size())});
  Block& added = block_.emplace_back();
  added.free.resize(kBlockSize * n_resources_);
  added.later_free.resize(kBlockSize * n_resources_);
}

void StartIndex::set_entry(Block& to, std::size_t entry, const Key& key, const Amount* free) {
  to.time[entry] = key.time;
  to.later[entry] = kNever;
  to.machine[entry] = key.machine;
  copy_row(to.free.data() + entry * n_resources_, free, n_resources_);
}

// Entries [first, end) of one block to where they begin in another, or further on in the same one.
void StartIndex::move_entries(const Block& from, std::size_t first, std::size_t end, Block& to,
                              std::size_t target) const {
  const auto move = [&](const auto& source, auto& destination, std::size_t width) {
    const auto at = [width](std::size_t entry) { return static_cast<std::ptrdiff_t>(entry * width); };
    const auto begin = source.begin();
    std::copy_backward(begin + at(first), begin + at(end), destination.begin() + at(target + end - first));
  };
  move(from.time, to.time, 1);
  move(from.later, to.later, 1);
  move(from.machine, to.machine, 1);
  move(from.free, to.free, n_resources_);
  move(from.later_free, to.later_free, n_resources_);
}

StartIndex::Place StartIndex::lower_bound(const Key& key) const {
  const auto next = std::partition_point(order_.begin(), order_.end(), [&](const Ranked& r) { return r.first <= key; });
  if (next == order_.begin()) return {0, 0};
  const auto rank = static_cast<std::size_t>(next - order_.begin()) - 1;
  const Block& here = block_[order_[rank].block];
  const auto size = static_cast<std::ptrdiff_t>(here.size);
  const auto at = std::lower_bound(here.time.begin(), here.time.begin() + size, key.time);
  auto entry = static_cast<std::size_t>(at - here.time.begin());
  while (entry < here.size && key_at(here, entry) < key) ++entry;
  return {rank, entry};
}

void StartIndex::insert(const Key& key) {
  auto [rank, entry] = lower_bound(key);
  if (entry < block(rank).size && key_at(block(rank), entry) == key) return;
  if (block(rank).size == kBlockSize) {
    constexpr std::size_t kHalf = kBlockSize / 2;
    add_block(rank + 1, key_at(block(rank), kHalf));
    Block& lower = block(rank);
    Block& upper = block(rank + 1);
    move_entries(lower, kHalf, kBlockSize, upper, 0);
    lower.size = upper.size = kHalf;
    if (entry > kHalf) {
      ++rank;
      entry -= kHalf;
    }
  }
  Block& here = block(rank);
  move_entries(here, entry, here.size, here, entry + 1);
  ++here.size;
  timelines_[key.machine].free_at(key.time, available_);
  set_entry(here, entry, key, available_.data());
  if (entry == 0) order_[rank].first = key;
}

template <class Width>
StartIndex::Start StartIndex::search(Time not_before, Time processing_time, const Amount* demand, Width width) {
  auto [rank, entry] = lower_bound({not_before, 0});
  for (; rank < order_.size(); ++rank, entry = 0) {
    Block& here = block(rank);
    for (; entry < here.size; ++entry) {
      Amount* free = here.free.data() + entry * width;
      if (!fits(demand, free, width)) continue;
      const Time start = here.time[entry];
      const Time end = start + processing_time;
      Amount* later_free = here.later_free.data() + entry * width;
      if (here.later[entry] < end && !fits(demand, later_free, width)) continue;
      const Time shortage = timelines_[here.machine[entry]].shortage_before(start, end, {demand, width}, available_);
      if (shortage == kNever) return {start, here.machine[entry], {rank, entry}};
      if (shortage > start) here.later[entry] = shortage;
      copy_row(shortage > start ? later_free : free, available_.data(), width);
    }
  }
  return {};
}

StartIndex::Start StartIndex::earliest_fit(Time not_before, Time processing_time, std::span<const Amount> demand) {
  return with_width(n_resources_, [&](auto width) {
    return search(not_before, processing_time, demand.data(), width);
  });
}

void StartIndex::reserve(const Start& start, Time processing_time, std::span<const Amount> demand) {
  const Time end = start.time + processing_time;
  const auto machine = static_cast<std::uint32_t>(start.machine);
  timelines_[machine].reserve(start.time, end, demand);
  subtract_row(block(start.place.rank).free.data() + start.place.entry * n_resources_, demand.data(), n_resources_);
  insert({end, machine});
}

void StartIndex::check_invariants() const {
  std::vector<Key> keys;
  std::vector<Amount> actual(n_resources_);
  for (const Ranked& ranked : order_) {
    const Block& here = block_[ranked.block];
    require(here.size > 0 && here.size <= kBlockSize && ranked.first == key_at(here, 0));
    for (std::size_t entry = 0; entry < here.size; ++entry) {
      keys.push_back(key_at(here, entry));
      const ResourceTimeline& timeline = timelines_[here.machine[entry]];
      timeline.free_at(here.time[entry], actual);
      require(fits(actual.data(), here.free.data() + entry * n_resources_, n_resources_));
      if (here.later[entry] == kNever) continue;
      require(here.later[entry] > here.time[entry]);
      timeline.free_at(here.later[entry], actual);
      require(fits(actual.data(), here.later_free.data() + entry * n_resources_, n_resources_));
    }
  }
  require(std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end());
  for (std::uint32_t machine = 0; machine < timelines_.size(); ++machine) {
    for_each_rise(timelines_[machine], from_, [&](Time time, const Amount*) {
      require(std::binary_search(keys.begin(), keys.end(), Key{time, machine}));
    });
  }
}

}  // namespace schedcore
