#include "schedcore/online/score_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace schedcore {
namespace {

constexpr double kTieTolerance = 1e-9;  // part of the tie rule, not of a feasibility test
constexpr double kLeast = -std::numeric_limits<double>::infinity();

}  // namespace

double TetrisScore::tied_with(double best) const {
  return best - kTieTolerance * std::max(std::abs(best), mean_alignment);
}

void ScoreBlocks::lay_out(std::size_t n_leaves, std::size_t n_resources) {
  n_resources_ = n_resources;
  const std::size_t n_blocks = (n_leaves + kBlock - 1) / kBlock;
  blocks_.assign(n_blocks, {});
  demands_.assign(n_blocks * n_resources * kBlock, 0);
  for (std::vector<double>* column : {&count_, &term_sum_, &best_term_}) column->assign(n_blocks * kBlock, 0);
  for (std::vector<double>* row : {&greatest_demand_, &demand_sum_}) row->assign(n_blocks * n_resources, 0);
}

void ScoreBlocks::set(std::uint32_t leaf, std::span<const Amount> demand, double count, double sum, double best) {
  Block& block = blocks_[leaf / kBlock];
  const std::uint64_t bit = std::uint64_t{1} << (leaf % kBlock);
  if ((block.live & bit) == 0) {
    double* const lane = demands_.data() + leaf / kBlock * n_resources_ * kBlock + leaf % kBlock;
    for (std::size_t r = 0; r < n_resources_; ++r) lane[r * kBlock] = static_cast<double>(demand[r]);
  }
  block.live |= bit;
  block.is_stale = true;
  count_[leaf] = count;
  term_sum_[leaf] = sum;
  best_term_[leaf] = best;
}

void ScoreBlocks::clear(std::uint32_t leaf) {
  Block& block = blocks_[leaf / kBlock];
  block.live &= ~(std::uint64_t{1} << (leaf % kBlock));
  block.is_stale = true;
}

// From its classes anew, so that no rounding is left behind by those that have gone.
void ScoreBlocks::refresh(std::size_t block) {
  Block& of = blocks_[block];
  of = {of.live, false, 0, 0, kLeast};
  for (std::uint64_t left = of.live; left != 0; left &= left - 1) {
    const std::size_t leaf = block * kBlock + static_cast<std::size_t>(std::countr_zero(left));
    of.count += count_[leaf];
    of.term_sum += term_sum_[leaf];
    of.best_term = std::max(of.best_term, best_term_[leaf]);
  }
  const double* column = demands(block);
  for (std::size_t r = 0; r < n_resources_; ++r, column += kBlock) {
    double greatest = 0;
    double sum = 0;
    for (std::uint64_t left = of.live; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      greatest = std::max(greatest, column[lane]);
      sum += count_[block * kBlock + lane] * column[lane];
    }
    greatest_demand_[block * n_resources_ + r] = greatest;
    demand_sum_[block * n_resources_ + r] = sum;
  }
}

void ScoreBlocks::start(std::span<const Amount> available, std::span<const double> room) {
  available_.assign(available.begin(), available.end());
  room_.assign(room.begin(), room.end());
  fitting_ = {};
  pieces_.clear();
  singles_.clear();
}

// A column at a time, for all lanes alike, so that compilers make vector instructions of it.
ScoreBlocks::Lanes ScoreBlocks::alignments_of(std::size_t block) const {
  Lanes alignments{};
  const double* column = demands(block);
  for (std::size_t r = 0; r < n_resources_; ++r, column += kBlock) {
    const double room = room_[r];
    for (std::size_t lane = 0; lane < kBlock; ++lane) alignments[lane] += column[lane] * room;
  }
  return alignments;
}

std::uint64_t ScoreBlocks::fitting_of(std::size_t block, std::uint64_t classes) const {
  std::array<std::uint64_t, kBlock> left{};  // of what is available; the first bit says that some is less than nothing
  const double* column = demands(block);
  for (std::size_t r = 0; r < n_resources_; ++r, column += kBlock) {
    const double available = available_[r];
    for (std::size_t lane = 0; lane < kBlock; ++lane) left[lane] |= std::bit_cast<std::uint64_t>(available - column[lane]);
  }
  std::uint64_t fitting = 0;
  for (std::size_t lane = 0; lane < kBlock; ++lane) fitting |= (left[lane] >> 63 ^ 1) << lane;
  return fitting & classes;
}

