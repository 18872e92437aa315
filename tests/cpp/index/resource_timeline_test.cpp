#include "schedcore/index/resource_timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

// The definition: a map from breakpoints to rows, scanned from the left.
class PlainTimeline {
 public:
  explicit PlainTimeline(const std::vector<Amount>& capacity) : row_{{0, capacity}} {}

  void add(Time start, Time end, const std::vector<Amount>& demand, Amount sign) {
    for (const Time t : {start, end}) {
      if (t < kNever) row_.emplace(t, at(t));
    }
    for (auto& [time, row] : row_) {
      for (std::size_t l = 0; l < row.size() && time >= start && time < end; ++l) row[l] += sign * demand[l];
    }
    for (auto next = std::next(row_.begin()); next != row_.end();) {
      next = std::prev(next)->second == next->second ? row_.erase(next) : std::next(next);
    }
  }
  void forget_before(Time t) {
    if (t <= origin()) return;
    row_.emplace(t, at(t));
    row_.erase(row_.begin(), row_.find(t));
  }
  [[nodiscard]] Time origin() const { return row_.begin()->first; }
  [[nodiscard]] std::size_t n_breakpoints() const { return row_.size(); }
  [[nodiscard]] const std::vector<Amount>& at(Time t) const { return std::prev(row_.upper_bound(t))->second; }
  [[nodiscard]] Time next_change(Time after) const {
    const auto next = row_.upper_bound(after);
    return next == row_.end() ? kNever : next->first;
  }
  [[nodiscard]] std::vector<Amount> range_min(Time start, Time end) const {
    std::vector<Amount> least = at(start);
    for (auto next = row_.upper_bound(start); next != row_.end() && next->first < end; ++next) {
      for (std::size_t l = 0; l < least.size(); ++l) least[l] = std::min(least[l], next->second[l]);
    }
    return least;
  }
  [[nodiscard]] std::vector<Amount> range_max(Time start, Time end) const {
    std::vector<Amount> most = at(start);
    for (auto next = row_.upper_bound(start); next != row_.end() && next->first < end; ++next) {
      for (std::size_t l = 0; l < most.size(); ++l) most[l] = std::max(most[l], next->second[l]);
    }
    return most;
  }
  [[nodiscard]] Time first_shortage(Time from, const std::vector<Amount>& demand) const {
    for (Time t = from; t < kNever; t = next_change(t)) {
      if (!fits(demand, at(t))) return t;
    }
    return kNever;
  }
  [[nodiscard]] Time earliest_fit(Time not_before, Time duration, const std::vector<Amount>& demand,
                                  Time until = kNever) const {
    for (Time s = not_before; s < until; s = next_change(s)) {
      if (fits(demand, at(s)) && first_shortage(s, demand) >= s + duration) return s;
    }
    return kNever;
  }
  [[nodiscard]] Time room_for_good(const std::vector<Amount>& demand) const {
    Time since = kNever;
    for (auto row = row_.rbegin(); row != row_.rend() && fits(demand, row->second); ++row) since = row->first;
    return since;
  }
  [[nodiscard]] bool has_room_before(Time t, const std::vector<Amount>& demand) const {
    return fits(demand, std::prev(row_.lower_bound(t))->second);
  }
  [[nodiscard]] Time room_since(Time t, const std::vector<Amount>& demand) const {
    Time since = t;
    for (auto row = row_.lower_bound(t); row != row_.begin() && fits(demand, std::prev(row)->second);) since = (--row)->first;
    return since;
  }
  [[nodiscard]] std::pair<Time, Time> first_gap(Time from, Time to, const std::vector<Amount>& demand) const {
    for (Time t = from; t < to; t = next_change(t)) {
      if (fits(demand, at(t))) return {t == from ? room_since(std::nextafter(t, kNever), demand) : t, first_shortage(t, demand)};
    }
    return {kNever, kNever};
  }

 private:
  std::map<Time, std::vector<Amount>> row_;
};

struct Reservation {
  Time start, end;
  std::vector<Amount> demand;
};

