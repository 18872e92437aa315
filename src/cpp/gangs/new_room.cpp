#include "schedcore/gangs/new_room.hpp"

#include <algorithm>

namespace schedcore {

void NewRoom::add_span(OfClass& each, Class of, const GivenBack::Span& span, const GangPlan& plan,
                       const GangClasses& classes) {
  const std::size_t first = each.gaps.size();
  each.first_gap.push_back(static_cast<std::uint32_t>(first));
  if (span.is_everywhere) {
    each.gaps.push_back({-kNever, kNever});
    return;
  }
  for (const std::uint32_t machine : span.machines) {
    if (!classes.allows(of, machine)) continue;
    plan.for_each_gap(machine, of, span.from, span.to, classes, [&](Time begin, Time end) {
      const auto holds = [&](const Gap& gap) { return gap.begin <= begin && end <= gap.end; };
      if (std::any_of(each.gaps.begin() + static_cast<std::ptrdiff_t>(first), each.gaps.end(), holds)) return;
      if (each.gaps.size() < first + kGaps) {
        each.gaps.push_back({begin, end});
      } else {
        Gap& last = each.gaps.back();
        last = {std::min(last.begin, begin), std::max(last.end, end)};
      }
    });
  }
}

NewRoom::Chance NewRoom::chance_of(Class of, Time duration, Time now, Time latest, const GivenBack::Mark& mark,
                                   const GivenBack& given_back, const GangPlan& plan, const GangClasses& classes) {
  if (of >= classes_.size()) classes_.resize(of + 1);
  OfClass& each = classes_[of];
  const Chance anything{now, true};
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
  if (mark.n_seen < each.first) return anything;
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
    if (start > latest || start + duration > gap.end) continue;
    chance.first = std::min(chance.first, start);
    chance.is_around_last = chance.is_around_last || latest + duration <= gap.end;
  }
  return chance;
}

}  // namespace schedcore
