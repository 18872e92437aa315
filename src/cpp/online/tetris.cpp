#include "schedcore/online/tetris.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace schedcore {
namespace {

constexpr double kTieTolerance = 1e-9;  // part of the tie rule, not of a feasibility test

}  // namespace

std::unique_ptr<Policy> TetrisPolicy::clone() const { return std::make_unique<TetrisPolicy>(*this); }

void TetrisPolicy::attach(const MachinesView& machines) {
  capacity_.assign(machines.capacity.begin(), machines.capacity.end());
  scale_ = DemandScale::of_cluster(machines);
  waiting_ = Index(machines.n_resources);
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
  ScoredQueue& queue = waiting_.mutable_queue(waiting_.leaf_of(demand, jobs.eligibility(job)));
  if (queue.demands().empty()) {
    std::vector<double> demands(demand.begin(), demand.end());
    demands.push_back(static_cast<double>(scale_.total(demand)) / static_cast<double>(scale_.common_capacity()));
    queue.set_demands(std::move(demands));
  }
  queue.add_term(term(processing_time, queue.demands().back()));
}

void TetrisPolicy::remove(Index::Leaf leaf, JobSlot job, const JobTable& jobs) {
  ScoredQueue& queue = waiting_.mutable_queue(leaf);
  if (queue.size() == 1) {
    queue.clear_sum();
  } else {
    queue.add_term(-term(jobs.whole_processing_time(job), queue.demands().back()));
  }
  waiting_.erase(leaf, {0, 0, 0, jobs.id(job)});
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

double TetrisPolicy::alignment_of(const std::vector<double>& demands, std::span<const double> room) {
  double alignment = 0;
  for (std::size_t r = 0; r < room.size(); ++r) alignment += demands[r] * room[r];
  return alignment;
}

void TetrisPolicy::collect(std::size_t machine, std::span<const Amount> available, const Availability& availability,
                           const JobTable& jobs) {
  candidates_.clear();
  fitting_ = {};
  weigh_room(machine, available);
  if (now_ + longest_ > availability.unlimited_until(machine)) {
    collect_jobs(machine, available, availability, jobs);
  } else {
    collect_classes(machine, available);
  }
}

void TetrisPolicy::collect_classes(std::size_t machine, std::span<const Amount> available) {
  waiting_.for_each_fitting_class(available, [&, room = std::span<const double>(room_)](Index::Leaf leaf) {
    const ScoredQueue& queue = waiting_.queue(leaf);
    const std::vector<double>& demands = queue.demands();
    const double alignment = alignment_of(demands, room);
    fitting_.add(static_cast<double>(queue.size()), alignment, queue.sum());
    candidates_.push_back({leaf, alignment, demands.back(), queue.least_cost(), nullptr, 0});
  }, machine);
}

void TetrisPolicy::collect_jobs(std::size_t machine, std::span<const Amount> available, const Availability& availability,
                                const JobTable& jobs) {
  waiting_.for_each_fitting_class(available, [&, room = std::span<const double>(room_)](Index::Leaf leaf) {
    const ScoredQueue& queue = waiting_.queue(leaf);
    const double alignment = alignment_of(queue.demands(), room);
    const double share = queue.demands().back();
    const Time until = availability.has_room_until(machine, waiting_.demand(leaf));
    queue.for_each([&](const WaitingJob& job, double least_cost) {
      if (now_ + jobs.processing_time(job.job) > until) return;
      fitting_.add(1, alignment, term(std::abs(least_cost), share));
      candidates_.push_back({leaf, alignment, share, least_cost, &job, 0});
    });
  }, machine);
}

const WaitingJob* TetrisPolicy::best_candidate(Index::Leaf& leaf) {
  const double mean_alignment = fitting_.alignment / fitting_.count;
  // In mode minus the terms are negative volumes; eps is a ratio of magnitudes.
  const double eps = mean_alignment / std::abs(fitting_.term / fitting_.count);
  // Volumes beyond the range of doubles have no mean; alignment decides alone then.
  bool has_mean = std::isfinite(fitting_.term) && std::isfinite(eps);
  const auto score = [&](const Candidate& candidate, double least_cost) {
    const double processing_time = std::abs(least_cost);
    return has_mean ? candidate.alignment + eps * term(processing_time, candidate.share) : candidate.alignment;
  };
  double best = -kNever;
  const auto rate = [&] {
    best = -kNever;
    for (Candidate& candidate : candidates_) {
      candidate.score = score(candidate, candidate.least_cost);
      best = std::max(best, candidate.score);
    }
  };
  rate();
  if (!std::isfinite(best)) {
    has_mean = false;
    rate();
  }
  const double threshold = best - kTieTolerance * std::max(std::abs(best), mean_alignment);
  const WaitingJob* winner = nullptr;
  for (const Candidate& candidate : candidates_) {
    if (candidate.score < threshold) continue;
    const WaitingJob* job = candidate.only != nullptr
                                ? candidate.only
                                : waiting_.queue(candidate.leaf).first_where([&](double least_cost) {
                                    return score(candidate, least_cost) >= threshold;
                                  });
    if (job != nullptr && (winner == nullptr || *job < *winner)) {
      winner = job;
      leaf = candidate.leaf;
    }
  }
  return winner;
}

void TetrisPolicy::offer(std::size_t machine, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (;;) {
    collect(machine, turn.machines().free(machine), turn.availability(), jobs);
    if (candidates_.empty()) return;
    Index::Leaf leaf = Index::kNoLeaf;
    const WaitingJob winner = *best_candidate(leaf);
    jobs.prefetch(winner.job);
    remove(leaf, winner.job, jobs);
    turn.start(winner.job, machine);
  }
}

}  // namespace schedcore
