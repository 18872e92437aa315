// BBSched: of the first waiting jobs those start together that use most by a rule, and then others overtake as under EASY.
//
// Source: Fan, Lan, Rich, Allcock, Papka, Austin and Paul, HPDC 2019; which set of jobs starts, and what it costs, is told
// in window_search.hpp.  The window are the first `size` waiting jobs in queue order.  At every event:
//   1. jobs of the window that were passed over `max_passes` times start in queue order, each on the lowest machine with
//      room.  The first of them that fits nowhere is protected, and step 2 is left out;
//   2. of the others in the window the chosen set starts.  Those that are not in it were passed over once more, if it has
//      any job.  Then heads start in queue order while they fit; the first that does not is protected;
//   3. others overtake by first fit, unless that would delay the earliest start of the protected job.
//
// Sets are chosen without regard to the head, so it may start after its first shadow time; but it is in every window, and
// is passed over `max_passes` times at most.  With max_passes 0, or a window of 1, the decisions are those of EASY.  An
// event at which nothing has happened chooses no set and counts no pass, however often the policy is asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "schedcore/backfilling/backfill.hpp"
#include "schedcore/backfilling/window_search.hpp"

namespace schedcore {

struct WindowOptions {
  std::uint32_t size = 20;  // from 1 to WindowSearch::kMaxWindow
  std::uint64_t max_passes = 50;
  std::uint32_t primary = 0;  // a resource
  TradeFactor trade;
  std::uint64_t work = 100'000;  // looks at jobs in one search, at least 1
};

// Over all events.
struct WindowCounts {
  std::uint64_t n_choices = 0;  // sets that were chosen of several jobs that fit
  std::uint64_t n_cut = 0;      // of those: with the work over before the search
  std::uint64_t n_forced = 0;   // jobs that started because they were passed over so often

  template <class Archive>
  void serialize(Archive& archive) {
    archive(n_choices, n_cut, n_forced);
  }
};

class WindowBackfillPolicy final : public BackfillPolicy {
 public:
  WindowBackfillPolicy(const WindowOptions& options, bool record)
      : BackfillPolicy(Overtaking::protected_head, Selection{}, BackfillLimits{}, record), options_(options) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<WindowBackfillPolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  // Throws InvalidInstanceError where there is no such resource as the primary one.
  void attach(const MachinesView& machines) override;

  [[nodiscard]] const WindowCounts& counts() const { return counts_; }

 private:
  struct Entry {
    JobSlot job;
    bool is_shown;
  };

  void start_first(const Event& event, Turn& turn) override;
  [[nodiscard]] JobSlot protected_job(const JobTable& jobs) override {
    return blocked_ ? *blocked_ : BackfillPolicy::protected_job(jobs);
  }
  [[nodiscard]] bool is_due(JobSlot job) const { return n_passes_[job] >= options_.max_passes; }
  void start_those_due(Time now, Turn& turn);
  void start_chosen(Time now, Turn& turn);

  WindowOptions options_;
  WindowSearch search_;
  std::vector<std::uint64_t> n_passes_;  // by slot, of waiting jobs
  std::optional<JobSlot> blocked_;       // passed over so often that it is protected
  WindowCounts counts_;

  // Of the event under way.
  std::vector<Entry> window_;
  std::vector<WindowCandidate> candidates_;
  std::vector<std::size_t> place_of_;  // in the window, by candidate
};

}  // namespace schedcore
