// Machines as arrays that somebody in Python made: capacities, whom jobs prefer, and which labels they carry.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "schedcore/engine/machine_table.hpp"

namespace schedcore::python {

// What the machines of an engine are called, and their weights; null where that is how they are numbered and none has a weight.
[[nodiscard]] inline std::shared_ptr<const MachineNames> machine_names(const std::optional<Int64Array>& numbers,
                                                                       const std::optional<Int64Array>& weights,
                                                                       std::size_t n_machines) {
  if (!numbers && !weights) return nullptr;
  std::vector<std::int64_t> number_of(n_machines);
  std::iota(number_of.begin(), number_of.end(), std::int64_t{0});
  if (numbers) {
    check_shape(static_cast<std::size_t>(numbers->size()) == n_machines, "machine_number must have shape (n_machines,)");
    check_range(span_of(*numbers), std::int64_t{0}, kLargestExact, "machine_number");
    number_of.assign(numbers->data(), numbers->data() + n_machines);
  }
  std::vector<std::int64_t> weight_of;
  if (weights) {
    check_shape(static_cast<std::size_t>(weights->size()) == n_machines, "machine_weight must have shape (n_machines,)");
    weight_of.assign(weights->data(), weights->data() + n_machines);
  }
  return std::make_shared<const MachineNames>(std::move(number_of), std::move(weight_of));
}

// Keeps the arrays, which are checked.
class MachineArrays {
 public:
  MachineArrays(Int64Array capacity, std::optional<Int64Array> weight, std::optional<Int64Array> label_set,
                std::vector<std::vector<std::string>> label_sets)
      : capacity_(std::move(capacity)),
        weight_(std::move(weight)),
        label_set_(std::move(label_set)),
        label_sets_(std::move(label_sets)) {
    const std::size_t n_machines = machines_view(capacity_).n_machines;
    check_shape(!weight_ || (weight_->ndim() == 1 && static_cast<std::size_t>(weight_->size()) == n_machines),
                "weight must have shape (n_machines,)");
    check_shape(!label_set_ || (label_set_->ndim() == 1 && static_cast<std::size_t>(label_set_->size()) == n_machines),
                "label_set must have shape (n_machines,)");
    if (label_set_) {
      check_range(span_of(*label_set_), std::int64_t{0}, static_cast<std::int64_t>(label_sets_.size()) - 1, "label_set");
    }
    const auto is_label = [](const std::string& label) { return !label.empty() && label.find_first_of(" !&|") == std::string::npos; };
    check_shape(std::ranges::all_of(label_sets_, [&](const auto& labels) { return std::ranges::all_of(labels, is_label); }),
                "a label has blanks or operators");
  }

  // Without copies.
  [[nodiscard]] MachineDescriptions descriptions() const {
    MachineDescriptions machines;
    machines.machines = machines_view(capacity_);
    if (weight_) machines.weight = span_of(*weight_);
    if (label_set_) machines.label_set = span_of(*label_set_);
    machines.label_sets = label_sets_;
    return machines;
  }

 private:
  Int64Array capacity_;
  std::optional<Int64Array> weight_;
  std::optional<Int64Array> label_set_;
  std::vector<std::vector<std::string>> label_sets_;
};

}  // namespace schedcore::python
