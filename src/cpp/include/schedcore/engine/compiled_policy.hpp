// A policy behind the table of functions of schedcore/policy.h, as one of the engine's.
//
// What its functions ask for is found out when they ask.  Cost: that of CustomPolicy; a call through the table is a few
// nanoseconds.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "schedcore/engine/custom_policy.hpp"
#include "schedcore/policy.h"

namespace schedcore {

class CompiledPolicy final : public CustomPolicy {
 public:
  // `table` is kept alive by `owner`, if by anybody.  An InvalidInstanceError for a table of another version, or one in which
  // functions are missing.
  CompiledPolicy(const schedcore_policy* table, std::shared_ptr<const void> owner);
  ~CompiledPolicy() override;
  CompiledPolicy& operator=(const CompiledPolicy&) = delete;

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void continue_as(const Policy& before) override;
  [[nodiscard]] std::string name() const { return table_->name; }
  [[nodiscard]] bool uses_estimates() const { return (table_->flags & SCHEDCORE_USES_ESTIMATES) != 0; }
  // What every turn can do.
  [[nodiscard]] static const schedcore_turn_functions& functions();

 protected:
  void decide_on(CustomTurn& turn) override;
  [[nodiscard]] std::string remembered() const override;
  void remember(std::string_view bytes) override;

 private:
  CompiledPolicy(const CompiledPolicy& other);
  [[nodiscard]] void* copied_state() const;
  void let_go_of_state();

  const schedcore_policy* table_;
  std::shared_ptr<const void> owner_;
  void* state_ = nullptr;
};

}  // namespace schedcore
