#include "schedcore/batch_packing.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace schedcore {
namespace {

class BatchPacking {
 public:
  explicit BatchPacking(const ParallelTasksView& tasks) : tasks_(tasks), room_(tasks.machines) {
    pieces_.reserve(tasks.n_tasks());
  }

  // When the last task of the batch ends.
  Time pack(std::size_t machine, std::span<const std::size_t> list, Time now) {
    waiting_.assign(list.begin(), list.end());
    while (true) {
      start_what_fits(machine, now);
      if (running_.empty()) break;
      now = running_.top().first;
      while (!running_.empty() && running_.top().first == now) {
        room_.give(machine, tasks_.demand_of(running_.top().second));
        running_.pop();
      }
    }
    assert(waiting_.empty());  // every task fits the empty machine
    return now;
  }

  [[nodiscard]] std::vector<TaskPiece> pieces() && { return std::move(pieces_); }

 private:
  using EndAndTask = std::pair<Time, std::size_t>;

  void start_what_fits(std::size_t machine, Time now) {
    std::erase_if(waiting_, [&](std::size_t task) {
      if (!room_.fits(machine, tasks_.demand_of(task))) return false;
      room_.take(machine, tasks_.demand_of(task));
      const Time end = now + static_cast<Time>(tasks_.placement_time[tasks_.placement_on(task, machine)]);
      running_.emplace(end, task);
      pieces_.push_back({task, machine, now, end});
      return true;
    });
  }

  const ParallelTasksView& tasks_;
  MachineRoom room_;
  std::vector<std::size_t> waiting_;  // in list order
  std::priority_queue<EndAndTask, std::vector<EndAndTask>, std::greater<>> running_;
  std::vector<TaskPiece> pieces_;
};

}  // namespace

std::vector<TaskPiece> pack_batches(const ParallelTasksView& tasks, std::span<const MachineInterval> place,
                                    std::span<const std::int64_t> job_rank) {
  std::vector<std::size_t> list(tasks.n_tasks());
  std::iota(list.begin(), list.end(), std::size_t{0});
  std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(place[a].machine, place[a].interval, job_rank[tasks.job_of(a)], a) <
           std::tuple(place[b].machine, place[b].interval, job_rank[tasks.job_of(b)], b);
  });
  BatchPacking packing(tasks);
  Time now = 0;
  for (std::size_t first = 0, last = 0; first < list.size(); first = last) {
    const MachineInterval here = place[list[first]];
    while (last < list.size() && place[list[last]] == here) ++last;
    if (first == 0 || place[list[first - 1]].machine != here.machine) now = 0;
    now = packing.pack(here.machine, std::span(list).subspan(first, last - first), now);
  }
  return std::move(packing).pieces();
}

}  // namespace schedcore
