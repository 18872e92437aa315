// A policy in C++: weighted shortest jobs first, and never more than so many at a time; embedded, and on a whole workload.
//
// The waiting index of the library finds the first job in order of its key that fits, without a look at every job.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/engine/online_scheduler.hpp"
#include "schedcore/engine/simulation.hpp"
#include "schedcore/index/waiting_index.hpp"

namespace {

class LimitedQueue final : public schedcore::Policy {
 public:
  explicit LimitedQueue(std::size_t most_running) : most_running_(most_running) {}

  std::unique_ptr<schedcore::Policy> clone() const override { return std::make_unique<LimitedQueue>(*this); }

  void attach(const schedcore::MachinesView& machines) override {
    scale_ = schedcore::DemandScale::of_cluster(machines);
    waiting_ = schedcore::WaitingIndex<schedcore::ClassHeap>(machines.n_resources);
  }

  void decide(const schedcore::Event& event, schedcore::Turn& turn) override {
    n_running_ -= event.completed.size();
    for (const schedcore::JobSlot job : event.arrived) wait(job, turn.jobs());
    // Where the limit held jobs back, they may fit on any machine.
    offers_.run(event.completed, event.arrived, turn, true, [&](std::size_t machine, bool /*only_fresh*/) {
      while (n_running_ < most_running_) {
        const auto found = waiting_.first_fit(turn.machines().free(machine), machine);
        if (!found) return false;
        waiting_.erase(found.leaf, found.job.priority);
        turn.start(found.job.job, machine);
        ++n_running_;
      }
      return false;
    });
  }

  // What a snapshot says of jobs and machines is enough.
  void write(schedcore::SnapshotWriter& /*archive*/) const override {}
  void read(schedcore::SnapshotReader& archive) override {
    const schedcore::Cluster& cluster = archive.cluster();
    for (const schedcore::JobSlot job : cluster.waiting) wait(job, cluster.jobs);
    n_running_ = cluster.running.size();
  }

 private:
  void wait(schedcore::JobSlot job, const schedcore::JobTable& jobs) {
    waiting_.push({jobs.priority(job, schedcore::PriorityRule::wsjf, scale_), job}, jobs.demand(job));
  }

  std::size_t most_running_;
  std::size_t n_running_ = 0;
  schedcore::DemandScale scale_;
  schedcore::WaitingIndex<schedcore::ClassHeap> waiting_;
  schedcore::MachineOffers offers_;
};

}  // namespace

int main() {
  const std::vector<schedcore::Amount> capacity{64, 448, 64, 448};  // two machines with cores and memory
  const schedcore::MachinesView machines{capacity, 2, 2};
  const std::vector<schedcore::Time> length{8, 5, 2, 9, 4};
  const std::vector<double> weight{1, 1, 1, 3, 1};
  const std::vector<schedcore::Amount> demand{32, 64, 16, 16, 64, 64, 64, 448, 8, 8};

  schedcore::OnlineScheduler scheduler(machines, std::make_unique<LimitedQueue>(2));
  scheduler.submit({{}, length, weight, demand, 2}, {}, {}, 0.0);
  const auto show = [](const schedcore::Decision& decision) {
    for (const auto& start : decision.starts) {
      std::printf("%g: job %d on machine %d\n", start.start_time, static_cast<int>(start.id), static_cast<int>(start.machine));
    }
  };
  show(scheduler.advance(0, nullptr));
  scheduler.complete(std::vector<std::int64_t>{2}, 2);
  show(scheduler.advance(2, nullptr));

  const std::vector<schedcore::Time> release_time(length.size());
  std::vector<schedcore::Time> start_time(length.size());
  std::vector<std::int64_t> machine(length.size());
  schedcore::Engine engine(machines, std::make_unique<LimitedQueue>(2));
  schedcore::simulate({release_time, length, weight, demand, 2}, {}, {}, {}, engine, machines, nullptr, start_time, machine);
  std::printf("the last job starts at %g\n", *std::max_element(start_time.begin(), start_time.end()));
}
