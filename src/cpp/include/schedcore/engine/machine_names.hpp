// What callers call the machines of an engine, and their weights, where the engine numbers them otherwise or some have a weight.
//
// O(n) to make, O(1) to ask.  Never changes.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace schedcore {

class MachineNames {
 public:
  // By the engine's numbers; below 0 for what is no machine.
  // Without weights all of them are 0.
  explicit MachineNames(std::vector<std::int64_t> number_of, std::vector<std::int64_t> weight_of = {})
      : number_of_(std::move(number_of)), weight_of_(std::move(weight_of)) {
    for (std::uint32_t machine = 0; machine < number_of_.size(); ++machine) {
      if (number_of_[machine] >= 0) machine_of_.emplace(number_of_[machine], machine);
    }
  }

  [[nodiscard]] std::int64_t number_of(std::size_t machine) const { return number_of_[machine]; }
  [[nodiscard]] std::int64_t weight_of(std::size_t machine) const { return weight_of_.empty() ? 0 : weight_of_[machine]; }
  [[nodiscard]] std::optional<std::uint32_t> machine_of(std::int64_t number) const {
    const auto found = machine_of_.find(number);
    return found == machine_of_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::vector<std::int64_t> number_of_;
  std::vector<std::int64_t> weight_of_;
  std::unordered_map<std::int64_t, std::uint32_t> machine_of_;
};

}  // namespace schedcore
