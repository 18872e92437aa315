#include "schedcore/gangs/machine_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace schedcore {
namespace {

struct Run {
  std::size_t first = 0;  // among the machines with room
  std::size_t last = 0;   // behind it
  Amount n_tasks = 0;
};

}  // namespace

std::vector<TaskPlace> places_in_runs(std::span<const TaskPlace> rooms, Amount n_tasks, const MachineNames* names) {
  const auto weight_of = [&](const TaskPlace& room) { return names == nullptr ? 0 : names->weight_of(room.machine); };
  const auto number_of = [&](const TaskPlace& room) {
    return names == nullptr ? static_cast<std::int64_t>(room.machine) : names->number_of(room.machine);
  };
  std::vector<TaskPlace> places;
  Amount left = n_tasks;
  const auto fill = [&](const Run& run) {
    for (const TaskPlace& room : rooms.subspan(run.first, run.last - run.first)) {
      if (left == 0) return;
      places.push_back({room.machine, std::min(room.n_tasks, left)});
      left -= places.back().n_tasks;
    }
  };
  std::vector<Run> runs;
  for (std::size_t next = 0; left > 0 && next < rooms.size();) {
    const std::int64_t weight = weight_of(rooms[next]);
    runs.clear();
    for (; next < rooms.size() && weight_of(rooms[next]) == weight; ++next) {
      const bool is_neighbour = !runs.empty() && number_of(rooms[next - 1]) + 1 == number_of(rooms[next]);
      if (!is_neighbour) runs.push_back({next, next, 0});
      runs.back().last = next + 1;
      runs.back().n_tasks += rooms[next].n_tasks;
    }
    std::ranges::stable_sort(runs, std::greater(), &Run::n_tasks);
    for (std::size_t largest = 0; left > 0 && largest < runs.size(); ++largest) {
      // The last of those that suffice is the smallest; the first one that is as large.
      const auto from = runs.begin() + static_cast<std::ptrdiff_t>(largest);
      const auto behind = std::partition_point(from, runs.end(), [&](const Run& run) { return run.n_tasks >= left; });
      if (behind == from) {
        fill(*from);
      } else {
        const Amount least = std::prev(behind)->n_tasks;
        fill(*std::partition_point(from, behind, [&](const Run& run) { return run.n_tasks > least; }));
      }
    }
  }
  std::ranges::sort(places, {}, &TaskPlace::machine);
  return places;
}

}  // namespace schedcore
