#include "schedcore/colocation/type_list_scheduling.hpp"

#include "schedcore/colocation/machine_costs.hpp"
#include "schedcore/packing/list_scheduling.hpp"

namespace schedcore {
namespace {

void spread(SpreadRule rule, std::span<const Amount> sorted_size, std::size_t n_machines,
            std::span<std::uint32_t> machine) {
  if (rule == SpreadRule::longest_first) {
    longest_first(sorted_size, n_machines, machine);
  } else {
    multifit(sorted_size, n_machines, machine);
  }
}

}  // namespace

TypeListScheduling::TypeListScheduling(const ColocationView& view, std::span<const std::uint32_t> tasks)
    : view_(view), tasks_(tasks.begin(), tasks.end()), machine_(tasks.size()), placed_(tasks.size()) {
  std::vector<std::size_t> first(view.n_types + 1, 0);
  for (const std::uint32_t task : tasks_) ++first[view.type_of(task) + 1];
  for (std::size_t type = 0; type < view.n_types; ++type) {
    if (first[type + 1] > 0) first_of_type_.push_back(first[type]);
    first[type + 1] += first[type];
  }
  first_of_type_.push_back(tasks_.size());
  position_by_type_.resize(tasks_.size());
  size_by_type_.resize(tasks_.size());
  size_.reserve(tasks_.size());
  for (std::uint32_t position = 0; position < tasks_.size(); ++position) {
    const std::uint32_t task = tasks_[position];
    const std::size_t place = first[view.type_of(task)]++;
    position_by_type_[place] = position;
    size_by_type_[place] = view.size[task];
    size_.push_back(view.size[task]);
  }
}

CostNumerator TypeListScheduling::run(TypeMixing mixing, SpreadRule rule, std::size_t n_machines) {
  if (mixing == TypeMixing::mixed) return run_mixed(rule, n_machines);
  const CostNumerator juxtaposed = run_juxtaposed(rule, n_machines);
  if (mixing == TypeMixing::juxtaposed) return juxtaposed;
  std::vector<std::uint32_t> kept = machine_;
  const CostNumerator mixed = run_mixed(rule, n_machines);
  if (mixed <= juxtaposed) return mixed;
  machine_ = std::move(kept);
  return juxtaposed;
}

CostNumerator TypeListScheduling::run_mixed(SpreadRule rule, std::size_t n_machines) {
  spread(rule, size_, n_machines, machine_);
  return cost(n_machines);
}

CostNumerator TypeListScheduling::run_juxtaposed(SpreadRule rule, std::size_t n_machines) {
  const auto last_machine = static_cast<std::uint32_t>(n_machines - 1);
  for (std::size_t position = 0; position + 1 < first_of_type_.size(); ++position) {
    const std::size_t first = first_of_type_[position];
    const std::size_t count = first_of_type_[position + 1] - first;
    const std::span<std::uint32_t> placed = std::span(placed_).first(count);
    spread(rule, std::span(size_by_type_).subspan(first, count), n_machines, placed);
    const bool is_mirrored = position % 2 == 1;
    for (std::size_t i = 0; i < count; ++i) {
      machine_[position_by_type_[first + i]] = is_mirrored ? last_machine - placed[i] : placed[i];
    }
  }
  return cost(n_machines);
}

CostNumerator TypeListScheduling::cost(std::size_t n_machines) const {
  MachineCosts costs(view_, n_machines);
  for (std::size_t i = 0; i < tasks_.size(); ++i) costs.add(machine_[i], view_.type_of(tasks_[i]), size_[i]);
  return costs.largest();
}

void TypeListScheduling::write(std::int64_t first_machine, std::span<std::int64_t> machine) const {
  for (std::size_t i = 0; i < tasks_.size(); ++i) machine[tasks_[i]] = first_machine + machine_[i];
}

}  // namespace schedcore
