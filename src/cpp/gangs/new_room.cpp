#include "schedcore/gangs/new_room.hpp"

#include <algorithm>

namespace schedcore {

NewRoom::Gaps NewRoom::gaps_of(Class of, const GivenBack::Span& span, const GangPlan& plan, const GangClasses& classes) {
  Gaps gaps;
  if (span.is_everywhere) {
    gaps.front() = {-kNever, kNever};
    return gaps;
  }
  for (const std::uint32_t machine : span.machines) {
    if (!classes.allows(of, machine)) continue;
    plan.for_each_gap(machine, of, span.from, span.to, classes, [&](Time begin, Time end) {
      for (Gap& gap : gaps) {
        if (gap.begin <= begin && end <= gap.end) return;
        if (gap.begin < gap.end && &gap != &gaps.back()) continue;
        gap = {std::min(gap.begin, begin), std::max(gap.end, end)};
        return;
      }
    });
  }
  return gaps;
}

Time NewRoom::first_instant(Class of, Time duration, Time now, Time latest, const GivenBack::Mark& mark,
                            const GivenBack& given_back, const GangPlan& plan, const GangClasses& classes) {
  if (of >= classes_.size()) classes_.resize(of + 1);
  OfClass& each = classes_[of];
  const std::uint64_t known = each.first + each.spans.size();
  if (each.generation != classes.generation(of) || known < mark.n_seen) {
    each.generation = classes.generation(of);
    each.first = mark.n_seen;
    each.spans.clear();
  }
  if (mark.n_seen < each.first) return now;
  if (each.spans.size() > 2 * kKept) {
    const std::size_t n_dropped = each.spans.size() - kKept;
    each.spans.erase(each.spans.begin(), each.spans.begin() + static_cast<std::ptrdiff_t>(n_dropped));
    each.first += n_dropped;
    if (mark.n_seen < each.first) return now;
  }
  given_back.for_each_since({each.first + each.spans.size()}, [&](const GivenBack::Span& span) {
    each.spans.push_back(gaps_of(of, span, plan, classes));
    // Spans that are no longer kept are one.
    while (each.first + each.spans.size() <= span.number) each.spans.push_back(each.spans.back());
  });
  Time first = kNever;
  for (std::size_t i = mark.n_seen - each.first; i < each.spans.size(); ++i) {
    for (const Gap& gap : each.spans[i]) {
      const Time start = std::max(gap.begin, now);
      if (start <= latest && start + duration <= gap.end) first = std::min(first, start);
    }
  }
  return first;
}

}  // namespace schedcore
