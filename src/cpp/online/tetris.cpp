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
  const auto capacity = machines.capacity_of(0);
  capacity_.assign(capacity.begin(), capacity.end());
  scale_ = DemandScale(capacity);
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
  waiting_.push({{0, 0, 0, jobs.id(job)}, job}, demand, cost(jobs.processing_time(job)));
  ScoredQueue& queue = waiting_.mutable_queue(waiting_.leaf_of(demand));
  if (queue.shares().empty()) {
    std::vector<double> shares = shares_of(demand);
    shares.push_back(static_cast<double>(scale_.total(demand)) / static_cast<double>(scale_.common_capacity()));
    queue.set_shares(std::move(shares));
  }
  queue.add_term(term(jobs.processing_time(job), queue.shares().back()));
}

void TetrisPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const JobSlot job : event.arrived) index(job, jobs);
  offers_.run(event.completed, event.arrived, turn, false, [&](std::size_t machine, bool /*only_fresh*/) {
    offer(machine, turn);
    return false;
  });
}

// Of every resource, how much of its capacity; 0 where there is none.
std::vector<double> TetrisPolicy::shares_of(std::span<const Amount> amounts) const {
  std::vector<double> shares(amounts.size(), 0);
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (capacity_[r] != 0) shares[r] = static_cast<double>(amounts[r]) / static_cast<double>(capacity_[r]);
  }
  return shares;
}

void TetrisPolicy::collect(std::span<const Amount> available) {
  candidates_.clear();
  const std::vector<double> room = shares_of(available);
  waiting_.for_each_fitting_class(available, [&](Index::Leaf leaf) {
    const std::vector<double>& shares = waiting_.queue(leaf).shares();
    double alignment = 0;
    for (std::size_t r = 0; r < room.size(); ++r) alignment += shares[r] * room[r];
    candidates_.push_back({leaf, alignment, shares.back(), 0});
  });
}

const WaitingJob* TetrisPolicy::best_candidate(Index::Leaf& leaf) {
  double n_fitting = 0;
  double alignment_sum = 0;
  double term_sum = 0;
  for (const Candidate& candidate : candidates_) {
    const ScoredQueue& queue = waiting_.queue(candidate.leaf);
    const auto count = static_cast<double>(queue.size());
    n_fitting += count;
    alignment_sum += count * candidate.alignment;
    term_sum += queue.sum();
  }
  const double mean_alignment = alignment_sum / n_fitting;
  // In mode minus the terms are negative volumes; eps is a ratio of magnitudes.
  const double eps = mean_alignment / std::abs(term_sum / n_fitting);
  // Volumes beyond the range of doubles have no mean; alignment decides alone then.
  bool has_mean = std::isfinite(term_sum) && std::isfinite(eps);
  const auto score = [&](const Candidate& candidate, double least_cost) {
    const double processing_time = std::abs(least_cost);
    return has_mean ? candidate.alignment + eps * term(processing_time, candidate.share) : candidate.alignment;
  };
  double best = -kNever;
  const auto rate = [&] {
    best = -kNever;
    for (Candidate& candidate : candidates_) {
      candidate.score = score(candidate, waiting_.queue(candidate.leaf).least_cost());
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
    const WaitingJob* job = waiting_.queue(candidate.leaf).first_where(
        [&](double least_cost) { return score(candidate, least_cost) >= threshold; });
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
    collect(turn.machines().free(machine));
    if (candidates_.empty()) return;
    Index::Leaf leaf = Index::kNoLeaf;
    const WaitingJob winner = *best_candidate(leaf);
    jobs.prefetch(winner.job);
    ScoredQueue& queue = waiting_.mutable_queue(leaf);
    if (queue.size() == 1) {
      queue.clear_sum();
    } else {
      queue.add_term(-term(jobs.processing_time(winner.job), queue.shares().back()));
    }
    waiting_.erase(leaf, winner.priority);
    turn.start(winner.job, machine);
  }
}

}  // namespace schedcore
