// How an embedded engine would go on: schedcore._core.engine.Continuation.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "engine/cluster_jobs.hpp"
#include "engine/shared_scheduler.hpp"
#include "schedcore/engine/continuation.hpp"
#include "schedcore/engine/drawn_future.hpp"
#include "schedcore/engine/job_checks.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

// May be asked by several threads at a time.
struct SharedContinuation {
  SharedContinuation(const OnlineScheduler& scheduler, bool releases)
      : continuation(scheduler.state(), releases ? scheduler.recorded_releases() : std::vector<ReleaseToCome>()), table(scheduler.machine_table()), first_id(scheduler.next_id()) {}
  Continuation continuation;
  MachineTable table;
  std::int64_t first_id;  // of jobs to come
  std::atomic<bool> stop{false};
};

std::unique_ptr<SharedContinuation> make_continuation(SharedScheduler& shared, bool releases) {
  return shared.locked([&](const OnlineScheduler& scheduler) {
    return std::make_unique<SharedContinuation>(scheduler, releases);
  });
}

// The ids of the jobs that wait or are held, in increasing order.
Int64Array waiting(const SharedContinuation& shared) {
  return array_of(shared.continuation.state().waiting());
}

Float64Array first_starts(const SharedContinuation& shared, const Int64Array& ids) {
  const auto asked = span_of(ids);
  for (const std::int64_t id : asked) shared.continuation.state().check_waits(id);
  std::vector<Time> starts;
  PythonMonitor monitor(py::none{});
  {
    const py::gil_scoped_release unlocked;
    FutureByEstimates future;
    starts = shared.continuation.first_starts(asked, future, shared.stop, &monitor);
  }
  return array_of(starts);
}

// What has been seen of runs, and of arrivals where there are any.
class History {
 public:
  History(const Float64Array& share, const Int64Array& first, const Int64Array& known, const Int64Array& group,
          const std::optional<py::tuple>& arrivals)
      : share_(share), first_(first) {
    const auto begins = span_of(first_);
    check_shape(begins.size() >= 2 && begins.front() == 0 && begins.back() == share_.size(),
                "first must say where each group begins, and the end");
    check_shape(std::ranges::adjacent_find(begins, std::greater_equal<>()) == begins.end(), "a group is empty");
    check_range(span_of(share_), 0.0, kLargestNumber, "share");
    for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
      const auto shares = span_of(share_).subspan(static_cast<std::size_t>(begins[k]),
                                                  static_cast<std::size_t>(begins[k + 1] - begins[k]));
      check_shape(std::ranges::is_sorted(shares), "share must increase in each group");
    }
    runs_ = {span_of(share_), begins};
    const auto n_groups = static_cast<std::int64_t>(begins.size()) - 1;
    check_shape(known.size() == group.size(), "known and group differ in length");
    check_range(span_of(group), std::int64_t{0}, n_groups - 1, "group");
    for (py::ssize_t k = 0; k < known.size(); ++k) {
      runs_.group_of.emplace(known.data()[k], static_cast<std::uint32_t>(group.data()[k]));
    }
    if (arrivals) read_arrivals(*arrivals, n_groups);
  }

  [[nodiscard]] const RunHistory& runs() const { return runs_; }
  [[nodiscard]] const std::optional<ArrivalHistory>& arrivals() const { return arrivals_; }

 private:
  // The columns of `submit`, the gaps and the groups.
  void read_arrivals(const py::tuple& columns, std::int64_t n_groups) {
    check_shape(columns.size() == 8, "arrivals must be columns of submit, gaps, groups and rows");
    const auto processing_time = columns[0].cast<Float64Array>();
    const auto weight = columns[1].cast<Float64Array>();
    const auto demand = columns[2].cast<Int64Array>();
    const auto key = columns[3].cast<std::optional<Float64Array>>();
    cluster_jobs_ = columns[4];
    const auto* cluster_jobs = cluster_jobs_.cast<const ClusterJobs*>();
    gap_ = columns[5].cast<Float64Array>();
    const auto group = columns[6].cast<Int64Array>();
    const auto row = columns[7].cast<Int64Array>();
    const JobsView jobs = jobs_view(processing_time, processing_time, weight, demand);
    check_shape(static_cast<std::size_t>(group.size()) == jobs.n_jobs() && row.size() == group.size() && gap_.size() > 0,
                "there must be gaps, and a group and a row a job");
    check_range(span_of(gap_), 0.0, kLargestNumber, "gap");
    check_range(span_of(group), std::int64_t{0}, n_groups - 1, "group");
    const auto keys = column_span(key, jobs.n_jobs(), "custom_key");
    ArrivalHistory& all = arrivals_.emplace();
    all.gap = span_of(gap_);
    for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
      check_job_columns(static_cast<std::int64_t>(job), jobs.processing_time[job], jobs.weight[job], jobs.demand_of(job));
      all.jobs.push_back({0, jobs.processing_time[job], jobs.weight[job], keys.empty() ? 0 : keys[job], row.data()[job]});
      all.group.push_back(static_cast<std::uint32_t>(group.data()[job]));
    }
    ClusterJobs::check_embeddable(cluster_jobs, jobs.n_jobs());
    all.demand.assign(jobs.demand.begin(), jobs.demand.end());
    n_resources_ = jobs.n_resources;
  }

  friend Float64Array sample_starts(const SharedContinuation&, const Int64Array&, const History&, std::uint64_t, std::uint64_t,
                                    std::uint64_t);

  Float64Array share_;
  Int64Array first_;
  Float64Array gap_;
  RunHistory runs_;
  std::optional<ArrivalHistory> arrivals_;
  std::size_t n_resources_ = 0;
  py::object cluster_jobs_ = py::none();  // of the arrivals
};

