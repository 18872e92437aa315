#include "schedcore/gangs/limited_queue.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace schedcore {

std::uint32_t LimitedQueue::line_for(const GangEntry& entry) {
  const auto [found, is_new] = line_of_.try_emplace(key_of(entry), static_cast<std::uint32_t>(lines_.size()));
  if (!is_new) return found->second;
  if (unused_.empty()) {
    lines_.emplace_back();
  } else {
    found->second = unused_.back();
    unused_.pop_back();
  }
  return found->second;
}

void LimitedQueue::insert(const GangEntry& entry) {
  ++size_;
  if (entry.profile == GangEntry::kUnlimited) {
    unlimited_.insert(entry);
    return;
  }
  const std::uint32_t line = line_for(entry);
  lines_[line].jobs.insert(entry);
  auto& [least_tasks, least_estimate] = lines_[line].least;
  least_tasks = std::min(least_tasks, entry.n_tasks);
  least_estimate = std::min(least_estimate, entry.estimate);
  show(line, kOpen);  // it may have fewer tasks than those that are held
}

void LimitedQueue::erase(const GangEntry& entry) {
  --size_;
  if (entry.profile == GangEntry::kUnlimited) {
    unlimited_.erase(entry.order);
    return;
  }
  const auto found = line_of_.find(key_of(entry));
  const std::uint32_t line = found->second;
  lines_[line].jobs.erase(entry.order);
  if (!lines_[line].jobs.empty()) {
    lines_[line].least = lines_[line].jobs.minima(lines_[line].least);
    show(line, lines_[line].counter);
    return;
  }
  hide(line);
  lines_[line] = {};
  unused_.push_back(line);
  line_of_.erase(found);
}

void LimitedQueue::show(std::uint32_t number, std::uint32_t counter) {
  Line& line = lines_[number];
  const GangEntry& first = line.jobs.front();
  const GangEntry front{first.order, line.least.first, line.least.second, number, first.job_class, first.profile};
  if (line.is_shown) {
    const bool is_as_before =
        front.order == line.front.order && front.n_tasks == line.front.n_tasks && front.estimate == line.front.estimate;
    if (is_as_before && counter == line.counter) return;
    hide(number);
  }
  line.front = front;
  line.counter = counter;
  line.is_shown = true;
  place_of(counter).insert(front);
}

void LimitedQueue::hide(std::uint32_t number) {
  Line& line = lines_[number];
  GangQueue& place = place_of(line.counter);
  place.erase(line.front.order);
  line.is_shown = false;
  if (line.counter == kOpen || !place.empty()) return;
  aside_.erase(line.counter);
  std::erase(crowded_, line.counter);
}

void LimitedQueue::open_freed(const LimitUse& limits) {
  const std::uint64_t n_seen = std::exchange(n_seen_, limits.n_freed());
  if (aside_.empty() || n_seen == n_seen_) return;
  const bool is_known = limits.for_each_freed_since(n_seen, [&](std::uint32_t counter) {
    const auto found = aside_.find(counter);
    if (found != aside_.end() && found->second.size() <= kFew) open(counter);
  });
  if (is_known) return;
  std::vector<std::uint32_t> all;
  for (const auto& [counter, lines] : aside_) all.push_back(counter);
  for (const std::uint32_t counter : all) open(counter);
}

void LimitedQueue::open(std::uint32_t counter) {
  std::vector<std::uint32_t> freed;
  aside_.at(counter).for_each([&](const GangEntry& front) { freed.push_back(front.job); });
  for (const std::uint32_t line : freed) show(line, kOpen);
}

void LimitedQueue::set_held_aside() {
  for (const auto& [line, counter] : held_) {
    if (lines_[line].counter == counter) continue;
    if (lines_[line].counter == kOpen && open_.size() <= kFew) continue;
    show(line, counter);
    const bool is_crowded = std::ranges::find(crowded_, counter) != crowded_.end();
    if (!is_crowded && aside_.at(counter).size() > kFew) crowded_.push_back(counter);
  }
  held_.clear();
}

void LimitedQueue::check_invariants() const {
  const auto require = [](bool holds) {
    if (!holds) throw std::logic_error("LimitedQueue: lines, or where they stand");
  };
  unlimited_.check_invariants();
  open_.check_invariants();
  std::size_t n_jobs = unlimited_.size();
  std::size_t n_shown = open_.size();
  for (const auto& [counter, lines] : aside_) {
    lines.check_invariants();
    n_shown += lines.size();
    require(lines.size() <= kFew || std::ranges::find(crowded_, counter) != crowded_.end());
  }
  for (const std::uint32_t counter : crowded_) require(aside_.contains(counter));
  for (const auto& [key, number] : line_of_) {
    const Line& line = lines_[number];
    line.jobs.check_invariants();
    n_jobs += line.jobs.size();
    require(line.is_shown && !line.jobs.empty() && key_of(line.jobs.front()) == key && line.front.job == number);
    require(line.front.order == line.jobs.front().order);
    require(line.least == line.jobs.minima({}) && std::pair(line.front.n_tasks, line.front.estimate) == line.least);
    const GangQueue& place = line.counter == kOpen ? open_ : aside_.at(line.counter);
    const auto found = place.find_first({}, [&](const GangEntry& front) { return front.job == number; });
    require(found && place.at(*found).order == line.front.order);
  }
  require(n_jobs == size_ && n_shown == line_of_.size() && lines_.size() == line_of_.size() + unused_.size());
}

}  // namespace schedcore