// Random changes with comparisons after each; `horizon` sets how many breakpoints there are.
void expect_equal_answers(std::uint64_t seed, std::size_t n_resources, std::uint64_t horizon, std::uint64_t longest,
                          int n_steps, bool forgets) {
  std::mt19937_64 random(seed);
  const std::vector<Amount> capacity(n_resources, 60);
  ResourceTimeline timeline(capacity);
  PlainTimeline plain(capacity);
  std::vector<Reservation> live;
  std::vector<Amount> demand(n_resources), out(n_resources);
  for (int step = 0; step < n_steps; ++step) {
    const auto instant = [&] { return plain.origin() + static_cast<Time>(random() % horizon); };
    const bool growing = step / 500 % 2 == 0;
    if (live.empty() || random() % 10 < (growing ? 8u : 2u)) {
      const Time start = instant();
      const Time end = random() % 20 == 0 ? kNever : start + 1 + static_cast<Time>(random() % longest);
      for (Amount& amount : demand) amount = static_cast<Amount>(random() % 8);
      timeline.reserve(start, end, demand);
      plain.add(start, end, demand, -1);
      live.push_back({start, end, demand});
    } else {
      std::swap(live[random() % live.size()], live.back());
      Reservation last = std::move(live.back());
      live.pop_back();
      last.start = std::max(last.start, plain.origin());
      if (last.start < last.end) {
        timeline.release(last.start, last.end, last.demand);
        plain.add(last.start, last.end, last.demand, 1);
      }
    }
    if (forgets && step % 20 == 0) {
      const Time t = plain.origin() + static_cast<Time>(random() % (horizon / 10));
      timeline.forget_before(t);
      plain.forget_before(t);
    }
    ASSERT_EQ(timeline.n_breakpoints(), plain.n_breakpoints());
    ASSERT_EQ(timeline.origin(), plain.origin());
    const Time t = instant();
    timeline.free_at(t, out);
    ASSERT_EQ(out, plain.at(t));
    const Time end = t + 1 + static_cast<Time>(random() % longest);
    timeline.range_min(t, end, out);
    ASSERT_EQ(out, plain.range_min(t, end));
    timeline.range_max(t, end, out);
    ASSERT_EQ(out, plain.range_max(t, end));
    for (std::size_t l = 0; l < n_resources; ++l) demand[l] = plain.at(t)[l] - static_cast<Amount>(random() % 12);
    const Time shortage = plain.first_shortage(t, demand);
    ASSERT_EQ(timeline.first_shortage(t, demand), shortage);
    const Time until = t + static_cast<Time>(random() % longest);
    const bool counts = shortage == t || shortage < until;
    out.assign(n_resources, -7);
    ASSERT_EQ(timeline.shortage_before(t, until, demand, out), counts ? shortage : kNever);
    ASSERT_EQ(out, counts ? plain.at(shortage) : std::vector<Amount>(n_resources, -7));
    for (Amount& amount : demand) amount = static_cast<Amount>(random() % 62);
    const Time duration = static_cast<Time>(random() % longest);
    const Time fit = plain.earliest_fit(t, duration, demand);
    ASSERT_EQ(timeline.earliest_fit(t, duration, demand), fit);
    ASSERT_EQ(timeline.earliest_fit(t, duration, demand, until), plain.earliest_fit(t, duration, demand, until));
    ASSERT_EQ(timeline.room_for_good(demand), plain.room_for_good(demand));
    const Time change = plain.next_change(t);
    for (const Time before : {t + 1, change}) {
      if (before < kNever) {
        ASSERT_EQ(timeline.has_room_before(before, demand), plain.has_room_before(before, demand));
        ASSERT_EQ(timeline.room_since(before, demand), plain.room_since(before, demand));
      }
    }
    const auto [gap, behind_gap] = timeline.first_gap(t, end, demand);
    ASSERT_EQ(std::pair(gap, behind_gap), plain.first_gap(t, end, demand));
    ASSERT_EQ(timeline.next_change(t), change);
    if (step % 100 == 0) timeline.check_invariants();
  }
  for (const Reservation& reservation : live) {
    const Time start = std::max(reservation.start, timeline.origin());
    if (start < reservation.end) timeline.release(start, reservation.end, reservation.demand);
  }
  timeline.check_invariants();
  EXPECT_EQ(timeline.n_breakpoints(), 1u);  // no drift: all amounts came back
}

