#include "schedcore/colocation/type_clusters.hpp"

#include <algorithm>

namespace schedcore {
namespace {

using Labels = std::vector<std::int64_t>;

// Whether `type` may join the cluster `label` of the types before it.
bool may_join(const TypeCoefficients& coefficients, const Labels& labels, std::size_t type, std::int64_t label) {
  for (std::size_t other = 0; other < type; ++other) {
    if (labels[other] == label && !coefficients.compatible(other, type)) return false;
  }
  return true;
}

// No partition has fewer clusters than there are types that are pairwise incompatible: a set found greedily, from each
// type on.
std::int64_t fewest_possible(const TypeCoefficients& coefficients) {
  std::int64_t best = 0;
  for (std::size_t start = 0; start < coefficients.n_types; ++start) {
    std::vector<std::size_t> apart{start};
    for (std::size_t type = 0; type < coefficients.n_types; ++type) {
      const bool joins = std::ranges::none_of(
          apart, [&](std::size_t other) { return other == type || coefficients.compatible(other, type); });
      if (joins) apart.push_back(type);
    }
    best = std::max(best, static_cast<std::int64_t>(apart.size()));
  }
  return best;
}

class LabelSearch {
 public:
  LabelSearch(const TypeCoefficients& coefficients, Monitor* monitor)
      : coefficients_(coefficients),
        monitor_(monitor),
        labels_(coefficients.n_types, 0),
        best_(first_fit_clusters(coefficients)),
        best_count_(*std::ranges::max_element(best_) + 1),
        fewest_(fewest_possible(coefficients)) {}

  // First fit is the first leaf in lexicographic order, so whatever replaces it has fewer clusters.
  Labels run() {
    extend(0, 0);
    return best_;
  }

 private:
  void extend(std::size_t type, std::int64_t count) {
    if (++n_nodes_ % kNodesBetweenPolls == 0 && monitor_ != nullptr) monitor_->poll(n_nodes_, 0);
    if (best_count_ == fewest_ || count >= best_count_) return;
    if (type == coefficients_.n_types) {
      best_ = labels_;
      best_count_ = count;
      return;
    }
    for (std::int64_t label = 0; label <= count; ++label) {
      if (label < count && !may_join(coefficients_, labels_, type, label)) continue;
      labels_[type] = label;
      extend(type + 1, std::max(count, label + 1));
    }
  }

  static constexpr std::uint64_t kNodesBetweenPolls = 1 << 14;

  const TypeCoefficients& coefficients_;
  Monitor* monitor_;
  std::uint64_t n_nodes_ = 0;
  Labels labels_;
  Labels best_;
  std::int64_t best_count_;
  std::int64_t fewest_;
};

}  // namespace

Labels first_fit_clusters(const TypeCoefficients& coefficients) {
  Labels labels(coefficients.n_types, 0);
  std::vector<bool> is_refused;  // [label]: some member is not compatible with the type at hand
  for (std::size_t type = 0; type < coefficients.n_types; ++type) {
    is_refused.assign(is_refused.size(), false);
    for (std::size_t other = 0; other < type; ++other) {
      if (!coefficients.compatible(other, type)) is_refused[static_cast<std::size_t>(labels[other])] = true;
    }
    const auto first = std::ranges::find(is_refused, false);
    labels[type] = first - is_refused.begin();
    if (first == is_refused.end()) is_refused.push_back(false);
  }
  return labels;
}

Labels fewest_clusters(const TypeCoefficients& coefficients, Monitor* monitor) {
  return LabelSearch(coefficients, monitor).run();
}

}  // namespace schedcore
