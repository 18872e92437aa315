#include "schedcore/backfilling/released_room.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "schedcore/index/fit.hpp"

namespace schedcore {

void ReleasedRoom::note_release(std::uint32_t machine, Time from, Time to, const PlanOfRoom& plan) {
  const bool is_by_holder = is_in_pass_ && has_lasting_positions_;
  released_.push_back({{from, to}, is_by_holder ? holder_.position : kAll, machine});
  if (is_in_pass_ && is_known_ && has_holders_) put_in_force({{from, to}, kAll, machine}, plan);
}

void ReleasedRoom::begin_pass(Time now, std::span<const Holder> holders, const PlanOfRoom& plan) {
  now_ = now;
  is_in_pass_ = is_whole_ = true;
  forget_gaps();
  std::vector<Release> released;
  released.swap(released_);
  has_holders_ = !holders.empty();
  if (!is_known_ || !has_holders_) return;
  sort_into_clusters(holders, plan);
  join(released);
  for (const Release& each : released) put_in_force(each, plan);
}

void ReleasedRoom::go_on(Time now) {
  now_ = now;
  if (!is_in_pass_) forget();
  is_in_pass_ = true;
}

void ReleasedRoom::end_pass(bool all_are_earliest) {
  is_in_pass_ = false;
  forget_gaps();
  is_known_ = is_whole_ && all_are_earliest;
}

// Those that overlap, or follow one another, as one that is in force for all for which any of them is.
void ReleasedRoom::join(std::vector<Release>& released) {
  const auto by_machine = [](const Release& each) { return std::pair(each.machine, each.span.begin); };
  std::ranges::sort(released, {}, by_machine);
  std::size_t n_joined = 0;
  for (const Release& each : released) {
    Release* const before = n_joined > 0 ? &released[n_joined - 1] : nullptr;
    if (before != nullptr && before->machine == each.machine && each.span.begin <= before->span.end) {
      before->span.end = std::max(before->span.end, each.span.end);
      before->last = std::max(before->last, each.last);
    } else {
      released[n_joined++] = each;
    }
  }
  released.resize(n_joined);
}

void ReleasedRoom::forget_gaps() {
  is_any_in_force_ = false;
  for (Gaps& gaps : gaps_) {
    gaps.all.clear();
    gaps.links.clear();
    for (; gaps.some != 0; gaps.some &= gaps.some - 1) gaps.groups[static_cast<std::size_t>(std::countr_zero(gaps.some))].clear();
    gaps.unused.clear();
    for (const std::uint32_t machine : machines_) gaps.first[machine] = kNone;
  }
  for (const std::uint32_t machine : machines_) {
    hull_[machine] = {};
    taken_[machine].clear();
  }
  machines_.clear();
}

void ReleasedRoom::sort_into_clusters(std::span<const Holder> holders, const PlanOfRoom& plan) {
  const bool is_new = holders.size() > 2 * n_clustered_ || 2 * holders.size() < n_clustered_;
  if (is_new) {
    std::vector<Amount> demands;
    for (const Holder& holder : holders) {
      const auto demand = plan.demand(holder.job_class);
      demands.insert(demands.end(), demand.begin(), demand.end());
    }
    clusters_.build(demands);
    gaps_.assign(clusters_.size(), {});
    for (Gaps& gaps : gaps_) {
      gaps.groups.resize(kLengths);
      gaps.first.assign(hull_.size(), kNone);
    }
    n_clustered_ = holders.size();
  }
  latest_.assign(clusters_.size() * kLengths, -kNever);
  for (const Holder& holder : holders) {
    Cluster& cluster = *holder.cluster;
    if (is_new || cluster == kNoCluster) cluster = clusters_.place(plan.demand(holder.job_class));
    Time& start = latest(cluster, length_of(holder.estimate));
    start = std::max(start, holder.place.time);
  }
  for (Cluster cluster = 0; cluster < clusters_.size(); ++cluster) {
    for (std::size_t length = 1; length < kLengths; ++length) {
      latest(cluster, length) = std::max(latest(cluster, length), latest(cluster, length - 1));
    }
  }
}

std::size_t ReleasedRoom::length_of(Time duration) {
  constexpr int kShortest = -24;  // 2^-24 units, a fraction of a microsecond in seconds; up to 35,000 years
  if (!(duration > 0)) return 0;
  if (duration == kNever) return kLengths - 1;
  return static_cast<std::size_t>(std::clamp(std::ilogb(duration) - kShortest, 0, static_cast<int>(kLengths) - 1));
}

std::size_t ReleasedRoom::length_of(const Span& span) {
  if (span.end == kNever) return kLengths - 1;
  // A job may be longer than the difference by what is lost in rounding.
  return length_of((span.end - span.begin) + span.end * (4 * std::numeric_limits<Time>::epsilon()));
}

bool ReleasedRoom::may_help(Cluster cluster, const Span& span) {
  return !span.is_empty() && latest(cluster, length_of(span)) >= span.begin;
}

void ReleasedRoom::put_in_force(Release release, const PlanOfRoom& plan) {
  release.span.begin = std::max(release.span.begin, now_);
  if (release.span.is_empty()) return;
  const auto [from, to] = release.span;
  is_any_in_force_ = true;
  Span& hull = hull_[release.machine];
  if (hull.is_empty()) machines_.push_back(release.machine);
  hull = {std::min(hull.begin, from), std::max(hull.end, to)};
  plan.most_free(release.machine, from, to, most_);
  for (Cluster cluster = 0; cluster < clusters_.size(); ++cluster) {
    if (fits(clusters_.corner(cluster), most_)) find_gaps(cluster, release, plan);
  }
}

void ReleasedRoom::find_gaps(Cluster cluster, const Release& release, const PlanOfRoom& plan) {
  const Time from = std::max(release.span.begin, now_);
  const Time to = release.span.end;
  for (Time next = from; next < to;) {
    const RoomSpan room = plan.first_room(release.machine, next, to, clusters_.corner(cluster));
    if (room.begin == kNever) return;
    const Span span{std::max(room.begin, now_), room.end};
    if (may_help(cluster, span)) {
      const Span in_there{std::max(span.begin, from), std::min(span.end, to)};
      put(cluster, {span, {in_there, release.last, release.machine}, taken_[release.machine].size(), 0});
    }
    next = room.end;
  }
}

// What was known of its span before gives way; what lies beside that stays.
void ReleasedRoom::put(Cluster cluster, Gap gap) {
  Gaps& gaps = gaps_[cluster];
  const auto [begin, end] = gap.span;
  Span& covered = gap.release.span;
  Gap before;
  Gap behind;
  for (std::uint32_t number = gaps.first[gap.release.machine], next = kNone; number != kNone; number = next) {
    const Span span = gaps.links[number].span;
    next = gaps.links[number].next;
    if (span.end <= begin || end <= span.begin) continue;
    Gap& known = gaps.all[number];
    const auto [from, to] = known.release.span;
    if (from < end && begin < to) {
      covered = {std::min(covered.begin, std::max(from, begin)), std::max(covered.end, std::min(to, end))};
      gap.release.last = std::max(gap.release.last, known.release.last);
    }
    if (span.begin == begin && span.end == end) {
      gap.length = known.length;
      gap.seat = known.seat;
      known = gap;
      fresh_.push_back(number);
      return;
    }
    if (from < begin) {
      before = known;
      before.span.end = begin;
      before.release.span.end = std::min(to, begin);
    }
    if (end < to) {
      behind = known;
      behind.span.begin = end;
      behind.release.span.begin = std::max(from, end);
    }
    unlink(cluster, number);
  }
  link(cluster, gap);
  for (const Gap* each : {&before, &behind}) {
    if (may_help(cluster, each->span)) link(cluster, *each);
  }
}

void ReleasedRoom::Group::clear() {
  begin.clear();
  end.clear();
  number.clear();
}

void ReleasedRoom::Group::add(const Span& span, std::uint32_t gap) {
  begin.push_back(span.begin);
  end.push_back(span.end);
  number.push_back(gap);
}

void ReleasedRoom::Group::erase(std::uint32_t seat) {
  begin[seat] = begin.back();
  end[seat] = end.back();
  number[seat] = number.back();
  begin.pop_back();
  end.pop_back();
  number.pop_back();
}

void ReleasedRoom::link(Cluster cluster, const Gap& gap) {
  Gaps& gaps = gaps_[cluster];
  if (gaps.unused.empty()) {
    gaps.unused.push_back(static_cast<std::uint32_t>(gaps.all.size()));
    gaps.all.emplace_back();
    gaps.links.emplace_back();
  }
  const std::uint32_t number = gaps.unused.back();
  gaps.unused.pop_back();
  const std::size_t length = length_of(gap.span);
  Group& group = gaps.groups[length];
  Gap& linked = gaps.all[number];
  linked = gap;
  gaps.links[number] = {gap.span, std::exchange(gaps.first[gap.release.machine], number)};
  linked.length = static_cast<std::uint32_t>(length);
  linked.seat = static_cast<std::uint32_t>(group.number.size());
  group.add(gap.span, number);
  gaps.some |= std::uint64_t{1} << length;
  fresh_.push_back(number);
}

void ReleasedRoom::unlink(Cluster cluster, std::uint32_t number) {
  Gaps& gaps = gaps_[cluster];
  Gap& gap = gaps.all[number];
  std::uint32_t* link = &gaps.first[gap.release.machine];
  while (*link != number) link = &gaps.links[*link].next;
  *link = gaps.links[number].next;
  Group& group = gaps.groups[gap.length];
  gaps.all[group.number.back()].seat = gap.seat;
  group.erase(gap.seat);
  if (group.number.empty()) gaps.some &= ~(std::uint64_t{1} << gap.length);
  gap.seat = kNone;
  gaps.unused.push_back(number);
}

bool ReleasedRoom::is_stale(const Gap& gap) const {
  const std::vector<Span>& taken = taken_[gap.release.machine];
  return std::any_of(taken.begin() + static_cast<std::ptrdiff_t>(gap.n_taken), taken.end(),
                     [&](const Span& each) { return each.begin < gap.span.end && gap.span.begin < each.end; });
}

ReleasedRoom::Place ReleasedRoom::first_in(const Release& release, const Place& limit, const PlanOfRoom& plan) const {
  for (Time next = std::max(release.span.begin, now_); next < release.span.end;) {
    const RoomSpan room = plan.first_room_of(release.machine, next, release.span.end, holder_.job_class);
    const Place place{std::max(room.begin, now_), release.machine};
    if (!(place < limit)) break;
    if (plan.planned_end(holder_.estimate, place.time) <= room.end) return place;
    next = room.end;
  }
  return limit;
}

void ReleasedRoom::choose(Time begin, std::uint32_t number) {
  choices_.push_back({begin, number});
  std::ranges::push_heap(choices_, std::ranges::greater(), &Choice::begin);
}

void ReleasedRoom::choose_from(const Group& group) {
  const Time* const begins = group.begin.data();
  const Time* const ends = group.end.data();
  const std::size_t n_gaps = group.number.size();
  const Time start = holder_.place.time;
  const Time estimate = holder_.estimate;
  for (std::size_t i = 0; i < n_gaps; ++i) {
    if (begins[i] <= start && begins[i] + estimate <= ends[i]) choose(begins[i], group.number[i]);
  }
}

void ReleasedRoom::choose_from_fresh(const Gaps& gaps) {
  for (const std::uint32_t number : fresh_) {
    const Span& span = gaps.all[number].span;
    if (gaps.all[number].seat != kNone && span.begin + holder_.estimate <= span.end) choose(span.begin, number);
  }
  fresh_.clear();
}

// One that others have taken of is looked up again, and what is left of it becomes fresh.
void ReleasedRoom::try_gap(std::uint32_t number, Place& best, const PlanOfRoom& plan) {
  Gap& known = gaps_[*holder_.cluster].all[number];
  if (known.seat == kNone || known.last_tried == n_looks_ || known.release.last < holder_.position) return;
  const Gap gap = known;
  const std::uint32_t machine = gap.release.machine;
  if (!(Place{gap.span.begin, machine} < best) || !plan.may_use(holder_.job_class, machine)) return;
  if (is_stale(gap)) {
    unlink(*holder_.cluster, number);
    find_gaps(*holder_.cluster, gap.release, plan);
    return;
  }
  known.last_tried = n_looks_;
  best = std::min(best, first_in(gap.release, best, plan));
}

ReleasedRoom::Place ReleasedRoom::earliest(const PlanOfRoom& plan) {
  const Place held = holder_.place;
  if (!is_any_in_force_) return held;
  Place best = held;
  const Gaps& gaps = gaps_[*holder_.cluster];
  fresh_.clear();
  choices_.clear();
  const std::size_t length = length_of(holder_.estimate);
  for (std::uint64_t some = gaps.some >> length << length; some != 0; some &= some - 1) {
    choose_from(gaps.groups[static_cast<std::size_t>(std::countr_zero(some))]);
  }
  while (!choices_.empty() && choices_.front().begin <= best.time) {
    const std::uint32_t number = choices_.front().number;
    std::ranges::pop_heap(choices_, std::ranges::greater(), &Choice::begin);
    choices_.pop_back();
    try_gap(number, best, plan);
    choose_from_fresh(gaps);
  }
  // Up to its own start, where its own room begins.  It is there, but where somebody took it.
  const Span& hull = hull_[held.machine];
  const bool may_be_overfull = held.time < overfull_until_;
  const bool is_touched = may_be_overfull ? hull.begin < holder_.end : hull.begin < held.time && held.time <= hull.end;
  if (held.time > now_ && is_touched) {
    const Time since = plan.room_since(held.machine, held.time, holder_.job_class);
    const Place place{std::max(since, now_), held.machine};
    if (since < held.time && place < best && fits_in_own_room(place.time, plan)) best = place;
  }
  return best;
}

bool ReleasedRoom::fits_in_own_room(Time start, const PlanOfRoom& plan) const {
  const auto [own_start, machine] = holder_.place;
  const Time end = plan.planned_end(holder_.estimate, start);
  if (end <= own_start) return true;
  if (own_start < overfull_until_ && plan.is_overfull(machine, own_start, std::min(end, holder_.end))) return false;
  if (end <= holder_.end) return true;
  // By what is lost in rounding.
  const RoomSpan behind = plan.first_room_of(machine, holder_.end, end, holder_.job_class);
  return behind.begin <= holder_.end && end <= behind.end;
}

}  // namespace schedcore
