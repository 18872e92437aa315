// The cheapest cores of one pool under a switching cost on total rates; see `switching_slot.hpp`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/random_stream.hpp"
#include "schedcore/preemptive/switching_slot.hpp"

namespace schedcore {

class SwitchingJobLevel {
 public:
  SwitchingJobLevel(Amount total, double alpha, bool work_conserving)
      : total_(total), alpha_(alpha), work_conserving_(work_conserving) {}

  std::size_t rates(const SwitchingRows& rows, std::span<const Amount> previous_total, std::span<const double> omega,
                    std::vector<Amount>& cores);

 private:
  // A row some of whose cores are still undecided: those up to `taken` are chosen, those above `last` are not.
  struct Candidate {
    double base;    // c / d
    double square;  // d * d
    double alpha;   // 0 in the first slot
    Amount previous;
    Amount taken;
    Amount last;
    std::uint32_t row;

    [[nodiscard]] double marginal(Amount core) const {
      return base + alpha * static_cast<double>(2 * (core - previous) - 1) / square;
    }
    template <class Before>
    [[nodiscard]] Amount last_core(double threshold, Before before) const;
  };
  struct Pivot {
    double marginal;
    std::uint32_t row;
    Amount core;
    Amount weight;  // how many undecided cores of the row it stands for
  };

  void list_candidates(const SwitchingRows& rows, std::span<const Amount> previous_total);
  [[nodiscard]] bool candidates_exceed(Amount amount) const;
  [[nodiscard]] Pivot choose_pivot(Amount left);
  Amount count_up_to(const Pivot& pivot, Amount left);
  void select(std::vector<Amount>& cores);

  Amount total_;
  double alpha_;
  bool work_conserving_;
  RandomStream random_{0};  // pivots decide how long a selection takes, not what it gives
  std::vector<Candidate> candidates_;  // in ascending order of rows, taken < last
  std::vector<Amount> counted_;        // by candidate: its last core that is not after the pivot
};

}  // namespace schedcore
