// A list of tasks in a fixed order, searched for the next one that fits.
//
// A complete binary tree over the list holds the least demand for each resource among the tasks that are left, so that a
// search passes over whole subtrees.  With one resource a search costs O(log n), and O(1) where the very next task fits;
// with several it visits more where no task of a subtree needs little of everything at once.  Removal, and putting a
// task back, cost O(n_resources log n), an appended task the same amortised.  For fewer than about ten tasks a loop is as
// fast; waiting jobs with few distinct demands are better off in waiting_index.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

class FittingList {
 public:
  // `demand` is row-major (n_tasks, n_resources), in the order of the list.  Requires at least one resource.
  FittingList(std::span<const Amount> demand, std::size_t n_resources)
      : n_resources_(n_resources), n_tasks_(demand.size() / n_resources) {
    plant(std::vector<Amount>(demand.begin(), demand.end()));
  }

  // Number of tasks that the list has ever had, and what `first_fitting` returns if nothing fits.
  [[nodiscard]] std::size_t n_tasks() const { return n_tasks_; }

  // The first position >= `from` of a task that is left and fits into `available`.
  [[nodiscard]] std::size_t first_fitting(std::size_t from, std::span<const Amount> available) const {
    if (from >= n_tasks_) return n_tasks_;
    std::size_t node = first_leaf_ + from;
    while (true) {
      if (fits(&least_[node * n_resources_], available.data(), n_resources_)) {
        if (node >= first_leaf_) return node - first_leaf_;
        node *= 2;
        continue;
      }
      node >>= std::countr_one(node);  // out of every subtree that ends here
      if (node == 0) return n_tasks_;
      ++node;
    }
  }

  void append(std::span<const Amount> demand) {
    if (n_tasks_ == first_leaf_) plant({least_.begin() + offset(first_leaf_), least_.end()});
    put(n_tasks_++, demand);
  }

  // Puts a task that was removed, or another in its place.
  void put(std::size_t position, std::span<const Amount> demand) {
    assert(position < n_tasks_ && demand.size() == n_resources_);
    std::copy(demand.begin(), demand.end(), least_.begin() + offset(first_leaf_ + position));
    renew_above(first_leaf_ + position);
  }

  void remove(std::size_t position) {
    assert(position < n_tasks_);
    std::fill_n(least_.begin() + offset(first_leaf_ + position), n_resources_, kAbsent);
    renew_above(first_leaf_ + position);
  }

 private:
  static constexpr Amount kAbsent = std::numeric_limits<Amount>::max();  // above every amount that can be available

  [[nodiscard]] std::ptrdiff_t offset(std::size_t node) const {
    return static_cast<std::ptrdiff_t>(node * n_resources_);
  }

  // Makes a tree with room for one task more at least; `leaves` are the demands so far.
  void plant(std::vector<Amount> leaves) {
    first_leaf_ = std::bit_ceil(leaves.size() / n_resources_ + 1);
    least_.assign(2 * first_leaf_ * n_resources_, kAbsent);
    std::copy(leaves.begin(), leaves.end(), least_.begin() + offset(first_leaf_));
    for (std::size_t node = first_leaf_ - 1; node > 0; --node) renew(node);
  }

  void renew_above(std::size_t node) {
    while ((node /= 2) > 0) renew(node);
  }
  void renew(std::size_t node) {
    for (std::size_t r = 0; r < n_resources_; ++r) {
      least_[node * n_resources_ + r] =
          std::min(least_[2 * node * n_resources_ + r], least_[(2 * node + 1) * n_resources_ + r]);
    }
  }

  std::size_t n_resources_;
  std::size_t n_tasks_;
  std::size_t first_leaf_ = 1;
  // Node 1 is the root, the children of i are 2i and 2i + 1; row i is the componentwise least demand of what is left
  // below node i, kAbsent where nothing is.
  std::vector<Amount> least_;
};

}  // namespace schedcore
