// An embedded scheduler that can be interrupted: copied, written and read again, its decisions undone, wrong calls made.
// None of it may be seen afterwards.  For the callers that the tests and the fuzzers drive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/engine/online_scheduler.hpp"

namespace schedcore::testing {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

class InterruptedScheduler {
 public:
  using PartsMaker = std::function<SchedulerParts()>;

  using LabelSets = std::vector<std::vector<std::string>>;

  InterruptedScheduler(std::vector<Amount> capacity, std::size_t n_resources, PartsMaker maker,
                       std::vector<std::int64_t> label_set = {}, LabelSets label_sets = {})
      : capacity_(std::move(capacity)),
        n_resources_(n_resources),
        label_set_(std::move(label_set)),
        label_sets_(std::move(label_sets)),
        maker_(std::move(maker)),
        scheduler_(std::make_unique<OnlineScheduler>(machines(), maker_())) {}

  [[nodiscard]] OnlineScheduler* operator->() { return scheduler_.get(); }
  [[nodiscard]] MachineDescriptions machines() const {
    return {{capacity_, capacity_.size() / n_resources_, n_resources_}, {}, label_set_, label_sets_};
  }

  // Goes on with a scheduler that was read from a snapshot, or with a copy.
  void reborn() {
    const std::string bytes = scheduler_->snapshot();
    const auto read = [&](std::string_view snapshot) -> std::unique_ptr<OnlineScheduler> {
      try {
        return std::make_unique<OnlineScheduler>(machines(), maker_(), snapshot);
      } catch (const InvalidInstanceError&) {
        return nullptr;
      }
    };
    // The place of the cut takes no byte, so that interrupted and straight runs see the same events.
    require(!read(std::string_view(bytes).substr(0, bytes.size() * (++n_rebirths_ * 37 % 256) / 256)),
            "a truncated snapshot is accepted");
    require(!read(bytes + '\0'), "a snapshot with more behind it is accepted");
    std::unique_ptr<OnlineScheduler> reader = read(bytes);
    require(reader != nullptr, "a snapshot is refused");
    require(reader->snapshot() == bytes, "a snapshot changes when it is read and written again");
    scheduler_->check_invariants(machines(), maker_());
    scheduler_ = n_rebirths_ % 2 == 0 ? std::move(reader) : std::make_unique<OnlineScheduler>(*scheduler_);
  }

  // A decision that is made and then not wanted has never been.
  void undone_decision(Time now) {
    struct Unwanted {};
    const std::string before = scheduler_->snapshot();
    try {
      static_cast<void>(scheduler_->advance(now, nullptr, [](const Decision&) { throw Unwanted(); }));
    } catch (const Unwanted&) {
      require(scheduler_->snapshot() == before, "an undone decision left something behind");
      return;
    }
    require(false, "a decision stands that was not wanted");
  }

  template <class Error = InvalidInstanceError, class Call>
  void refused(const Call& call) {
    const std::string before = scheduler_->snapshot();
    try {
      call();
    } catch (const Error&) {
      require(scheduler_->snapshot() == before, "a refused call changed the scheduler");
      return;
    }
    require(false, "a wrong call was accepted");
  }

 private:
  std::vector<Amount> capacity_;
  std::size_t n_resources_;
  std::vector<std::int64_t> label_set_;
  LabelSets label_sets_;
  PartsMaker maker_;
  std::unique_ptr<OnlineScheduler> scheduler_;
  std::size_t n_rebirths_ = 0;
};

}  // namespace schedcore::testing
