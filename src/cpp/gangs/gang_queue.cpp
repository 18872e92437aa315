#include "schedcore/gangs/gang_queue.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace schedcore {
namespace {

bool is_ahead_of(const GangEntry& entry, const QueueOrder& order) { return entry.order < order; }

}  // namespace

void GangQueue::Block::include(const GangEntry& entry) {
  least_tasks = std::min(least_tasks, entry.n_tasks);
  least_estimate = std::min(least_estimate, entry.estimate);
}

void GangQueue::Block::find_minima() {
  least_tasks = kAnyNumber;
  least_estimate = kNever;
  for (const GangEntry& entry : entries) include(entry);
}

std::size_t GangQueue::block_of(const QueueOrder& order) const {
  const auto behind = std::upper_bound(blocks_.begin(), blocks_.end(), order, [](const QueueOrder& value, const Block& block) {
    return value < block.entries.front().order;
  });
  return behind == blocks_.begin() ? 0 : static_cast<std::size_t>(behind - blocks_.begin()) - 1;
}

const GangEntry& GangQueue::nth(std::size_t n) const {
  std::size_t block = 0;
  while (n >= blocks_[block].entries.size()) n -= blocks_[block++].entries.size();
  return blocks_[block].entries[n];
}

std::pair<Amount, Time> GangQueue::minima(const std::pair<Amount, Time>& bound) const {
  std::pair least(kAnyNumber, kNever);
  for (const Block& block : blocks_) {
    least = {std::min(least.first, block.least_tasks), std::min(least.second, block.least_estimate)};
    if (least == bound) break;
  }
  return least;
}

void GangQueue::insert(const GangEntry& entry) {
  ++size_;
  if (blocks_.empty()) {
    Block& first = blocks_.emplace_back();
    first.entries.swap(spare_);
    first.entries.push_back(entry);
    first.include(entry);
    return;
  }
  std::size_t at = block_of(entry.order);
  if (blocks_[at].entries.size() == kBlock) {
    // Jobs come in order as a rule: a full last block stays full, and the next one begins.
    const bool is_last = at + 1 == blocks_.size() && blocks_[at].entries.back().order < entry.order;
    const auto kept = static_cast<std::ptrdiff_t>(is_last ? kBlock : kBlock / 2);
    Block second;
    second.entries.reserve(kBlock);
    second.entries.assign(blocks_[at].entries.begin() + kept, blocks_[at].entries.end());
    blocks_[at].entries.erase(blocks_[at].entries.begin() + kept, blocks_[at].entries.end());
    blocks_[at].find_minima();
    second.find_minima();
    const bool goes_behind = is_last || second.entries.front().order < entry.order;
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at + 1), std::move(second));
    if (goes_behind) ++at;
  }
  Block& block = blocks_[at];
  block.entries.insert(std::lower_bound(block.entries.begin(), block.entries.end(), entry.order, is_ahead_of), entry);
  block.include(entry);
}

void GangQueue::erase(const QueueOrder& order) {
  const std::size_t at = block_of(order);
  Block& block = blocks_[at];
  block.entries.erase(std::lower_bound(block.entries.begin(), block.entries.end(), order, is_ahead_of));
  --size_;
  if (block.entries.empty()) {
    spare_.swap(block.entries);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
  } else {
    block.find_minima();
  }
}

GangQueue::Position GangQueue::behind(const QueueOrder& order) const {
  if (blocks_.empty()) return {};
  const std::size_t at = block_of(order);
  const std::vector<GangEntry>& entries = blocks_[at].entries;
  const auto found = std::upper_bound(entries.begin(), entries.end(), order,
                                      [](const QueueOrder& value, const GangEntry& entry) { return value < entry.order; });
  return {at, static_cast<std::size_t>(found - entries.begin())};
}

void GangQueue::Block::sort_anew() {
  for (auto next = std::next(entries.begin()); next != entries.end(); ++next) {
    if (!(next->order < std::prev(next)->order)) continue;
    const auto place = std::lower_bound(entries.begin(), next, next->order, is_ahead_of);
    std::rotate(place, next, std::next(next));
  }
}

// Pair by pair, and back by one after each that overlaps; all at once where many do.
bool GangQueue::sort_blocks() {
  std::size_t n_merged = 0;
  for (std::size_t b = 0; b + 1 < blocks_.size();) {
    if (!(blocks_[b + 1].entries.front().order < blocks_[b].entries.back().order)) {
      ++b;
    } else if (++n_merged > blocks_.size()) {
      sort_all();
      return true;
    } else {
      merge_into_next(b);
      if (b > 0) --b;
    }
  }
  return n_merged > 0;
}

// Both keep their size.
void GangQueue::merge_into_next(std::size_t block) {
  std::vector<GangEntry>& first = blocks_[block].entries;
  std::vector<GangEntry>& second = blocks_[block + 1].entries;
  std::vector<GangEntry> merged;
  merged.reserve(first.size() + second.size());
  std::ranges::merge(first, second, std::back_inserter(merged), {}, &GangEntry::order, &GangEntry::order);
  const auto middle = merged.begin() + static_cast<std::ptrdiff_t>(first.size());
  std::copy(merged.begin(), middle, first.begin());
  std::copy(middle, merged.end(), second.begin());
  blocks_[block].find_minima();
  blocks_[block + 1].find_minima();
}

// In as many blocks as before.
void GangQueue::sort_all() {
  std::vector<GangEntry> entries;
  entries.reserve(size_);
  for_each([&](const GangEntry& entry) { entries.push_back(entry); });
  std::ranges::sort(entries, {}, &GangEntry::order);
  auto next = entries.begin();
  for (Block& block : blocks_) {
    const auto end = next + static_cast<std::ptrdiff_t>(block.entries.size());
    std::copy(next, end, block.entries.begin());
    block.find_minima();
    next = end;
  }
}

void GangQueue::check_invariants() const {
  const auto require = [](bool holds) {
    if (!holds) throw std::logic_error("GangQueue: order, size or minima of its blocks");
  };
  std::size_t n_entries = 0;
  std::optional<QueueOrder> previous;
  for (const Block& block : blocks_) {
    require(!block.entries.empty() && block.entries.size() <= kBlock);
    n_entries += block.entries.size();
    Block expected = block;
    expected.find_minima();
    require(expected.least_tasks == block.least_tasks && expected.least_estimate == block.least_estimate);
    for (const GangEntry& entry : block.entries) {
      require(!previous || *previous < entry.order);
      previous = entry.order;
    }
  }
  require(n_entries == size_);
}

}  // namespace schedcore
