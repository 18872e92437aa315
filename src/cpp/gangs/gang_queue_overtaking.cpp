// Who overtakes the head of a queue on clusters as they are: the head, what is kept for it, and the jobs beside it.
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "schedcore/gangs/gang_queue_policy.hpp"

namespace schedcore {

// The first shown job with an earliest instant is the head; those before it are passed over, or start.
void GangQueuePolicy::find_head(Turn& turn) {
  head_.reset();
  if (overtaking_ != Overtaking::protected_head) return;
  std::optional<QueueOrder> after = last_head_;
  while (const auto head = next_candidate(after)) {
    if (last_shown_ && *last_shown_ < head->order) return;
    if (fits_now(*head) || make_room_for(*head, turn)) {
      start_head(*head, turn);
    } else if (has_earliest_instant(*head, turn)) {
      head_ = *head;
      return;
    }
    after = head->order;
  }
}

bool GangQueuePolicy::has_earliest_instant(const GangEntry& entry, Turn& turn) {
  if (ever_free_.count(entry.job_class, classes_) >= entry.n_tasks) {
    // On machines that are in service for ever from some instant on, unless some of them are not.
    if (!turn.availability().any_endless_to_come()) return true;
  } else if (!turn.availability().any_endless_to_come()) {
    return false;
  }
  return search_.run(entry, now_, classes_, now_free_, ends_, turn) < kNever;
}

bool GangQueuePolicy::may_start(const GangEntry& entry) {
  if (is_passed_over(entry)) return false;
  const Time end = end_from_now(entry.estimate);
  RoomCounts& counts = head_is_protected_ && end > protection_.start() ? protection_.beside(now_free_) : now_free_;
  return counts.has_room(entry.job_class, entry.n_tasks, end, classes_);
}

std::optional<GangEntry> GangQueuePolicy::next_in_class(Class of, const std::optional<QueueOrder>& after) {
  const auto whichever = [](const GangEntry& /*front*/) { return true; };
  if (may_preempt(of)) {
    const auto may_help = [&](Amount n_tasks, Time estimate) { return !is_hopeless(of, n_tasks, estimate); };
    return queue_of_class_[of].find(after, limit_use(), classes_, may_help, whichever,
                                    [&](const GangEntry& entry) { return !is_passed_over(entry); });
  }
  const Amount now = now_free_.count(of, classes_);
  if (now == 0) return std::nullopt;
  const Amount beside = head_is_protected_ ? protection_.beside(now_free_).count(of, classes_) : now;
  const auto could_start = [&](Amount n_tasks, Time estimate) {
    return n_tasks <= beside || (n_tasks <= now && end_from_now(estimate) <= protection_.start());
  };
  return queue_of_class_[of].find(after, limit_use(), classes_, could_start, whichever,
                                  [&](const GangEntry& entry) { return may_start(entry); });
}

void GangQueuePolicy::push_candidate(Class of, const std::optional<QueueOrder>& after) {
  const auto found = next_in_class(of, after);
  if (!found || (last_shown_ && *last_shown_ < found->order)) return;
  candidates_.push_back({found->order, of, found->job});
  std::ranges::push_heap(candidates_, std::greater());
}

std::optional<GangQueue::Position> GangQueuePolicy::next_in_order(GangQueue::Position from) {
  const auto found = queue_.find_first(from, [&](const GangEntry& entry) {
    return (last_shown_ && *last_shown_ < entry.order) || may_start(entry);
  });
  if (!found || (last_shown_ && *last_shown_ < queue_.at(*found).order)) return std::nullopt;
  return found;
}

// The depth counts candidates.
std::optional<QueueOrder> GangQueuePolicy::last_of_shown() const {
  if (limits_.queue_depth >= queue_.size()) return std::nullopt;
  if (!preempts()) return queue_.nth(limits_.queue_depth - 1).order;
  std::uint64_t n_shown = 0;
  const auto is_last = [&](const GangEntry& entry) {
    return !was_preempted(entry) && ++n_shown == limits_.queue_depth;
  };
  const auto last = queue_.find_first({}, is_last);
  return last ? std::optional(queue_.at(*last).order) : std::nullopt;
}

// Jobs that waited before start only if room has appeared, if a limit has less use, if the head that kept them from its
// places is the head no more (others have used up a limit of it), or if they are shown now and were not before.
bool GangQueuePolicy::runs_for_all(const Turn& turn) const {
  const bool any_depth = limits_.queue_depth == std::numeric_limits<std::uint64_t>::max();
  const bool lost_its_head = head_of_last_run_ && head_of_last_run_ != head_id(turn);
  const bool was_freed = site_ != nullptr && n_freed_seen_ != site_->limits().n_freed();
  return room_appeared_ || was_freed || lost_its_head || (preempts() && !victims_.empty()) || !any_depth;
}

void GangQueuePolicy::begin_run(const Turn& turn) {
  room_appeared_ = false;
  head_of_last_run_ = head_id(turn);
  if (site_ != nullptr) n_freed_seen_ = site_->limits().n_freed();
}

std::optional<std::int64_t> GangQueuePolicy::head_id(const Turn& turn) const {
  return head_ ? std::optional(turn.jobs().id(head_->job)) : std::nullopt;
}

// In order, without those that do not wait any more, and once those that came to wait twice.
void GangQueuePolicy::take_up_fresh(const Turn& turn) {
  std::erase_if(fresh_, [&](JobSlot job) { return turn.jobs().state(job) != JobState::submitted; });
  std::ranges::sort(fresh_, {}, [&](JobSlot job) { return entry_of(job).order; });
  fresh_.erase(std::unique(fresh_.begin(), fresh_.end()), fresh_.end());
}

// But for those that were ended at this instant: they have not been looked at.
void GangQueuePolicy::leave_fresh(const Turn& turn) {
  std::erase_if(fresh_, [&](JobSlot job) {
    return turn.jobs().state(job) != JobState::submitted || !was_preempted(entry_of(job));
  });
}

void GangQueuePolicy::overtake(Turn& turn) {
  last_shown_ = last_of_shown();
  if (selects()) {
    overtake_selected(turn);
    return;
  }
  find_head(turn);
  keep_classes();
  const bool is_for_all = runs_for_all(turn);
  candidates_.clear();
  std::optional<GangQueue::Position> first;
  bool any = keeps_shadows_ || preempts();
  if (is_for_all && !keeps_classes_) {
    first = next_in_order({});
    any |= first.has_value();
  } else if (is_for_all) {
    // Jobs that end others make room, and lift limits, for those behind them alone: nobody is looked at twice.
    for (const Class of : active_) push_candidate(of, preempts() ? last_head_ : std::nullopt);
    any |= !candidates_.empty();
  } else {
    take_up_fresh(turn);
    any |= std::ranges::any_of(fresh_, [&](JobSlot job) { return may_start(entry_of(job)); });
  }
  begin_run(turn);
  if (any) {
    protect_head(turn);
    if (is_for_all && !keeps_classes_) {
      start_in_order(first, turn);
    } else if (is_for_all) {
      start_candidates(turn);
    } else {
      start_fresh(turn);
    }
  }
  leave_fresh(turn);
}

void GangQueuePolicy::protect_head(Turn& turn) {
  if (!head_) return;
  const GangEntry& head = *head_;
  const std::int64_t id = turn.jobs().id(head.job);
  if (!protection_is_current_ || protected_id_ != id) {
    const Time start = search_.run(head, now_, classes_, now_free_, ends_, turn);
    protection_is_current_ = true;
    protected_id_ = id;
    if (start < kNever) {
      protection_.protect(start, rounded_up(start + head.estimate, limits_.resolution), search_,
                          classes_.demand(head.job_class), classes_.is_exclusive(head.job_class), classes_);
    } else {
      protection_.drop();
    }
  }
  head_is_protected_ = protection_.is_on() && protection_.start() <= now_ + limits_.window;
  head_is_far_ = protection_.is_on() && !head_is_protected_;
  if (keeps_shadows_ && head_is_protected_) {
    shadows_.push_back({now_, id, protection_.start(), protection_.first_machine()});
  }
}

void GangQueuePolicy::start_candidates(Turn& turn) {
  while (!candidates_.empty()) {
    std::ranges::pop_heap(candidates_, std::greater());
    const Candidate candidate = candidates_.back();
    candidates_.pop_back();
    const GangEntry entry = entry_of(candidate.job);
    // Since it was found others have started, and the head may be protected.
    if (may_start(entry)) {
      start(entry, turn);
    } else if (!is_passed_over(entry) && make_room_for(entry, turn)) {
      start(entry, turn);
      // What it leaves of the room is for those behind it.
      candidates_.clear();
      for (const Class of : active_) push_candidate(of, candidate.order);
      continue;
    }
    // One that waits on has been looked at, though it might end others.
    push_candidate(candidate.job_class, candidate.order);
    turn.poll();
  }
}

// The first was found while nothing was kept for the head.
void GangQueuePolicy::start_in_order(std::optional<GangQueue::Position> first, Turn& turn) {
  while (first && (first = next_in_order(*first))) {
    const GangEntry entry = queue_.at(*first);
    start(entry, turn);
    first = queue_.behind(entry.order);
    turn.poll();
  }
}

void GangQueuePolicy::start_fresh(Turn& turn) {
  for (const JobSlot job : fresh_) {
    const GangEntry entry = entry_of(job);
    if (may_start(entry)) start(entry, turn);
    turn.poll();
  }
}

// The first shown job with an earliest instant, unless that is now or too far away.
void GangQueuePolicy::find_told_head(Turn& turn) {
  told_.reset();
  if (!protects_head()) return;
  // The head of this run stays so, though those that started after it may have used up a limit, or left it room.
  if (site_ != nullptr && has_run_) {
    if (head_is_protected_) {
      told_places_.assign(protection_.places().begin(), protection_.places().end());
      told_ = Placement{head_->job, told_places_.front().machine, protection_.start()};
    }
    if (head_is_protected_ || head_is_far_ || (preempts() && head_)) return;
  }
  const std::optional<QueueOrder> last_shown = last_of_shown();
  for (auto next = next_candidate(std::nullopt); next; next = next_candidate(next->order)) {
    const GangEntry entry = *next;
    if (last_shown && *last_shown < entry.order) return;
    if (was_passed_over(entry)) continue;
    if (fits_now(entry)) return;
    Time start = kNever;
    if (protection_is_current_ && protection_.is_on() && protected_id_ == turn.jobs().id(entry.job)) {
      start = protection_.start();
      told_places_.assign(protection_.places().begin(), protection_.places().end());
    } else if (has_earliest_instant(entry, turn)) {
      start = search_.run(entry, now_, classes_, now_free_, ends_, turn);
      if (start < kNever) told_places_ = search_.places();
    }
    if (start == kNever) continue;
    if (start <= now_ + limits_.window) told_ = Placement{entry.job, told_places_.front().machine, start};
    return;
  }
}

}  // namespace schedcore
