// The place of a job in a queue: by the tier of its partition, then by a key, then by release time and id.
//
// Totally ordered, smaller comes first; no two jobs with different ids are equal.  Comparing two almost always ends at the
// second word.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "schedcore/exact/priority.hpp"
#include "schedcore/exact/queue_formula.hpp"

namespace schedcore {

// By what a queue is ordered: a key of its own, a formula, the priority of each job, or priorities that a site computes; jobs
// of equal keys come in order of release, or by their ids alone.
struct OrderRule {
  enum class Source : std::uint8_t { key, priority, multifactor, formula };
  PriorityRule key = PriorityRule::erf;
  Source source = Source::key;
  bool ties_by_id = false;
  QueueFormula formula = QueueFormula::saf;

  [[nodiscard]] bool is_by_arrival() const { return source == Source::key && key == PriorityRule::erf; }
};

struct QueueOrder {
  std::int64_t tier = 0;  // negated, as higher ones come first
  std::uint64_t high = 0;
  std::uint64_t middle = 0;
  std::uint64_t low = 0;
  std::uint64_t release = 0;
  std::int64_t id = 0;

  QueueOrder() = default;
  QueueOrder(std::int64_t tier_of_partition, const Priority& key, std::uint64_t release_rank)
      : tier(-tier_of_partition), high(key.high), middle(key.middle), low(key.low), release(release_rank), id(key.id) {}

  // In front of every job, and behind.
  [[nodiscard]] static QueueOrder ahead_of_all() {
    QueueOrder first;
    first.tier = std::numeric_limits<std::int64_t>::min();
    return first;
  }
  [[nodiscard]] static QueueOrder behind_all() {
    QueueOrder last;
    last.tier = std::numeric_limits<std::int64_t>::max();
    return last;
  }

  friend auto operator<=>(const QueueOrder&, const QueueOrder&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(tier, high, middle, low, release, id);
  }
};

}  // namespace schedcore
