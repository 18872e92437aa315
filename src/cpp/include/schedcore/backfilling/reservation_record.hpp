// The reservations that were made and changed, for whoever asks.
#pragma once

#include <cstdint>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

struct ReservationRecord {
  std::int64_t job = 0;
  Time time = 0;  // of the decision
  Time start_time = 0;
  std::uint32_t machine = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(job, time, start_time, machine);
  }
};

class ReservationRecords {
 public:
  [[nodiscard]] bool keeps_records() const { return keeps_records_; }
  // In the order of the decisions.
  [[nodiscard]] const std::vector<ReservationRecord>& records() const { return records_; }

 protected:
  explicit ReservationRecords(bool keeps_records) : keeps_records_(keeps_records) {}

  bool keeps_records_;
  std::vector<ReservationRecord> records_;
};

}  // namespace schedcore
