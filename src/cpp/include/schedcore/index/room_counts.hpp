// How many tasks of a class have room on all machines together, kept while machines change, and where they go.
//
// Every change of a machine is noted once.  A class learns of the changes when it is next asked about, so one that nobody
// asks about costs nothing, and one that is asked about after every event pays for the machines that the event changed.
// Whether a job of n tasks fits is then one comparison.
//
// Of a machine that will be taken out of service, or have less room from some instant on, jobs that end later have only what
// is free then, too (`set_limits`).
//
// Cost with M machines: set_free O(R); count O(R) for each change since the class was last asked about, at most O(R M);
// with an end that some limit does not reach O(R) for each limit, once while nothing changes;
// place O(M / 64) and O(R) for each allowed machine with anything free up to the last one that
// is taken.  Memory O(R M) for the amounts and as much for the changes, and 8 bytes a limit for each class with jobs that
// would outlast it.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/gang_classes.hpp"

namespace schedcore {

class RoomCounts {
 public:
  using Class = GangClasses::Class;

  RoomCounts() = default;
  // All of it is free.
  explicit RoomCounts(const MachinesView& machines);

  [[nodiscard]] const Amount* free(std::size_t machine) const { return free_.data() + machine * n_resources_; }
  void set_free(std::size_t machine, std::span<const Amount> free);
  // Machines 64 i .. 64 i + 63 with anything free, as bits.
  [[nodiscard]] std::uint64_t any_free_word(std::size_t i) const { return any_free_[i]; }
  // What is free of a resource on all machines together; near enough to tell that something cannot fit.
  [[nodiscard]] double total_free(std::size_t resource) const { return total_free_[resource]; }

  // From `from` on a job may have no more than the row; nothing where it is empty.
  struct Limit {
    Time from = 0;
    std::vector<Amount> row;
    friend bool operator==(const Limit&, const Limit&) = default;
  };
  // In order; none without any.
  void set_limits(std::size_t machine, std::vector<Limit> limits);

  // Until when a demand that has room on the machine keeps it.
  [[nodiscard]] Time kept_until(std::size_t machine, std::span<const Amount> demand) const;

  // The tasks of the class that have room, whenever they end.
  [[nodiscard]] Amount count(Class of, const GangClasses& classes) {
    if (of < counts_.size()) {
      const Count& count = counts_[of];
      if (count.seen == n_changes_ && count.generation == classes.generation(of)) return count.total;
    }
    return count_changes(of, classes);
  }
  // Whether n tasks of the class have room that end at `end`.
  [[nodiscard]] bool has_room(Class of, Amount n_tasks, Time end, const GangClasses& classes) {
    if (count(of, classes) < n_tasks) return false;
    sort_limits();
    return limited_.empty() || end <= limited_.front().from || count_until(of, end, classes) >= n_tasks;
  }
  // Where they go: machines in their order, on each as many as have room, until all are placed.  Requires has_room.
  void place(Class of, Amount n_tasks, Time end, const GangClasses& classes, std::vector<TaskPlace>& places) const;

  // Throws std::logic_error unless what was counted is what a count from the beginning gives.
  void check_invariants(const GangClasses& classes) const;

 private:
  // Of a class, as of the first `seen` changes.
  struct Count {
    std::uint64_t generation = 0;  // 0: never counted
    std::uint64_t seen = 0;
    Amount total = 0;
    // Entry i: of these, those that the first i limits take.
    std::vector<Amount> limited;
    std::uint64_t limited_seen = kNeverSeen;
    std::uint64_t limits_version = 0;
  };
  static constexpr std::uint64_t kNeverSeen = ~std::uint64_t{0};

  [[nodiscard]] Amount count_changes(Class of, const GangClasses& classes);
  [[nodiscard]] Amount counted_anew(Class of, const GangClasses& classes) const;
  [[nodiscard]] Amount count_until(Class of, Time end, const GangClasses& classes);
  void note_any_free(std::size_t machine);
  void sort_limits();
  // What a job may have of the machine that meets its first `n_limits` limits; until the next call.
  [[nodiscard]] const Amount* row_within(std::size_t machine, std::size_t n_limits) const;

  std::size_t n_resources_ = 0;
  std::size_t n_machines_ = 0;
  std::vector<Amount> free_;              // row-major
  std::vector<double> total_free_;
  std::vector<std::uint64_t> any_free_;   // bits: machines with something of some resource
  // The n-th limit of a machine.
  struct LimitOf {
    Time from = 0;
    std::uint32_t machine = 0;
    std::uint32_t number = 0;
    friend auto operator<=>(const LimitOf&, const LimitOf&) = default;
  };
  std::vector<std::vector<Limit>> limits_;  // by machine; empty while there has been none
  std::vector<LimitOf> limited_;            // all of them, sorted, but those of the next machines as they were
  std::vector<std::uint32_t> unsorted_;     // some perhaps several times
  mutable std::vector<Amount> row_within_;  // scratch
  std::uint64_t limits_version_ = 0;

  // The changes, the last `changed_.size()` of them; of each the row before and the row after.
  std::vector<std::uint32_t> changed_;
  std::vector<Amount> rows_;
  std::uint64_t n_changes_ = 0;
  std::vector<Count> counts_;  // by class
};

}  // namespace schedcore
