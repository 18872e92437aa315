// What jobs say beside their usual columns, as arrays that somebody in Python made.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "schedcore/engine/cluster_columns.hpp"
#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/machine_table.hpp"
#include "site/given_parties.hpp"

namespace schedcore::python {

using BoolArray = pybind11::array_t<bool, pybind11::array::c_style>;

// Keeps the arrays; the sets of machines are made once.  On the machines of an embedded engine, which may change, jobs say
// constraints instead.
class ClusterJobs {
 public:
  ClusterJobs(std::size_t n_jobs, std::size_t n_machines, std::optional<Int64Array> n_tasks,
              std::optional<Int64Array> max_tasks, std::optional<BoolArray> exclusive,
              std::optional<Int64Array> eligibility, const std::optional<BoolArray>& allowed,
              std::optional<Float64Array> checkpoint_interval, std::optional<Float64Array> restart_cost,
              std::vector<std::string> constraints, const GivenParties* parties);

  [[nodiscard]] std::size_t n_machines() const { return n_machines_; }
  // Throws ValueError where it was made for other numbers.
  [[nodiscard]] ClusterColumns columns(std::size_t n_jobs, std::size_t n_machines) const;
  // The same; of null: no column.
  [[nodiscard]] static ClusterColumns columns_or_none(const ClusterJobs* jobs, std::size_t n_jobs, std::size_t n_machines) {
    return jobs == nullptr ? ClusterColumns() : jobs->columns(n_jobs, n_machines);
  }
  // For an embedded engine: the columns, of null none, with the constraints as they are met by the machines of the table.
  [[nodiscard]] static ClusterColumns columns_on(const MachineTable& table, const ClusterJobs* jobs, std::size_t n_jobs,
                                                 std::vector<Constraint>& constraints);
  // Throws ValueError where it was made for other jobs, or for machines that do not change; null is for any.
  static void check_embeddable(const ClusterJobs* jobs, std::size_t n_jobs);

 private:
  std::size_t n_jobs_;
  std::size_t n_machines_;
  std::optional<Int64Array> n_tasks_;
  std::optional<Int64Array> max_tasks_;
  std::optional<BoolArray> exclusive_;
  std::optional<Int64Array> eligibility_;
  std::optional<Float64Array> checkpoint_interval_;
  std::optional<Float64Array> restart_cost_;
  std::vector<Eligibility> sets_;
  std::vector<std::string> constraints_;
  std::optional<GivenParties> parties_;
  [[nodiscard]] ClusterColumns columns() const;
};

// What becomes of jobs that are killed.
inline KillRule kill_rule_argument(const std::string& name) {
  return choice<KillRule>(
      name, {{"requeue", KillRule::requeue}, {"drop", KillRule::drop}, {"checkpoint", KillRule::checkpoint}});
}

}  // namespace schedcore::python
