#include "schedcore/site/awaited_jobs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace schedcore {
namespace {

bool is_met(AwaitedEnd end, bool has_completed) {
  return end == AwaitedEnd::any || (end == AwaitedEnd::ok) == has_completed;
}

}  // namespace

void AwaitedJobs::add(std::int64_t id, std::span<const AwaitedJob> awaited) {
  if (awaited.empty()) return;
  Waiting& waiting = waiting_[id];
  for (const AwaitedJob& each : awaited) {
    if (ended_.contains(each.id)) {
      waiting.is_lost |= !is_met(each.end, !not_completed_.contains(each.id));
      continue;
    }
    Followers& followers = followers_[each.id];
    if (followers.ids.empty() || followers.ids.back() != id) {
      followers.ids.push_back(id);
    } else if (!waits_for(id, each.id)) {
      --followers.n_stale;  // it was forgotten, and is back
    }
    waiting.open.push_back(each);
  }
}

void AwaitedJobs::forget(std::int64_t id) {
  if (waiting_.empty() || !waiting_.contains(id)) return;
  const std::vector<std::int64_t> awaited = open(id);
  waiting_.erase(id);
  for (const std::int64_t each : awaited) {
    const auto found = followers_.find(each);
    if (2 * ++found->second.n_stale <= found->second.ids.size()) continue;
    drop_stale(each, found->second);
    if (found->second.ids.empty()) followers_.erase(found);
  }
}

bool AwaitedJobs::waits_for(std::int64_t id, std::int64_t awaited) const {
  const auto found = waiting_.find(id);
  return found != waiting_.end() && std::ranges::find(found->second.open, awaited, &AwaitedJob::id) != found->second.open.end();
}

// One that was forgotten may have been added again, and stands there twice.
void AwaitedJobs::drop_stale(std::int64_t awaited, Followers& followers) {
  std::erase_if(followers.ids, [&](std::int64_t id) { return !waits_for(id, awaited); });
  std::ranges::sort(followers.ids);
  followers.ids.erase(std::unique(followers.ids.begin(), followers.ids.end()), followers.ids.end());
  followers.n_stale = 0;
}

AwaitedJobs::Standing AwaitedJobs::arrive(std::int64_t id, JobSlot job) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return Standing::free;
  found->second.job = job;
  return found->second.standing();
}

void AwaitedJobs::ended(std::int64_t id, bool has_completed, std::vector<Settled>& settled) {
  if (remembers_ && !ended_.contains(id)) {
    ended_.insert(id);
    if (!has_completed) not_completed_.insert(id);
    if (ended_.size() > kRemembered) use_again(ended_.front());
  }
  if (followers_.empty()) return;
  const auto found = followers_.find(id);
  if (found == followers_.end()) return;
  const std::vector<std::int64_t> followers = std::move(found->second.ids);
  followers_.erase(found);
  for (const std::int64_t follower : followers) {
    const auto entry = waiting_.find(follower);
    if (entry == waiting_.end()) continue;
    Waiting& waiting = entry->second;
    const Standing before = waiting.standing();
    const auto settles = [&](const AwaitedJob& each) {
      if (each.id != id) return false;
      waiting.is_lost |= !is_met(each.end, has_completed);
      return true;
    };
    std::erase_if(waiting.open, settles);
    if (waiting.job && waiting.standing() != before) {
      settled.push_back({*waiting.job, waiting.standing()});
    }
  }
}

std::vector<std::int64_t> AwaitedJobs::open(std::int64_t id) const {
  std::vector<std::int64_t> ids;
  if (const auto found = waiting_.find(id); found != waiting_.end()) {
    for (const AwaitedJob& each : found->second.open) ids.push_back(each.id);
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void AwaitedJobs::write(SnapshotWriter& archive) const {
  std::vector<std::int64_t> ids;
  for (const auto& [id, waiting] : waiting_) ids.push_back(id);
  std::ranges::sort(ids);
  archive(static_cast<std::uint64_t>(ids.size()));
  for (const std::int64_t id : ids) {
    const Waiting& waiting = waiting_.at(id);
    archive(id, waiting.is_lost, static_cast<std::uint64_t>(waiting.open.size()));
    for (const AwaitedJob& each : waiting.open) archive(each.id, static_cast<std::uint8_t>(each.end));
  }
  ended_.write(archive);
  not_completed_.write(archive);
}

void AwaitedJobs::read(SnapshotReader& archive) {
  for (std::size_t left = archive.length(sizeof(std::int64_t)); left > 0; --left) {
    std::int64_t id = 0;
    bool is_lost = false;
    archive(id, is_lost);
    archive.require(!waiting_.contains(id), "a job waits for others twice");
    std::vector<AwaitedJob> open(archive.length(sizeof(std::int64_t) + 1));
    for (AwaitedJob& each : open) {
      std::uint8_t end = 0;
      archive(each.id, end);
      archive.require(end <= static_cast<std::uint8_t>(AwaitedEnd::not_ok), "a job waits for an unknown end");
      each.end = static_cast<AwaitedEnd>(end);
    }
    add(id, open);
    waiting_[id].is_lost = is_lost;
  }
  ended_.read(archive);
  not_completed_.read(archive);
  archive.require(ended_.size() <= kRemembered, "more jobs have ended than are remembered");
  archive.require(not_completed_.is_part_of(ended_), "a job has not completed that has not ended");
  const auto has_ended = [&](const auto& entry) { return ended_.contains(entry.first); };
  archive.require(std::ranges::none_of(followers_, has_ended), "a job waits for one that has ended");
}

void AwaitedJobs::check_invariants() const {
  for (const auto& [id, waiting] : waiting_) {
    for (const AwaitedJob& each : waiting.open) {
      const auto found = followers_.find(each.id);
      if (found == followers_.end() || std::ranges::find(found->second.ids, id) == found->second.ids.end()) {
        throw std::logic_error("AwaitedJobs: a job waits for one that does not know of it");
      }
    }
  }
  for (const auto& [awaited, followers] : followers_) {
    std::vector<std::int64_t> ids = followers.ids;
    std::erase_if(ids, [&](std::int64_t id) { return !waits_for(id, awaited); });
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    if (followers.ids.empty() || followers.n_stale != followers.ids.size() - ids.size() || 2 * followers.n_stale > followers.ids.size()) {
      throw std::logic_error("AwaitedJobs: how many wait no more");
    }
  }
}

}  // namespace schedcore
