// The instance without the types that have no task: they constrain nothing and would only cost time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

class PresentTypes {
 public:
  explicit PresentTypes(const ColocationView& view) {
    std::vector<std::int64_t> renamed(view.n_types, -1);
    for (std::size_t task = 0; task < view.n_tasks(); ++task) renamed[view.type_of(task)] = 0;
    std::vector<std::size_t> present;
    for (std::size_t old = 0; old < view.n_types; ++old) {
      if (renamed[old] < 0) continue;
      renamed[old] = static_cast<std::int64_t>(present.size());
      present.push_back(old);
    }
    type_.reserve(view.n_tasks());
    for (std::size_t task = 0; task < view.n_tasks(); ++task) type_.push_back(renamed[view.type_of(task)]);
    alpha_.reserve(present.size() * present.size());
    for (const std::size_t source : present) {
      for (const std::size_t destination : present) alpha_.push_back(view.coefficient(source, destination));
    }
    view_ = {view.size, type_, alpha_, view.alpha_denominator, present.size(), view.n_machines};
  }
  PresentTypes(const PresentTypes&) = delete;  // the view points into this
  PresentTypes& operator=(const PresentTypes&) = delete;

  // The same tasks and machines; types keep their order.
  [[nodiscard]] const ColocationView& view() const { return view_; }

 private:
  std::vector<std::int64_t> type_;
  std::vector<CostNumerator> alpha_;
  ColocationView view_;
};

}  // namespace schedcore