TEST(ResourceTimeline, EqualsTheLinearScanWithFewBreakpoints) {
  for (const std::size_t n_resources : std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 33}) {
    expect_equal_answers(n_resources, n_resources, 40, 20, 1500, false);
  }
}
TEST(ResourceTimeline, EqualsTheLinearScanWithManyBreakpoints) {
  for (const std::size_t n_resources : std::initializer_list<std::size_t>{1, 2, 4, 6}) {
    expect_equal_answers(n_resources, n_resources, 1'000'000, 20'000, 2000, false);
  }
}
TEST(ResourceTimeline, EqualsTheLinearScanWhileThePastIsForgotten) {
  for (const std::size_t n_resources : std::initializer_list<std::size_t>{2, 4, 20}) {
    expect_equal_answers(n_resources, n_resources, 20'000, 3000, 2500, true);
  }
}

// Ten thousand breakpoints: four levels.  Released in another order, nothing remains.
TEST(ResourceTimeline, GrowsAndShrinksThroughSeveralLevels) {
  const std::vector<Amount> capacity{1'000'000, 7};
  const std::vector<Amount> demand{3, 1};
  ResourceTimeline timeline(capacity);
  for (int i = 0; i < 5000; ++i) timeline.reserve(i * 7919 % 5000 * 10 + 1, i * 7919 % 5000 * 10 + 4, demand);
  EXPECT_EQ(timeline.n_breakpoints(), 10'001u);
  timeline.check_invariants();
  EXPECT_EQ(timeline.earliest_fit(0, 7, std::vector<Amount>{999'998, 0}), 4);
  EXPECT_EQ(timeline.earliest_fit(0, 8, std::vector<Amount>{999'998, 0}), 49'994);
  ResourceTimeline copy = timeline;
  copy.forget_before(49'992);
  copy.check_invariants();
  EXPECT_EQ(copy.n_breakpoints(), 2u);
  for (int i = 0; i < 5000; ++i) timeline.release(i * 4327 % 5000 * 10 + 1, i * 4327 % 5000 * 10 + 4, demand);
  timeline.check_invariants();
  EXPECT_EQ(timeline.n_breakpoints(), 1u);
}

// [0, 5) free 1, [5, inf) free 4: two units fit from 5 on; one unit fits at once and for ever.
TEST(ResourceTimeline, AnswersTheHandComputedCase) {
  ResourceTimeline timeline(std::vector<Amount>{4});
  timeline.reserve(0, 5, std::vector<Amount>{3});
  EXPECT_EQ(timeline.earliest_fit(2, 1, std::vector<Amount>{2}), 5);
  EXPECT_EQ(timeline.earliest_fit(2, kNever, std::vector<Amount>{1}), 2);
  EXPECT_EQ(timeline.earliest_fit(0, 1, std::vector<Amount>{5}), kNever);
  EXPECT_EQ(timeline.first_shortage(1, std::vector<Amount>{2}), 1);
  EXPECT_EQ(timeline.first_shortage(5, std::vector<Amount>{4}), kNever);
  std::vector<Amount> available(1);
  EXPECT_EQ(timeline.shortage_before(1, 1, std::vector<Amount>{2}, available), 1);
  EXPECT_EQ(available, std::vector<Amount>{1});
  EXPECT_EQ(timeline.earliest_fit(2, 1, std::vector<Amount>{2}, 5), kNever);
  EXPECT_EQ(timeline.earliest_fit(2, 1, std::vector<Amount>{2}, 5.5), 5);
  EXPECT_EQ(timeline.room_for_good(std::vector<Amount>{1}), 0);
  EXPECT_EQ(timeline.room_for_good(std::vector<Amount>{2}), 5);
  EXPECT_EQ(timeline.room_for_good(std::vector<Amount>{5}), kNever);
  EXPECT_FALSE(timeline.has_room_before(5, std::vector<Amount>{2}));
  EXPECT_TRUE(timeline.has_room_before(5, std::vector<Amount>{1}));
  EXPECT_TRUE(timeline.has_room_before(6, std::vector<Amount>{4}));
  EXPECT_EQ(timeline.room_since(5, std::vector<Amount>{2}), 5);
  EXPECT_EQ(timeline.room_since(5, std::vector<Amount>{1}), 0);
  EXPECT_EQ(timeline.room_since(6, std::vector<Amount>{4}), 5);
  EXPECT_EQ(timeline.first_gap(1, 9, std::vector<Amount>{2}).begin, 5);
  EXPECT_EQ(timeline.first_gap(7, 9, std::vector<Amount>{2}).begin, 5);
  EXPECT_EQ(timeline.first_gap(1, 9, std::vector<Amount>{1}).begin, 0);
  EXPECT_TRUE(timeline.first_gap(1, 5, std::vector<Amount>{2}).is_empty());
}

// Room on [0, 2), [4, 6) and from 8 on: only the last lasts.
TEST(ResourceTimeline, RoomForGoodBeginsAfterTheLastShortage) {
  ResourceTimeline timeline(std::vector<Amount>{4, 9}, 1);
  timeline.reserve(2, 4, std::vector<Amount>{3, 0});
  timeline.reserve(6, 8, std::vector<Amount>{0, 9});
  EXPECT_EQ(timeline.room_for_good(std::vector<Amount>{2, 1}), 8);
  EXPECT_EQ(timeline.room_for_good(std::vector<Amount>{2, 0}), 4);
  EXPECT_EQ(timeline.room_for_good(std::vector<Amount>{1, 0}), 1);
  timeline.reserve(9, kNever, std::vector<Amount>{4, 0});
  EXPECT_EQ(timeline.room_for_good(std::vector<Amount>{1, 0}), kNever);
}

// A job planned until 5 overruns until 9 beside one planned from 5: the free amount is negative and nothing fits.
TEST(ResourceTimeline, NothingFitsWhereMoreIsHeldThanThereIs) {
  ResourceTimeline timeline(std::vector<Amount>{4, 4});
  timeline.reserve(5, 12, std::vector<Amount>{4, 1});
  timeline.reserve(0, 9, std::vector<Amount>{3, 1});
  std::vector<Amount> free(2);
  timeline.free_at(6, free);
  EXPECT_EQ(free, (std::vector<Amount>{-3, 2}));
  EXPECT_EQ(timeline.first_shortage(0, std::vector<Amount>{0, 0}), 5);
  EXPECT_EQ(timeline.earliest_fit(5, 1, std::vector<Amount>{0, 0}), 9);
}

TEST(ResourceTimeline, ADurationLostInRoundingStillNeedsRoomAtItsStart) {
  const Time far = 9007199254740992.0;  // 2^53: far + 0.5 == far
  ResourceTimeline timeline(std::vector<Amount>{4});
  timeline.reserve(0, far + 2, std::vector<Amount>{4});
  EXPECT_EQ(timeline.earliest_fit(far, 0.5, std::vector<Amount>{1}), far + 2);
}

TEST(ResourceTimeline, OneBuiltOfItsStretchesIsTheSameFunctionAndGoesOnByItself) {
  std::mt19937_64 random(3);
  ResourceTimeline timeline(std::vector<Amount>{50, 50, 50}, 2);
  for (int i = 0; i < 700; ++i) {
    const Time start = 2 + static_cast<Time>(random() % 10'000);
    const Time end = start + 1 + static_cast<Time>(random() % 90);
    timeline.reserve(start, end, std::vector<Amount>{1, 2, static_cast<Amount>(random() % 3)});
  }
  ResourceTimeline copy = ResourceTimeline::from_stretches(3, timeline.stretches());
  copy.check_invariants();
  EXPECT_EQ(copy.stretches().time, timeline.stretches().time);
  EXPECT_EQ(copy.stretches().free, timeline.stretches().free);
  copy.reserve(5, 9'000, std::vector<Amount>{1, 1, 1});
  EXPECT_NE(copy.stretches().free, timeline.stretches().free);
  timeline.check_invariants();
}

TEST(ResourceTimeline, StretchesThatAreNoFunctionAreRefused) {
  using Stretches = ResourceTimeline::Stretches;
  EXPECT_THROW((void)ResourceTimeline::from_stretches(1, Stretches{{}, {}}), InvalidInstanceError);
  EXPECT_THROW((void)ResourceTimeline::from_stretches(2, Stretches{{0, 1}, {1, 2, 3}}), InvalidInstanceError);
  EXPECT_THROW((void)ResourceTimeline::from_stretches(1, Stretches{{0, 0}, {1, 2}}), InvalidInstanceError);
  EXPECT_THROW((void)ResourceTimeline::from_stretches(1, Stretches{{0, kNever}, {1, 2}}), InvalidInstanceError);
  EXPECT_EQ(ResourceTimeline::from_stretches(1, Stretches{{0, 1, 2}, {1, 1, 2}}).n_breakpoints(), 2u);
}

TEST(ResourceTimeline, WithoutResourcesEverythingFitsAtOnce) {
  ResourceTimeline timeline;
  timeline.reserve(1, 2, {});
  timeline.check_invariants();
  EXPECT_EQ(timeline.n_breakpoints(), 1u);
  EXPECT_EQ(timeline.earliest_fit(3, 4, {}), 3);
  EXPECT_EQ(timeline.room_for_good({}), 0);
  EXPECT_TRUE(timeline.has_room_before(2, {}));
  EXPECT_EQ(timeline.room_since(2, {}), 0);
  EXPECT_EQ(timeline.first_gap(2, 3, {}).end, kNever);
}

}  // namespace
}  // namespace schedcore
