// Who may overtake, and the shadow times of the one job that is protected, for whoever asks.
#pragma once

#include <cstdint>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

enum class Overtaking : std::uint8_t { never, always, protected_head };

struct ShadowRecord {
  Time time = 0;
  std::int64_t job = 0;
  Time shadow_time = 0;
  std::uint32_t machine = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(time, job, shadow_time, machine);
  }
};

class ShadowRecords {
 public:
  [[nodiscard]] bool keeps_shadows() const { return keeps_shadows_; }
  // In the order of the decisions.
  [[nodiscard]] const std::vector<ShadowRecord>& shadows() const { return shadows_; }

 protected:
  explicit ShadowRecords(bool keeps_shadows) : keeps_shadows_(keeps_shadows) {}

  bool keeps_shadows_;
  std::vector<ShadowRecord> shadows_;
};

}  // namespace schedcore