// A row for each of the samples [first, last).
Float64Array sample_starts(const SharedContinuation& shared, const Int64Array& ids, const History& history, std::uint64_t seed,
                           std::uint64_t first, std::uint64_t last) {
  const auto asked = span_of(ids);
  const DecidedState& state = shared.continuation.state();
  for (const std::int64_t id : asked) state.check_waits(id);
  check_shape(first <= last, "samples end before they begin");
  std::optional<ArrivalHistory> arrivals = history.arrivals();
  if (arrivals) {
    check_shape(history.n_resources_ == state.jobs().n_resources(), "arrivals and the machines differ in n_resources");
    std::vector<Constraint> constraints;
    const auto* cluster_jobs = history.cluster_jobs_.cast<const ClusterJobs*>();
    const std::size_t n_jobs = cluster_jobs == nullptr ? 0 : arrivals->jobs.size();
    const auto columns = ClusterJobs::columns_on(shared.table, cluster_jobs, n_jobs, constraints);
    for (std::size_t job = 0; job < n_jobs; ++job) {
      arrivals->placements.push_back(columns.placements_of(job));
      arrivals->placements.back().belongings = columns.belongings_of(job);
    }
    for (const JobPlacements& each : arrivals->placements) {
      check_shape(state.may_take(each) && (each.is_plain() || state.may_be_placed()), "the policy does not take these arrivals");
    }
    try {
      for (const JobColumns& each : arrivals->jobs) state.policy().check_job(each, state.now());
    } catch (const InvalidInstanceError& error) {
      throw InvalidInstanceError(std::string("of the history, ") + error.what());
    }
    const auto n_ids_left = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max() - shared.first_id);
    if (arrivals->jobs.size() > n_ids_left) {
      throw InvalidInstanceError("too few ids are left above " + std::to_string(shared.first_id - 1) + " for jobs that arrive");
    }
    arrivals->first_id = shared.first_id;
  }
  Float64Array rows({static_cast<py::ssize_t>(last - first), static_cast<py::ssize_t>(asked.size())});
  double* row = rows.mutable_data();
  const py::gil_scoped_release unlocked;
  for (std::uint64_t sample = first; sample < last; ++sample, row += asked.size()) {
    DrawnFuture future(history.runs(), arrivals ? &*arrivals : nullptr, seed, sample, state.now());
    const std::vector<Time> starts = shared.continuation.first_starts(asked, future, shared.stop);
    if (starts.size() != asked.size()) break;  // stopped: nobody reads the rest
    std::ranges::copy(starts, row);
  }
  return rows;
}

}  // namespace

void bind_continuation(py::module_& module) {
  py::class_<History>(module, "History", "What runs took of their estimates, and perhaps who arrived.")
      .def(py::init<const Float64Array&, const Int64Array&, const Int64Array&, const Int64Array&,
                    const std::optional<py::tuple>&>(),
           py::arg("share"), py::arg("first"), py::arg("known"), py::arg("group"), py::arg("arrivals") = py::none());
  py::class_<SharedContinuation>(module, "Continuation", "How a scheduler would go on, as of its last decision.")
      .def(py::init(&make_continuation), py::arg("scheduler"), py::arg("releases") = false)
      .def("first_starts", &first_starts, py::arg("ids"))
      .def("sample_starts", &sample_starts, py::arg("ids"), py::arg("history"), py::arg("seed"), py::arg("first"),
           py::arg("last"))
      .def("waiting", &waiting)
      .def("stop", [](SharedContinuation& shared) { shared.stop = true; });
}

}  // namespace schedcore::python
