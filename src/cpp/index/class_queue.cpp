#include "schedcore/index/class_queue.hpp"

#include <stdexcept>

namespace schedcore {
namespace {

// SplitMix64's finaliser: the treap's heap order looks random and depends on the id alone.
std::uint32_t hashed(std::int64_t id) {
  auto z = static_cast<std::uint64_t>(id) + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
}

}  // namespace

std::uint32_t CostQueue::new_node(const WaitingJob& job, double cost) {
  Node node;
  node.job = job;
  node.cost = node.least_cost = cost;
  node.rank = hashed(job.priority.id);
  if (free_.empty()) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  nodes_[index] = node;
  return index;
}

void CostQueue::update(std::uint32_t node) {
  Node& here = nodes_[node];
  here.least_cost = here.cost;
  if (here.left != kNone) here.least_cost = std::min(here.least_cost, nodes_[here.left].least_cost);
  if (here.right != kNone) here.least_cost = std::min(here.least_cost, nodes_[here.right].least_cost);
}

void CostQueue::split(std::uint32_t node, const Priority& priority, std::uint32_t& left, std::uint32_t& right) {
  if (node == kNone) {
    left = right = kNone;
    return;
  }
  if (nodes_[node].job.priority < priority) {
    std::uint32_t rest = kNone;
    split(nodes_[node].right, priority, rest, right);
    nodes_[node].right = rest;
    left = node;
  } else {
    std::uint32_t rest = kNone;
    split(nodes_[node].left, priority, left, rest);
    nodes_[node].left = rest;
    right = node;
  }
  update(node);
}

std::uint32_t CostQueue::merge(std::uint32_t left, std::uint32_t right) {
  if (left == kNone) return right;
  if (right == kNone) return left;
  if (nodes_[left].rank >= nodes_[right].rank) {
    const std::uint32_t merged = merge(nodes_[left].right, right);
    nodes_[left].right = merged;
    update(left);
    return left;
  }
  const std::uint32_t merged = merge(left, nodes_[right].left);
  nodes_[right].left = merged;
  update(right);
  return right;
}

std::uint32_t CostQueue::insert_at(std::uint32_t node, std::uint32_t added) {
  if (node == kNone) return added;
  if (nodes_[added].rank > nodes_[node].rank) {
    std::uint32_t left = kNone;
    std::uint32_t right = kNone;
    split(node, nodes_[added].job.priority, left, right);
    nodes_[added].left = left;
    nodes_[added].right = right;
    update(added);
    return added;
  }
  if (nodes_[added].job.priority < nodes_[node].job.priority) {
    const std::uint32_t child = insert_at(nodes_[node].left, added);
    nodes_[node].left = child;
  } else {
    const std::uint32_t child = insert_at(nodes_[node].right, added);
    nodes_[node].right = child;
  }
  update(node);
  return node;
}

std::uint32_t CostQueue::erase_at(std::uint32_t node, const Priority& priority) {
  if (node == kNone) return kNone;
  if (nodes_[node].job.priority == priority) {
    const std::uint32_t merged = merge(nodes_[node].left, nodes_[node].right);
    free_.push_back(node);
    --size_;
    return merged;
  }
  if (priority < nodes_[node].job.priority) {
    const std::uint32_t child = erase_at(nodes_[node].left, priority);
    nodes_[node].left = child;
  } else {
    const std::uint32_t child = erase_at(nodes_[node].right, priority);
    nodes_[node].right = child;
  }
  update(node);
  return node;
}

void CostQueue::find_first() {
  first_ = root_;
  if (root_ == kNone) return;
  while (nodes_[first_].left != kNone) first_ = nodes_[first_].left;
}

void CostQueue::insert(const WaitingJob& job, double cost) {
  root_ = insert_at(root_, new_node(job, cost));
  ++size_;
  find_first();
}

void CostQueue::erase(const Priority& priority) {
  root_ = erase_at(root_, priority);
  find_first();
  if (size_ == 0) {
    nodes_.clear();
    free_.clear();
  }
}

void CostQueue::check_invariants() const {
  std::size_t seen = 0;
  const auto check = [&](const auto& self, std::uint32_t index) -> double {
    if (index == kNone) return std::numeric_limits<double>::infinity();
    const Node& node = nodes_[index];
    ++seen;
    for (const std::uint32_t child : {node.left, node.right}) {
      if (child != kNone && nodes_[child].rank > node.rank) throw std::logic_error("CostQueue: heap order");
    }
    if (node.left != kNone && !(nodes_[node.left].job < node.job)) throw std::logic_error("CostQueue: left order");
    if (node.right != kNone && !(node.job < nodes_[node.right].job)) throw std::logic_error("CostQueue: right order");
    const double least = std::min({node.cost, self(self, node.left), self(self, node.right)});
    if (least != node.least_cost) throw std::logic_error("CostQueue: least cost");
    return least;
  };
  check(check, root_);
  if (seen != size_) throw std::logic_error("CostQueue: size");
}

}  // namespace schedcore
