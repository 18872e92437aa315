// The waiting jobs of one demand class, in two forms that WaitingIndex can be built on.
//
// ClassHeap knows only the first job in priority order: O(log n) push and pop, 48 bytes a job.
// CostQueue also finds the first job in priority order whose cost (a processing time, say) passes a test that cheaper
// jobs pass whenever dearer ones do: O(log n) expected for insert, erase and search, 72 bytes a job.  It is a treap
// whose shape depends on its contents' priorities alone, hence the same on every platform.  Use the heap where no cost
// is asked for; it is several times faster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/exact/priority.hpp"

namespace schedcore {

using JobSlot = std::uint32_t;

struct WaitingJob {
  Priority priority;
  JobSlot job = 0;

  friend bool operator<(const WaitingJob& a, const WaitingJob& b) { return a.priority < b.priority; }
};

class ClassHeap {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] const WaitingJob& top() const { return heap_.front(); }
  // All of them, the first one in front.
  [[nodiscard]] std::span<const WaitingJob> jobs() const { return heap_; }

  void insert(const WaitingJob& job, double /*cost*/) {
    heap_.push_back(job);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  // Fast for the top, O(n) for any other job.
  void erase(const Priority& priority) {
    if (heap_.front().priority == priority) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
      return;
    }
    const auto has_priority = [&](const WaitingJob& job) { return job.priority == priority; };
    const auto found = std::find_if(heap_.begin(), heap_.end(), has_priority);
    if (found == heap_.end()) return;
    *found = heap_.back();
    heap_.pop_back();
    std::make_heap(heap_.begin(), heap_.end(), later);
  }
  // Returns how many have gone; O(n).
  template <class Gone>
  std::size_t erase_where(const Gone& gone) {
    const std::size_t n_gone = std::erase_if(heap_, gone);
    std::make_heap(heap_.begin(), heap_.end(), later);
    return n_gone;
  }

 private:
  static bool later(const WaitingJob& a, const WaitingJob& b) { return b < a; }

  std::vector<WaitingJob> heap_;
};

class CostQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const WaitingJob& top() const { return nodes_[first_].job; }
  [[nodiscard]] double least_cost() const { return nodes_[root_].least_cost; }

  void insert(const WaitingJob& job, double cost);
  void erase(const Priority& priority);

  // The first job in priority order whose cost passes, or null.  `passes` must hold for every cost below one for
  // which it holds.
  template <class Passes>
  [[nodiscard]] const WaitingJob* first_where(const Passes& passes) const {
    std::uint32_t node = root_;
    if (node == kNone || !passes(nodes_[node].least_cost)) return nullptr;
    for (;;) {
      const Node& here = nodes_[node];
      if (here.left != kNone && passes(nodes_[here.left].least_cost)) {
        node = here.left;
      } else if (passes(here.cost)) {
        return &here.job;
      } else {
        node = here.right;  // the subtree's least cost passes and is neither left nor here
      }
    }
  }
  // Calls visit(job, cost) for every job, in no order; O(n).
  template <class Visit>
  void for_each(const Visit& visit) const {
    std::vector<std::uint32_t> open;
    if (root_ != kNone) open.push_back(root_);
    while (!open.empty()) {
      const Node& here = nodes_[open.back()];
      open.pop_back();
      visit(here.job, here.cost);
      if (here.left != kNone) open.push_back(here.left);
      if (here.right != kNone) open.push_back(here.right);
    }
  }
  void check_invariants() const;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Node {
    WaitingJob job;
    double cost = 0;
    double least_cost = 0;  // over the subtree
    std::uint32_t left = kNone;
    std::uint32_t right = kNone;
    std::uint32_t rank = 0;  // heap order of the treap: a hash of the job's id
  };

  [[nodiscard]] std::uint32_t new_node(const WaitingJob& job, double cost);
  void update(std::uint32_t node);
  // Jobs before `priority` to the left tree, the others to the right one.
  void split(std::uint32_t node, const Priority& priority, std::uint32_t& left, std::uint32_t& right);
  [[nodiscard]] std::uint32_t merge(std::uint32_t left, std::uint32_t right);
  [[nodiscard]] std::uint32_t insert_at(std::uint32_t node, std::uint32_t added);
  [[nodiscard]] std::uint32_t erase_at(std::uint32_t node, const Priority& priority);
  void find_first();

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  std::uint32_t root_ = kNone;
  std::uint32_t first_ = kNone;  // leftmost node
  std::size_t size_ = 0;
};

}  // namespace schedcore
