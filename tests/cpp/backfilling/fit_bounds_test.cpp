#include "schedcore/backfilling/fit_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>


namespace schedcore {
namespace {

using Row = std::vector<Amount>;
using Fit = FitBounds::Fit;

struct Waiting {
  FitBounds::Class job_class;
  Row demand;
  Time estimate;
};
struct Occupied {
  std::size_t machine;
  Time start;
  Time end;
  Row demand;
};

// A plan that is told of everything that happens to it, and the definition of what is asked.
class Plan {
 public:
  Plan(std::uint64_t seed, std::size_t n_machines, std::size_t n_resources, Time resolution, std::size_t max_rows = 1000)
      : random_(seed),
        resolution_(resolution),
        n_resources_(n_resources),
        max_rows_(max_rows),
        bounds_(n_machines, n_resources, resolution, max_rows) {
    for (std::size_t machine = 0; machine < n_machines; ++machine) {
      Row capacity(n_resources);
      for (Amount& amount : capacity) amount = 6 + below(6);
      timelines_.emplace_back(capacity);
    }
  }

  void run(int n_steps) {
    for (int step = 0; step < n_steps; ++step) {
      switch (below(8)) {
        case 0: pass_time(); break;
        case 1: arrive(); break;
        case 2: leave(); break;
        case 3:
        case 4: reserve(); break;
        case 5: release(); break;
        case 6: look(); break;
        default: search();
      }
      if (step % 211 == 0) go_on_with_new_bounds();
      if (step % 307 == 0) bounds_ = FitBounds(bounds_);  // which keeps the classes, and no bounds
      if (step % 1009 == 0) bounds_.forget(now_);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  Amount below(std::int64_t n) { return static_cast<Amount>(random_() % static_cast<std::uint64_t>(n)); }
  [[nodiscard]] Time rounded_up(Time end) const {
    return resolution_ > 0 ? resolution_ * std::ceil(end / resolution_) : end;
  }

  // The definition: now, or any breakpoint, on the machine that comes first.
  [[nodiscard]] Fit first_place(const Waiting& job) const {
    Fit best;
    for (std::uint32_t machine = 0; machine < timelines_.size(); ++machine) {
      const ResourceTimeline& timeline = timelines_[machine];
      for (Time start = now_; start < kNever; start = timeline.next_change(start)) {
        const Time end = start == now_ ? rounded_up(now_ + job.estimate) : start + rounded_up(job.estimate);
        if (timeline.first_shortage(start, job.demand) < end) continue;
        best = std::min(best, Fit{start, machine});
        break;
      }
    }
    return best;
  }

  void pass_time() {
    now_ += static_cast<Time>(1 + below(4));
    for (ResourceTimeline& timeline : timelines_) {
      if (below(2) == 0) timeline.forget_before(now_);
    }
    std::erase_if(occupied_, [&](const Occupied& each) { return each.end <= now_; });
  }
  void arrive() {
    Waiting job{0, Row(n_resources_), static_cast<Time>(1 + below(12))};
    for (Amount& amount : job.demand) amount = below(7);
    job.job_class = bounds_.add(job.demand, job.estimate);
    ASSERT_TRUE(std::ranges::equal(bounds_.demand(job.job_class), job.demand));
    for (const Waiting& other : waiting_) {
      const bool is_same = other.demand == job.demand && other.estimate == job.estimate;
      ASSERT_EQ(other.job_class == job.job_class, is_same);
    }
    waiting_.push_back(std::move(job));
  }
  void leave() {
    if (waiting_.empty()) return;
    std::swap(waiting_[random_() % waiting_.size()], waiting_.back());
    bounds_.remove(waiting_.back().job_class);
    waiting_.pop_back();
  }
  void reserve() {
    if (waiting_.empty()) return;
    const Waiting& job = waiting_[random_() % waiting_.size()];
    const Fit fit = bounds_.earliest(job.job_class, now_, Fit{}, timelines_);
    ASSERT_EQ(fit, first_place(job));
    const Time end = bounds_.planned_end(job.estimate, fit.time, now_);
    timelines_[fit.machine].reserve(fit.time, end, job.demand);
    occupied_.push_back({fit.machine, fit.time, end, job.demand});
  }
  // A reservation that is given up, or the rest of one.
  void release() {
    if (occupied_.empty()) return;
    std::swap(occupied_[random_() % occupied_.size()], occupied_.back());
    const Occupied last = std::move(occupied_.back());
    occupied_.pop_back();
    const Time from = std::max(last.start, now_);
    timelines_[last.machine].release(from, last.end, last.demand);
    bounds_.note_release(last.machine, from, last.end);
  }
  void look() {
    for (const Waiting& job : waiting_) {
      const Fit first = first_place(job);
      const Fit bound = bounds_.bound(job.job_class, now_, timelines_);
      ASSERT_TRUE(bound <= first);
      for (std::uint32_t machine = 0; machine < timelines_.size(); ++machine) {
        ASSERT_TRUE(bounds_.bound_on(job.job_class, machine) >= bound.time);
      }
    }
  }
  void search() {
    for (const Waiting& job : waiting_) {
      const Fit first = first_place(job);
      const Fit limit{now_ + static_cast<Time>(below(30)), static_cast<std::uint32_t>(random_() % timelines_.size())};
      const Fit found = bounds_.earliest(job.job_class, now_, limit, timelines_);
      if (first < limit) {
        ASSERT_EQ(found, first);
      } else {
        ASSERT_FALSE(found < limit);
      }
    }
  }
  // As after a snapshot: the classes alone are known, and that bounds are lost decides nothing.
  void go_on_with_new_bounds() {
    bounds_ = FitBounds(timelines_.size(), n_resources_, resolution_, max_rows_);
    for (Waiting& job : waiting_) job.job_class = bounds_.add(job.demand, job.estimate);
  }

  std::mt19937_64 random_;
  Time resolution_;
  std::size_t n_resources_;
  std::size_t max_rows_;
  Time now_ = 0;
  FitBounds bounds_;
  std::vector<ResourceTimeline> timelines_;
  std::vector<Waiting> waiting_;
  std::vector<Occupied> occupied_;
};

TEST(FitBounds, FindTheFirstPlaceWhateverHappensToThePlan) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) Plan(seed, 1 + seed % 5, 1 + seed % 2, 0).run(3000);
}
TEST(FitBounds, FindTheFirstPlaceWithRoundedEnds) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) Plan(seed, 1 + seed % 5, 1 + seed % 2, 4).run(3000);
}

