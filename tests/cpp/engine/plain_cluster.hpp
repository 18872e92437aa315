// A small cluster whose scheduler is asked beside a literal one, event by event: random arrivals, jobs that end before, at
// or after their estimates.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "engine/scheduler_caller.hpp"
#include "schedcore/engine/online_scheduler.hpp"

namespace schedcore::testing {

using Row = std::vector<Amount>;

struct PlainJob {
  std::int64_t id = 0;
  Row demand;
  Time estimate = 0;
};
struct PlainRunning {
  PlainJob job;
  std::size_t machine = 0;
  Time planned_end = 0;
  Time end = 0;
};

struct PlainCluster {
  std::vector<Row> capacity;
  std::vector<Row> free;
  std::vector<PlainJob> queue;
  std::vector<PlainRunning> running;
  std::vector<std::pair<std::int64_t, std::size_t>> starts;  // of the event under way: id, machine

  [[nodiscard]] static bool covers(const Row& available, const Row& demand) {
    for (std::size_t k = 0; k < demand.size(); ++k) {
      if (demand[k] > available[k]) return false;
    }
    return true;
  }
  // The lowest machine on which the job fits now, or how many machines there are.
  [[nodiscard]] std::size_t first_fit(const Row& demand) const {
    std::size_t machine = 0;
    while (machine < free.size() && !covers(free[machine], demand)) ++machine;
    return machine;
  }
  void start(std::size_t position, std::size_t machine, Time now) {
    PlainJob job = std::move(queue[position]);
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(position));
    for (std::size_t k = 0; k < job.demand.size(); ++k) free[machine][k] -= job.demand[k];
    starts.emplace_back(job.id, machine);
    const Time planned_end = now + job.estimate;
    running.push_back({std::move(job), machine, planned_end, 0});
  }
};

enum class Punctuality { exact, never_late, any };

class BesidePlainScheduler {
 public:
  BesidePlainScheduler(std::uint64_t seed, std::size_t n_machines, const PolicyMaker& maker, Punctuality punctuality)
      : random_(seed), punctuality_(punctuality) {
    const std::size_t n_resources = 1 + seed % 3;
    Row all;
    for (std::size_t machine = 0; machine < n_machines; ++machine) {
      Row capacity(n_resources);
      for (Amount& amount : capacity) amount = 6 + below(6);
      all.insert(all.end(), capacity.begin(), capacity.end());
      cluster_.capacity.push_back(std::move(capacity));
    }
    cluster_.free = cluster_.capacity;
    scheduler_ = std::make_unique<OnlineScheduler>(MachinesView{all, n_machines, n_resources}, maker());
  }

  // `pass(cluster, completed, now)` starts what is to start and returns the next wake-up; `completed` are the jobs that
  // have just ended.  `look(decision, now)` sees every answer of the scheduler.
  template <class Pass, class Look>
  void run(int n_jobs, Pass pass, const Look& look) {
    Time arrival = 0;
    Time wakeup = kNever;
    while (n_jobs > 0 || !cluster_.queue.empty() || !cluster_.running.empty()) {
      Time now = n_jobs > 0 ? std::min(arrival, wakeup) : wakeup;
      for (const PlainRunning& each : cluster_.running) now = std::min(now, each.end);
      ASSERT_LT(now, kNever) << "some job never starts";
      const std::vector<PlainRunning> completed = complete(now);
      if (n_jobs > 0 && arrival == now) {
        for (Amount n = 1 + below(4); n > 0 && n_jobs > 0; --n, --n_jobs) submit(now);
        arrival = now + static_cast<Time>(below(4) == 0 ? 40 : 1 + below(5));
      }
      cluster_.starts.clear();
      const std::size_t n_running = cluster_.running.size();
      wakeup = pass(cluster_, completed, now);
      const Decision decision = scheduler_->advance(now, nullptr);
      std::vector<std::pair<std::int64_t, std::size_t>> starts;
      for (const IdPlacement& start : decision.starts) starts.emplace_back(start.id, start.machine);
      // Which of several starts of one instant is decided first is nobody's business.
      std::sort(starts.begin(), starts.end());
      std::sort(cluster_.starts.begin(), cluster_.starts.end());
      ASSERT_EQ(starts, cluster_.starts) << "at " << now;
      ASSERT_EQ(decision.next_wakeup, wakeup) << "at " << now;
      look(decision, now);
      if (::testing::Test::HasFatalFailure()) return;
      for (std::size_t i = n_running; i < cluster_.running.size(); ++i) {
        cluster_.running[i].end = now + length(cluster_.running[i].job.estimate);
      }
    }
  }

 private:
  Amount below(std::int64_t n) { return static_cast<Amount>(random_() % static_cast<std::uint64_t>(n)); }
  Time length(Time estimate) {
    if (punctuality_ == Punctuality::exact || below(3) == 0) return estimate;
    if (punctuality_ == Punctuality::any && below(4) == 0) return estimate + static_cast<Time>(1 + below(30));
    return static_cast<Time>(1 + below(static_cast<std::int64_t>(estimate)));
  }
  std::vector<PlainRunning> complete(Time now) {
    std::vector<PlainRunning> completed;
    std::vector<std::int64_t> ids;
    for (const PlainRunning& each : cluster_.running) {
      if (each.end != now) continue;
      for (std::size_t k = 0; k < each.job.demand.size(); ++k) cluster_.free[each.machine][k] += each.job.demand[k];
      ids.push_back(each.job.id);
      completed.push_back(each);
    }
    std::erase_if(cluster_.running, [&](const PlainRunning& each) { return each.end == now; });
    scheduler_->complete(ids, now);
    return completed;
  }
  void submit(Time now) {
    const Row& some = cluster_.capacity[random_() % cluster_.capacity.size()];
    PlainJob job{0, Row(some.size()), static_cast<Time>(1 + below(12))};
    const bool is_large = below(3) == 0;
    for (std::size_t k = 0; k < some.size(); ++k) job.demand[k] = below(is_large ? some[k] + 1 : 4);
    job.demand[random_() % some.size()] += std::ranges::all_of(job.demand, [](Amount x) { return x == 0; }) ? 1 : 0;
    const double weight = 1;
    const JobsView view{{}, {&job.estimate, 1}, {&weight, 1}, job.demand, some.size()};
    job.id = scheduler_->submit(view, {}, {}, now).front();
    cluster_.queue.push_back(std::move(job));
  }

  std::mt19937_64 random_;
  Punctuality punctuality_;
  PlainCluster cluster_;
  std::unique_ptr<OnlineScheduler> scheduler_;
};

}  // namespace schedcore::testing