void ScoreBlocks::add_singly(std::size_t block, std::uint64_t classes) {
  const double* const first = demands(block);
  for (std::uint64_t left = classes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const double* demand = first + lane;
    double alignment = 0;
    std::size_t r = 0;
    for (; r < n_resources_ && *demand <= available_[r]; ++r, demand += kBlock) alignment += *demand * room_[r];
    if (r < n_resources_) continue;
    const std::size_t leaf = block * kBlock + lane;
    fitting_.add(count_[leaf], count_[leaf] * alignment, term_sum_[leaf]);
    singles_.push_back({static_cast<std::uint32_t>(leaf), alignment, 0});
  }
}

void ScoreBlocks::add(std::size_t block, std::uint64_t classes) {
  if (blocks_.size() < kFewBlocks || std::popcount(classes) <= kFew) {
    add_singly(block, classes);
    return;
  }
  if (blocks_[block].is_stale) refresh(block);
  const Block& of = blocks_[block];
  const double* const greatest = greatest_demand_.data() + block * n_resources_;
  const double* const sum = demand_sum_.data() + block * n_resources_;
  bool all_fit = classes == of.live;
  double bound = 0;
  double alignment = 0;
  for (std::size_t r = 0; r < n_resources_; ++r) {
    all_fit = all_fit && greatest[r] <= available_[r];
    bound += greatest[r] * room_[r];
    alignment += sum[r] * room_[r];
  }
  if (all_fit) {
    fitting_.add(of.count, alignment, of.term_sum);
    pieces_.push_back({block, classes, bound, of.best_term});
    return;
  }
  const std::uint64_t fitting = fitting_of(block, classes);
  if (fitting == 0) return;
  const Lanes alignments = alignments_of(block);
  Fitting sums = fitting_;
  bound = 0;
  for (std::uint64_t left = fitting; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::size_t leaf = block * kBlock + lane;
    sums.add(count_[leaf], count_[leaf] * alignments[lane], term_sum_[leaf]);
    bound = std::max(bound, alignments[lane]);
  }
  fitting_ = sums;
  pieces_.push_back({block, fitting, bound, of.best_term});
}

void ScoreBlocks::look_at(const Piece& piece, const TetrisScore& score, double& best,
                          std::vector<Candidate>& candidates) const {
  const Lanes alignments = alignments_of(piece.block);
  double tied = score.tied_with(best);
  for (std::uint64_t left = piece.classes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::size_t leaf = piece.block * kBlock + lane;
    const double own = score(alignments[lane], best_term_[leaf]);
    if (own < tied) continue;
    candidates.push_back({static_cast<std::uint32_t>(leaf), alignments[lane], own});
    if (own > best) {
      best = own;
      tied = score.tied_with(best);
    }
  }
}

// A bound is never below a score it bounds, as rounded sums and products of numbers that are not negative do not fall
// when one of these grows, and the terms are multiplied by one factor that is not negative.
double ScoreBlocks::best(const TetrisScore& score, std::vector<Candidate>& candidates) const {
  candidates.clear();
  double best = kLeast;
  for (Candidate single : singles_) {
    single.score = score(single.alignment, best_term_[single.leaf]);
    best = std::max(best, single.score);
    candidates.push_back(single);
  }
  if (pieces_.empty()) return best;
  const auto bound = [&](const Piece& piece) { return score(piece.alignment, piece.term); };
  // One that promises most first, and the others are mostly passed over.
  const auto first = std::ranges::max_element(pieces_, {}, bound);
  look_at(*first, score, best, candidates);
  double tied = score.tied_with(best);
  for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
    if (piece == first || bound(*piece) < tied) continue;
    look_at(*piece, score, best, candidates);
    tied = score.tied_with(best);
  }
  return best;
}

}  // namespace schedcore
