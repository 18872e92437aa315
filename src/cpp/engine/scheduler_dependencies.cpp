// Jobs of a submission that wait for others: whether these can be meant, and whether all can ever start.
#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/engine/online_scheduler.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kMostNamed = 8;  // jobs of a circle in a message

// Each of them waits for the next one, and the last is the first again.
std::string in_words(std::span<const std::size_t> circle, std::span<const std::int64_t> ids) {
  std::string words;
  const std::size_t n_steps = circle.size() - 1;
  for (std::size_t i = 0; i < std::min(n_steps, kMostNamed); ++i) {
    words += (i > 0 ? ", job " : "job ") + std::to_string(ids[circle[i]]) + " waits for job " + std::to_string(ids[circle[i + 1]]);
  }
  return n_steps > kMostNamed ? words + ", and " + std::to_string(n_steps - kMostNamed) + " more" : words;
}

}  // namespace

void OnlineScheduler::check_awaited(std::span<const std::int64_t> ids, std::span<const JobPlacements> own) const {
  std::unordered_map<std::int64_t, std::size_t> row_of;
  std::vector<std::size_t> n_open(ids.size());
  std::vector<std::vector<std::size_t>> followers;
  for (std::size_t job = 0; job < own.size(); ++job) {
    if (!own[job].waits_for_others()) continue;
    if (row_of.empty()) {
      for (std::size_t row = 0; row < ids.size(); ++row) row_of.emplace(ids[row], row);
      followers.resize(ids.size());
    }
    if (own[job].reservation != JobPlacements::kNoReservation) {
      throw UnsupportedError("job " + std::to_string(ids[job]) + " names a reservation and waits for others; it can do one of both");
    }
    for (const AwaitedJob& awaited : own[job].belongings->awaited) {
      if (const auto with = row_of.find(awaited.id); with != row_of.end()) {
        ++n_open[job];
        followers[with->second].push_back(job);
      } else if (!knows(awaited.id) && !journal_.state().has_ended(awaited.id)) {
        throw InvalidInstanceError("job " + std::to_string(ids[job]) + " waits for job " + std::to_string(awaited.id) +
                                   ", which was never submitted, or ended long ago");
      }
    }
  }
  if (row_of.empty()) return;
  std::vector<std::size_t> free;
  for (std::size_t job = 0; job < ids.size(); ++job) {
    if (n_open[job] == 0) free.push_back(job);
  }
  std::size_t n_free = 0;
  for (; !free.empty(); ++n_free) {
    const std::size_t job = free.back();
    free.pop_back();
    for (const std::size_t follower : followers[job]) {
      if (--n_open[follower] == 0) free.push_back(follower);
    }
  }
  if (n_free == ids.size()) return;
  std::size_t stuck = 0;
  while (n_open[stuck] == 0) ++stuck;
  // Whoever is left waits for one that is left, too: following such a one comes back to where it was.
  const auto next_of = [&](std::size_t job) {
    const auto is_left = [&](const AwaitedJob& each) {
      const auto with = row_of.find(each.id);
      return with != row_of.end() && n_open[with->second] > 0;
    };
    return row_of.at(std::ranges::find_if(own[job].belongings->awaited, is_left)->id);
  };
  std::vector<std::size_t> path;
  std::vector<bool> seen(ids.size());
  for (; !seen[stuck]; stuck = next_of(stuck)) {
    seen[stuck] = true;
    path.push_back(stuck);
  }
  path.erase(path.begin(), std::ranges::find(path, stuck));
  path.push_back(stuck);
  throw InvalidInstanceError("jobs wait for each other: " + in_words(path, ids));
}

}  // namespace schedcore