TEST(FitBounds, FindTheFirstPlaceWhereClassesShareRows) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Plan(seed, 1 + seed % 5, 1 + seed % 2, seed % 2 == 0 ? 0 : 4, 1 + seed % 3).run(3000);
  }
}

// More releases between two looks than are kept one by one; each leaves four units of time, too few for the job, until
// one of them is continued: [2990, 3004) is free then.
TEST(FitBounds, RememberWhatManyReleasesBroughtInSum) {
  std::vector<ResourceTimeline> timelines{ResourceTimeline(Row{4})};
  FitBounds bounds(1, 1, 0);
  const FitBounds::Class job = bounds.add(Row{3}, 5);
  for (int i = 0; i < 400; ++i) timelines[0].reserve(10 * i, 10 * i + 10, Row{2});
  EXPECT_EQ(bounds.earliest(job, 0, Fit{}, timelines), (Fit{4000, 0}));
  for (int i = 390; i > 200; --i) {
    timelines[0].release(10 * i, 10 * i + 4, Row{2});
    bounds.note_release(0, 10 * i, 10 * i + 4);
  }
  EXPECT_EQ(bounds.earliest(job, 0, Fit{}, timelines), (Fit{4000, 0}));
  timelines[0].release(2994, 3000, Row{2});
  bounds.note_release(0, 2994, 3000);
  EXPECT_EQ(bounds.earliest(job, 0, Fit{}, timelines), (Fit{2990, 0}));
}

