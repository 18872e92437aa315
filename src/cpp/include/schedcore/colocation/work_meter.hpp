// Work of a search in steps that are the same on every computer, with an end, and a watcher.
#pragma once

#include <cstdint>

#include "schedcore/base/monitor.hpp"

namespace schedcore {

class WorkMeter {
 public:
  WorkMeter(std::uint64_t limit, Monitor* monitor) : limit_(limit), monitor_(monitor) {}

  // One more step.  Whoever calls it asks `spent` before.
  void count() {
    ++done_;
    if (monitor_ != nullptr && done_ % kStepsBetweenPolls == 0) monitor_->poll(done_, limit_);
  }
  [[nodiscard]] bool spent() const { return done_ >= limit_; }
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }

 private:
  static constexpr std::uint64_t kStepsBetweenPolls = 4096;

  std::uint64_t done_ = 0;
  std::uint64_t limit_;
  Monitor* monitor_;
};

}  // namespace schedcore
