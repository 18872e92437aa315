// The scores of TETRIS for classes of waiting jobs, 64 at a time: sums over all that fit, and who is best.
//
// A class stands where its leaf in the WaitingIndex says, in columns side by side.  Of every block of 64 the sums and the
// greatest entries are known.  A block of which all fits is so added in O(R), and one whose greatest entries together
// score too little is passed over.  The classes of any other block are looked at, a column at a time.
//
// Cost with C classes: set O(1); a search O(R) for each block with classes that may fit, O(64 R) for those that fit in
// part or changed, and O(64 R) for those that might hold the best.  Where there are few blocks, or few classes of one may
// fit, these are looked at one by one: O(R) each.  Memory 8 (R + 3) bytes a leaf.  Blocks of classes that
// are like each other (WaitingIndex::regroup) make nearly all of them O(R); the answer does not depend on it but for the
// rounding of sums, which are formed block by block.
//
// Amounts are compared as doubles, exactly since they are at most 2^53.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

// What a score is made of: alignment + eps * term, or the alignment alone.
struct TetrisScore {
  double eps = 0;
  double mean_alignment = 0;
  bool has_term = true;

  [[nodiscard]] double operator()(double alignment, double term) const {
    return has_term ? alignment + eps * term : alignment;
  }
  // The least score that ties with the best one; not falling in `best`.
  [[nodiscard]] double tied_with(double best) const;
};

class ScoreBlocks {
 public:
  // All jobs that fit: how many, and the sums of both terms of their scores.
  struct Fitting {
    double count = 0;
    double alignment = 0;
    double term = 0;
    void add(double jobs, double alignment_of_all, double term_of_all) {
      count += jobs;
      alignment += alignment_of_all;
      term += term_of_all;
    }
  };
  struct Candidate {
    std::uint32_t leaf;
    double alignment;
    double score;  // of the best job of the class
  };

  // Room for so many classes, of which none has jobs.
  void lay_out(std::size_t n_leaves, std::size_t n_resources);
  // A class of `count` jobs, whose terms add up to `sum` and are at most `best`.
  void set(std::uint32_t leaf, std::span<const Amount> demand, double count, double sum, double best);
  // The class has no jobs any longer.
  void clear(std::uint32_t leaf);

  // A search: start, then add every block with classes that may fit, then best, as often as wanted.  `room` is what a unit
  // of each demand adds to the alignment.
  void start(std::span<const Amount> available, std::span<const double> room);
  // Of the classes whose bits are set in the word, those that fit; none but classes with jobs.
  void add(std::size_t block, std::uint64_t classes);
  [[nodiscard]] const Fitting& fitting() const { return fitting_; }
  // The greatest score; into `candidates` all that tie with it, and others.
  [[nodiscard]] double best(const TetrisScore& score, std::vector<Candidate>& candidates) const;

 private:
  static constexpr std::size_t kBlock = 64;
  static constexpr int kFew = 12;                // classes of a block that are looked at one by one
  static constexpr std::size_t kFewBlocks = 64;  // of fewer blocks, all are
  using Lanes = std::array<double, kBlock>;

  struct Block {
    std::uint64_t live = 0;
    bool is_stale = false;  // the rest of it and its rows below
    double count = 0;
    double term_sum = 0;
    double best_term = 0;
  };
  // Classes of a block that fit, and bounds on both parts of their scores.
  struct Piece {
    std::size_t block;
    std::uint64_t classes;
    double alignment;
    double term;
  };

  [[nodiscard]] const double* demands(std::size_t block) const { return demands_.data() + block * n_resources_ * kBlock; }
  void refresh(std::size_t block);
  void add_singly(std::size_t block, std::uint64_t classes);
  [[nodiscard]] Lanes alignments_of(std::size_t block) const;
  // The bits of the classes that fit.
  [[nodiscard]] std::uint64_t fitting_of(std::size_t block, std::uint64_t classes) const;
  void look_at(const Piece& piece, const TetrisScore& score, double& best, std::vector<Candidate>& candidates) const;

  std::size_t n_resources_ = 0;
  std::vector<double> demands_;    // (blocks, n_resources, 64)
  std::vector<double> count_;      // of every leaf
  std::vector<double> term_sum_;   // likewise
  std::vector<double> best_term_;  // likewise
  std::vector<Block> blocks_;
  std::vector<double> greatest_demand_;  // (blocks, n_resources), of the live classes
  std::vector<double> demand_sum_;       // likewise, of all their jobs
  // Of one search.
  std::vector<double> available_;
  std::vector<double> room_;
  Fitting fitting_;
  std::vector<Piece> pieces_;
  std::vector<Candidate> singles_;  // fit, and were looked at one by one
};

}  // namespace schedcore
