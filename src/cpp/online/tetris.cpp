#include "schedcore/online/tetris.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace schedcore {

std::unique_ptr<Policy> TetrisPolicy::clone() const { return std::make_unique<TetrisPolicy>(*this); }

void TetrisPolicy::attach(const MachinesView& machines) {
  capacity_.assign(machines.capacity.begin(), machines.capacity.end());
  scale_ = DemandScale::of_cluster(machines);
  waiting_ = Index(machines.n_resources);
  layout_of_blocks_ = 0;
}

double TetrisPolicy::term(double processing_time, double share) const {
  switch (mode_) {
    case TetrisMode::inverse: return 1.0 / (processing_time * share);
    case TetrisMode::minus: return -(processing_time * share);
    case TetrisMode::plus: break;
  }
  return processing_time * share;
}

void TetrisPolicy::index(JobSlot job, const JobTable& jobs) {
  const auto demand = jobs.demand(job);
  const Time processing_time = jobs.whole_processing_time(job);
  longest_ = std::max(longest_, jobs.processing_time(job));
  waiting_.push({{0, 0, 0, jobs.id(job)}, job}, demand, cost(processing_time), jobs.eligibility(job));
  const Index::Leaf leaf = waiting_.leaf_of(demand, jobs.eligibility(job));
  ScoredQueue& queue = waiting_.mutable_queue(leaf);
  if (queue.size() == 1) {
    queue.set_share(static_cast<double>(scale_.total(demand)) / static_cast<double>(scale_.common_capacity()));
  }
  queue.add_term(term(processing_time, queue.share()));
  if (waiting_.layout() == layout_of_blocks_) note(leaf);
}

void TetrisPolicy::remove(Index::Leaf leaf, JobSlot job, const JobTable& jobs) {
  ScoredQueue& queue = waiting_.mutable_queue(leaf);
  if (queue.size() == 1) {
    queue.clear_sum();
  } else {
    queue.add_term(-term(jobs.whole_processing_time(job), queue.share()));
  }
  waiting_.erase(leaf, {0, 0, 0, jobs.id(job)});
  if (waiting_.layout() == layout_of_blocks_) note(leaf);
}

void TetrisPolicy::note(Index::Leaf leaf) {
  const ScoredQueue& queue = waiting_.queue(leaf);
  if (queue.empty()) {
    blocks_.clear(leaf);
  } else {
    blocks_.set(leaf, waiting_.demand(leaf), static_cast<double>(queue.size()), queue.sum(),
                term(std::abs(queue.least_cost()), queue.share()));
  }
}

void TetrisPolicy::note_all() {
  layout_of_blocks_ = waiting_.layout();
  blocks_.lay_out(waiting_.n_leaves(), waiting_.n_resources());
  for (Index::Leaf leaf = 0; leaf < waiting_.n_used(); ++leaf) {
    if (!waiting_.queue(leaf).empty()) note(leaf);
  }
}

void TetrisPolicy::take_over(const Commitments& /*commitments*/, const Cluster& cluster) {
  for (const JobSlot job : cluster.waiting) index(job, cluster.jobs);
}

void TetrisPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  now_ = event.now;
  for (const JobSlot job : event.withdrawn) {
    remove(waiting_.leaf_of(jobs.demand(job), jobs.eligibility(job)), job, jobs);
  }
  for (const JobSlot job : event.arrived) index(job, jobs);
  for (const Completion& killed : event.killed) index(killed.job, jobs);
  for (const JobSlot job : event.released) index(job, jobs);
  offers_.run(event, turn, false, [&](std::size_t machine, bool /*only_fresh*/) {
    offer(machine, turn);
    return false;
  });
  next_wakeup_ = waiting_.empty() ? kNever : turn.availability().next_end();
}

void TetrisPolicy::weigh_room(std::size_t machine, std::span<const Amount> available) {
  // What one unit of demand adds to the alignment; nothing where the machine has none of the resource.  Scores are
  // rounded, in this order or another: what lies within kTieTolerance of the best one counts as equal.
  room_.assign(available.size(), 0);
  const Amount* const capacity = capacity_.data() + machine * available.size();
  for (std::size_t r = 0; r < available.size(); ++r) {
    const auto whole = static_cast<double>(capacity[r]);
    if (whole > 0) room_[r] = static_cast<double>(available[r]) / whole / whole;
  }
}

