#include "schedcore/gangs/new_room.hpp"

#include <algorithm>

namespace schedcore {

void NewRoom::add_span(OfClass& each, Class of, const GivenBack::Span& span, const GangPlan& plan,
                       const GangClasses& classes) {
  const std::size_t first = each.gaps.size();
  each.first_gap.push_back(static_cast<std::uint32_t>(first));
  if (span.is_everywhere) {
    each.gaps.push_back({-kNever, kNever, kMostTasks, 0});
    return;
  }
  for (const std::uint32_t machine : span.machines) {
    if (!classes.allows(of, machine)) continue;
    plan.for_each_gap(machine, of, span.from, span.to, classes, [&](Time begin, Time end, Amount n_tasks) {
      const auto holds = [&](const Gap& gap) { return gap.begin <= begin && end <= gap.end; };
      const auto known = std::find_if(each.gaps.begin() + static_cast<std::ptrdiff_t>(first), each.gaps.end(), holds);
      if (known == each.gaps.end() && each.gaps.size() < first + kGaps) {
        each.gaps.push_back({begin, end, n_tasks, machine});
        return;
      }
      Gap& gap = known == each.gaps.end() ? each.gaps.back() : *known;
      gap = {std::min(gap.begin, begin), std::max(gap.end, end), gap.n_tasks + n_tasks, std::min(gap.machine, machine)};
    });
  }
}

NewRoom::Chance NewRoom::add_to(EarlierStarts& earlier, Class of, Time duration, Time now, Time latest,
                                const GivenBack::Mark& mark, const GivenBack& given_back, const GangPlan& plan,
                                const GangClasses& classes) {
  if (of >= classes_.size()) classes_.resize(of + 1);
  OfClass& each = classes_[of];
  if (each.generation != classes.generation(of) || each.end() < mark.n_seen) {
    each = {classes.generation(of), mark.n_seen, {}, {}};
  }
  if (each.first_gap.size() > 2 * kKept) {
    const std::size_t n_dropped = each.first_gap.size() - kKept;
    const std::uint32_t n_gaps = each.first_gap[n_dropped];
    each.gaps.erase(each.gaps.begin(), each.gaps.begin() + n_gaps);
    each.first_gap.erase(each.first_gap.begin(), each.first_gap.begin() + static_cast<std::ptrdiff_t>(n_dropped));
    for (std::uint32_t& first : each.first_gap) first -= n_gaps;
    each.first += n_dropped;
  }
  if (mark.n_seen < each.first) {
    earlier.add(now, latest, kMostTasks);
    return {0, true};
  }
  given_back.for_each_since({each.end()}, [&](const GivenBack::Span& span) {
    // Spans that are no longer kept are one, which stands for each of them.
    do {
      add_span(each, of, span, plan, classes);
    } while (each.end() <= span.number);
  });
  const auto since = static_cast<std::size_t>(mark.n_seen - each.first);
  if (since >= each.first_gap.size()) return {};
  Chance chance;
  for (std::size_t i = each.first_gap[since]; i < each.gaps.size(); ++i) {
    const Gap& gap = each.gaps[i];
    const Time start = std::max(gap.begin, now);
    if (start > latest) continue;
    chance.may_reach_last = chance.may_reach_last || (start < latest && latest <= gap.end);
    if (start + duration > gap.end) continue;
    earlier.add(start, last_start(gap.end, duration), gap.n_tasks);
    if (latest + duration <= gap.end) chance.first_around_last = std::min<std::size_t>(chance.first_around_last, gap.machine);
  }
  return chance;
}

}  // namespace schedcore
