// Proportional fairness in one slot: the rates x that maximise the sum of w_j log x_j.
//
// Subject to sum_j x_j use_jr <= 1 for every resource r, and x_j <= most_j.  With prices p_r >= 0 of the resources, a row
// pays q_j = sum_r p_r use_jr for a unit of rate and takes x_j = min(most_j, w_j / q_j); the prices are those at which no
// resource is overfull, and what is not used up is free: the minimum of the dual, convex and once differentiable in as many
// variables as there are resources.  The rates are unique, prices need not be.
//
//   one    a single resource is short: its price in closed form, by water filling, rows that are cheapest for their weight
//          at their largest rate first;
//   more   a face of the dual, the prices of the resources that are short, by Newton's method with a line search on the
//          slope.  The most overfull resource joins the face once that is solved; one whose price falls to 0 leaves it
//          (as in the active set method of Lawson and Hanson for least squares).
//
// Source: Im, Kulkarni and Munagala, "Competitive algorithms from competitive equilibria: non-clairvoyant scheduling under
// polyhedral constraints", STOC 2014; Jäger, Lindermayr and Megow, "The power of proportional fairness for non-clairvoyant
// scheduling under polyhedral constraints", SODA 2025.
//
// Promise: prices are positive or 0, rates are what rows take at them, what has a price is used up and nothing overfull up
// to 2^-42 + n 2^-53 of all there is.  That is the whole error: additions, multiplications and divisions of doubles in a
// fixed order, no function of libm, the same on every platform.
//
// Cost: O(n log n) for n rows where one resource is short, otherwise O(n K^2) for each step of Newton's method, of which a
// few are needed (bench/python/test_preemptive.py); no more than 200 for a face.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/preemptive/fair_columns.hpp"

namespace schedcore {

class ProportionalFairness {
 public:
  // Writes the rate of every row; rows that get their largest rate get exactly that.
  void assign(const FairColumns& columns, std::vector<double>& rate);

  // By resource, of the last call.
  [[nodiscard]] std::span<const double> prices() const { return price_; }

 private:
  void take(const FairColumns& columns, std::span<const double> price, std::vector<double>& rate);
  [[nodiscard]] std::size_t most_overfull() const;
  [[nodiscard]] double water_price(const FairColumns& columns, std::size_t resource);
  void solve_face(const FairColumns& columns, std::vector<double>& rate);
  void find_direction(const FairColumns& columns, std::span<const double> rate);
  [[nodiscard]] bool move(const FairColumns& columns, std::vector<double>& rate);

  double tolerance_ = 0.0;
  double most_price_ = 0.0;          // twice what all rows pay at most together, so more than any price
  std::vector<double> price_;        // by resource
  std::vector<double> used_;         // by resource, at the rates taken last
  std::vector<std::size_t> face_;    // resources with a price, ascending
  std::vector<double> direction_;    // by place in face_
  std::vector<double> matrix_;       // of second derivatives on the face, row-major
  std::vector<double> next_price_;
  std::vector<std::uint32_t> order_;
  std::vector<double> bid_, weights_;  // of water_price
};

}  // namespace schedcore
