#include "schedcore/model/slot_pieces.hpp"

#include <cmath>
#include <string>

#include "schedcore/base/errors.hpp"

namespace schedcore {

bool is_slot_boundary(Time time) { return std::abs(time) <= 9007199254740992.0 && std::trunc(time) == time; }

void require_measurable(const SlotTasksView& tasks, std::size_t n_machines, const SlotPiecesView& pieces) {
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    const auto refuse = [&](const std::string& what) {
      throw InvalidInstanceError("piece " + std::to_string(piece) + " of the schedule " + what);
    };
    const std::string of_job = "job " + std::to_string(pieces.job[piece]);
    if (!is_slot_boundary(pieces.start[piece]) || !is_slot_boundary(pieces.end[piece])) {
      refuse("starts or ends at a time that is no whole number of slots");
    }
    const auto job = static_cast<std::size_t>(pieces.job[piece]);  // negative numbers become huge ones
    if (job >= tasks.n_jobs()) refuse("is of " + of_job + ", and there are " + std::to_string(tasks.n_jobs()) + " jobs");
    if (!tasks.has_task(job, pieces.task[piece])) {
      refuse("is of task " + std::to_string(pieces.task[piece]) + " of " + of_job + ", which has no such task");
    }
    if (static_cast<std::size_t>(pieces.machine[piece]) >= n_machines) {
      refuse("is on machine " + std::to_string(pieces.machine[piece]) + ", and there are " +
             std::to_string(n_machines) + " machines");
    }
    if (pieces.start_of(piece) < tasks.release_time[job]) refuse("starts before the release of " + of_job);
    if (pieces.end_of(piece) <= pieces.start_of(piece)) refuse("does not end after it starts");
    if (pieces.cores[piece] < 1) refuse("holds no core");
  }
}

}  // namespace schedcore
