// Waiting jobs that ask the same of every machine: equal demand of a task, machines, tasks on one machine at most, alone
// there or not; and that may end the same running jobs for themselves, as they have one level.  How many tasks a job has, and
// for how long, is not part of it.
//
// Cost: add and remove O(R) expected.  A class that has lost its last job stays for the next one, until there are more of
// those than of classes with jobs; then the number of one of them names another class.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/eligibility.hpp"
#include "schedcore/index/job_shape.hpp"

namespace schedcore {

class GangClasses {
 public:
  using Class = std::uint32_t;
  static constexpr Class kNone = std::numeric_limits<Class>::max();

  GangClasses() = default;
  explicit GangClasses(const MachinesView& machines);

  // One job more of the class, or one less.
  [[nodiscard]] Class add(std::span<const Amount> demand, const Eligibility& eligibility, const JobShape& shape,
                          std::int64_t level = 0);
  void remove(Class of);

  [[nodiscard]] std::size_t size() const { return classes_.size(); }
  // Changes whenever the number names another class than before.
  [[nodiscard]] std::uint64_t generation(Class of) const { return classes_[of].generation; }
  [[nodiscard]] bool is_shared(Class of) const { return classes_[of].n_jobs > 1; }
  [[nodiscard]] std::span<const Amount> demand(Class of) const {
    return {demand_.data() + of * n_resources_, n_resources_};
  }
  [[nodiscard]] const Eligibility& eligibility(Class of) const { return classes_[of].eligibility; }
  [[nodiscard]] bool is_exclusive(Class of) const { return classes_[of].is_exclusive; }
  [[nodiscard]] std::int64_t level(Class of) const { return classes_[of].level; }
  [[nodiscard]] bool allows(Class of, std::size_t machine) const {
    const Eligibility& eligibility = classes_[of].eligibility;
    return eligibility.is_everywhere() || eligibility.allows(machine);
  }
  [[nodiscard]] std::span<const Amount> capacity(std::size_t machine) const {
    return {capacity_.data() + machine * n_resources_, n_resources_};
  }
  // How many tasks of a job of the class have room on the machine, of which `free` is free, if it has that many; counted up
  // to kMostTasks.  The machine must be allowed.
  [[nodiscard]] Amount room(Class of, std::size_t machine, const Amount* free) const {
    const JobClass& each = classes_[of];
    if (each.is_exclusive && !is_empty(machine, free)) return 0;
    return std::min(each.spread, tasks_that_fit(demand(of), {free, n_resources_}));
  }

 private:
  struct JobClass {
    Eligibility eligibility;
    Amount spread = kMostTasks;
    bool is_exclusive = false;
    std::int64_t level = 0;
    std::uint64_t hash = 0;
    std::uint64_t n_jobs = 0;
    std::uint64_t generation = 0;
    bool is_unused = false;  // listed so; it may have jobs again
  };
  static constexpr std::size_t kSlack = 64;

  [[nodiscard]] bool is_empty(std::size_t machine, const Amount* free) const {
    const Amount* all = capacity_.data() + machine * n_resources_;
    for (std::size_t k = 0; k < n_resources_; ++k) {
      if (free[k] != all[k]) return false;
    }
    return true;
  }
  [[nodiscard]] Class number_for_new();

  std::size_t n_resources_ = 0;
  std::vector<Amount> capacity_;  // of every machine, row-major
  std::vector<JobClass> classes_;
  std::vector<Amount> demand_;    // row-major, a row a class
  std::vector<Class> unused_;     // those without jobs, each once, and some that have jobs again
  std::size_t n_used_ = 0;
  std::uint64_t n_made_ = 0;
  std::unordered_multimap<std::uint64_t, Class> by_hash_;
};

}  // namespace schedcore
