#include "schedcore/parallel_tasks/task_tetris_policy.hpp"

#include <algorithm>

#include "schedcore/engine/cluster.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

std::unique_ptr<Policy> TaskTetrisPolicy::clone() const { return std::make_unique<TaskTetrisPolicy>(*this); }

void TaskTetrisPolicy::attach(const MachinesView& machines) {
  scores_ = TaskTetrisScores(machines, scoring_, remote_penalty_);
  waiting_ = Index(machines.n_resources);
}

void TaskTetrisPolicy::arrive(JobSlot task, const JobTable& jobs) {
  const std::int64_t job = jobs.placements(task).group;
  if (job == JobPlacements::kAlone) {
    scores_.arrive_alone(task, jobs.weight(task), jobs.demand(task), jobs.processing_time(task));
  } else {
    scores_.arrive(task, job, jobs.weight(task), jobs.demand(task), jobs.processing_time(task));
  }
}

void TaskTetrisPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const Completion& completion : event.completed) {
    scores_.complete(completion.job, jobs.demand(completion.job));
    ends_.erase({jobs.expected_end(completion.job), completion.job});
  }
  for (const JobSlot task : event.arrived) {
    arrive(task, jobs);
    waiting_.push({{0, 0, 0, jobs.id(task)}, task}, jobs.demand(task), 0, jobs.eligibility(task));
  }
  scores_are_ready_ = false;
  if (waiting_.empty()) return;
  offers_.run(event.completed, event.arrived, turn, false, [&](std::size_t machine, bool /*only_fresh*/) {
    offer(machine, event.now, turn);
    return false;
  });
}

void TaskTetrisPolicy::prepare_scores(Time now, const JobTable& jobs) {
  for (; !ends_.empty() && ends_.begin()->first <= now; ends_.erase(ends_.begin())) {
    const JobSlot late = ends_.begin()->second;
    scores_.stop(late, jobs.demand(late), 0);
  }
  scores_.prepare(now);
  scores_are_ready_ = true;
}

void TaskTetrisPolicy::collect(std::size_t machine, Time now, const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  candidates_.clear();
  waiting_.for_each_fitting_class(turn.machines().free(machine), [&](Index::Leaf leaf) {
    if (!scores_are_ready_) prepare_scores(now, jobs);
    const double alignment = scores_.alignment(waiting_.demand(leaf), machine);
    for (const WaitingJob& waiting : waiting_.queue(leaf).jobs()) {
      const double score = scores_.score(waiting.job, alignment, jobs.is_local(waiting.job, machine));
      candidates_.push_back({score, waiting.priority.id, waiting.job, leaf});
    }
  }, machine);
}

void TaskTetrisPolicy::offer(std::size_t machine, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  collect(machine, now, turn);
  std::ranges::make_heap(candidates_, comes_later);
  const auto does_not_fit = [&](const Candidate& candidate) {
    return !fits(waiting_.demand(candidate.leaf), turn.machines().free(machine));
  };
  touched_.clear();
  while (!candidates_.empty()) {
    std::ranges::pop_heap(candidates_, comes_later);
    const Candidate best = candidates_.back();
    candidates_.pop_back();
    if (does_not_fit(best)) {
      // What fits now is a heap again, whose top will start: so no start pays for more than one such pass.
      std::erase_if(candidates_, does_not_fit);
      std::ranges::make_heap(candidates_, comes_later);
      continue;
    }
    turn.start(best.task, machine);
    const Time end = jobs.expected_end(best.task);
    scores_.start(best.task, jobs.demand(best.task), end);
    ends_.emplace(end, best.task);
    touched_.push_back(best.leaf);
  }
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  waiting_.erase_where(touched_, [&](const WaitingJob& job) { return jobs.state(job.job) == JobState::running; });
}

void TaskTetrisPolicy::write(SnapshotWriter& /*archive*/) const {}

void TaskTetrisPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  for (const JobSlot task : cluster.waiting) {
    arrive(task, jobs);
    waiting_.push({{0, 0, 0, jobs.id(task)}, task}, jobs.demand(task), 0, jobs.eligibility(task));
  }
  for (const JobSlot task : cluster.running) {
    arrive(task, jobs);
    scores_.start(task, jobs.demand(task), jobs.expected_end(task));
    ends_.emplace(jobs.expected_end(task), task);
  }
  for (std::size_t machine = 0; !waiting_.empty() && machine < cluster.machines.n_machines; ++machine) {
    archive.require(!waiting_.first_fit(cluster.free_on(machine), machine), "a task waits that fits");
  }
}

}  // namespace schedcore