void TetrisPolicy::collect(std::size_t machine, std::span<const Amount> available, const Availability& availability,
                           const JobTable& jobs) {
  weigh_room(machine, available);
  by_job_ = now_ + longest_ > availability.unlimited_until(machine);
  if (by_job_) {
    collect_jobs(machine, available, availability, jobs);
    return;
  }
  if (waiting_.layout() != layout_of_blocks_) note_all();
  blocks_.start(available, room_);
  const auto add = [&](std::size_t block, std::uint64_t classes) { blocks_.add(block, classes); };
  waiting_.for_each_candidate_block(available, add, machine);
  fitting_ = blocks_.fitting();
}

void TetrisPolicy::collect_jobs(std::size_t machine, std::span<const Amount> available, const Availability& availability,
                                const JobTable& jobs) {
  fitting_jobs_.clear();
  fitting_ = {};
  waiting_.for_each_fitting_class(available, [&](Index::Leaf leaf) {
    const ScoredQueue& queue = waiting_.queue(leaf);
    const auto demand = waiting_.demand(leaf);
    const Time until = availability.has_room_until(machine, demand);
    double alignment = 0;
    for (std::size_t r = 0; r < demand.size(); ++r) alignment += static_cast<double>(demand[r]) * room_[r];
    queue.for_each([&](const WaitingJob& job, double least_cost) {
      if (now_ + jobs.processing_time(job.job) > until) return;
      const double own = term(std::abs(least_cost), queue.share());
      fitting_.add(1, alignment, own);
      fitting_jobs_.push_back({leaf, alignment, own, &job});
    });
  }, machine);
}

TetrisScore TetrisPolicy::score_of_fitting() const {
  TetrisScore score;
  score.mean_alignment = fitting_.alignment / fitting_.count;
  // In mode minus the terms are negative volumes; eps is a ratio of magnitudes.
  score.eps = score.mean_alignment / std::abs(fitting_.term / fitting_.count);
  // Volumes beyond the range of doubles have no mean; alignment decides alone then.
  score.has_term = std::isfinite(fitting_.term) && std::isfinite(score.eps);
  return score;
}

double TetrisPolicy::best_score(const TetrisScore& score) {
  if (!by_job_) return blocks_.best(score, candidates_);
  double best = -kNever;
  for (const FittingJob& each : fitting_jobs_) best = std::max(best, score(each.alignment, each.term));
  return best;
}

const WaitingJob* TetrisPolicy::best_fitting(Index::Leaf& leaf) {
  TetrisScore score = score_of_fitting();
  double best = best_score(score);
  if (!std::isfinite(best)) {
    score.has_term = false;
    best = best_score(score);
  }
  const double threshold = score.tied_with(best);
  const WaitingJob* winner = nullptr;
  const auto prefer = [&](const WaitingJob* job, Index::Leaf of) {
    if (job == nullptr || (winner != nullptr && !(*job < *winner))) return;
    winner = job;
    leaf = of;
  };
  if (by_job_) {
    for (const FittingJob& each : fitting_jobs_) {
      if (score(each.alignment, each.term) >= threshold) prefer(each.job, each.leaf);
    }
    return winner;
  }
  for (const ScoreBlocks::Candidate& candidate : candidates_) {
    if (candidate.score < threshold) continue;
    const ScoredQueue& queue = waiting_.queue(candidate.leaf);
    const auto is_tied = [&](double least_cost) {
      return score(candidate.alignment, term(std::abs(least_cost), queue.share())) >= threshold;
    };
    prefer(queue.first_where(is_tied), candidate.leaf);
  }
  return winner;
}

void TetrisPolicy::offer(std::size_t machine, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  waiting_.regroup();
  for (;;) {
    collect(machine, turn.machines().free(machine), turn.availability(), jobs);
    if (fitting_.count == 0) return;
    Index::Leaf leaf = Index::kNoLeaf;
    const WaitingJob winner = *best_fitting(leaf);
    jobs.prefetch(winner.job);
    remove(leaf, winner.job, jobs);
    turn.start(winner.job, machine);
  }
}

}  // namespace schedcore