// On the first of two machines there would be room earlier, but the jobs of one class may not use it, whatever it releases.
TEST(FitBounds, AMachineThatIsNotAllowedIsNeverAPlace) {
  std::vector<ResourceTimeline> timelines{ResourceTimeline(Row{4}), ResourceTimeline(Row{4})};
  timelines[0].reserve(0, 6, Row{3});
  timelines[1].reserve(0, 9, Row{3});
  FitBounds bounds(2, 1, 0);
  EligibilitySets sets;
  const FitBounds::Class restricted = bounds.add(Row{2}, 5, sets.intern({1}, 2));
  const FitBounds::Class free = bounds.add(Row{2}, 5);
  ASSERT_NE(restricted, free);
  EXPECT_EQ(bounds.earliest(restricted, 0, Fit{}, timelines), (Fit{9, 1}));
  EXPECT_EQ(bounds.earliest(free, 0, Fit{}, timelines), (Fit{6, 0}));
  timelines[0].release(0, 6, Row{3});
  bounds.note_release(0, 0, 6);
  EXPECT_EQ(bounds.earliest(restricted, 0, Fit{}, timelines), (Fit{9, 1}));
  EXPECT_EQ(bounds.earliest(free, 0, Fit{}, timelines), (Fit{0, 0}));
  bounds.forget(2);
  EXPECT_EQ(bounds.earliest(restricted, 2, Fit{}, timelines), (Fit{9, 1}));
  EXPECT_FALSE(bounds.may_use(restricted, 0));
}

// A class without jobs goes to others: nothing of it remains.
TEST(FitBounds, AReusedClassKnowsNothingOfTheOneBefore) {
  std::vector<ResourceTimeline> timelines{ResourceTimeline(Row{4})};
  timelines[0].reserve(0, 9, Row{3});
  FitBounds bounds(1, 1, 0);
  const FitBounds::Class before = bounds.add(Row{2}, 5);
  EXPECT_EQ(bounds.earliest(before, 0, Fit{}, timelines).time, 9);
  bounds.remove(before);
  const FitBounds::Class after = bounds.add(Row{1}, 5);
  EXPECT_EQ(after, before);
  EXPECT_EQ(bounds.earliest(after, 0, Fit{}, timelines).time, 0);
}

TEST(FitBounds, ClassesThatHaveGoneTakeNoRoom) {
  FitBounds bounds(20, 1, 0);
  std::vector<FitBounds::Class> classes;
  for (int i = 0; i < 1000; ++i) classes.push_back(bounds.add(Row{1}, 1 + i));
  const FitBounds::Class stays = classes[3];
  classes.erase(classes.begin() + 3);
  std::shuffle(classes.begin(), classes.end(), std::mt19937_64(1));
  for (const FitBounds::Class each : classes) bounds.remove(each);
  // The gaps before the one that stays are filled first.
  EXPECT_LT(bounds.add(Row{1}, 0.5), stays);
  EXPECT_LT(bounds.add(Row{2}, 0.5), stays);
  EXPECT_EQ(bounds.n_classes(), stays + 1u);
}

// [2^52, 2^53) is where doubles have no halves: a release that only the rounded end of a job reaches.
TEST(FitBounds, AStartWhoseEndIsRoundedIntoAReleaseIsFound) {
  const Time far = 4503599627370496.0;
  std::vector<ResourceTimeline> timelines{ResourceTimeline(Row{1})};
  timelines[0].reserve(0, far, Row{1});
  timelines[0].reserve(far + 2, far + 100, Row{1});
  FitBounds bounds(1, 1, 0);
  const FitBounds::Class job = bounds.add(Row{1}, 3.5);  // far + 3.5 is far + 4
  EXPECT_EQ(bounds.earliest(job, 0, Fit{}, timelines).time, far + 100);
  timelines[0].release(far + 2, far + 4, Row{1});
  bounds.note_release(0, far + 2, far + 4);
  EXPECT_EQ(bounds.earliest(job, 0, Fit{}, timelines).time, far);
}

}  // namespace
}  // namespace schedcore
