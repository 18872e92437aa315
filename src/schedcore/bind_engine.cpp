// Policies, the simulation of a whole workload, and the engine embedded in a Python program.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "choice.hpp"
#include "fork_guard.hpp"
#include "policy_records.hpp"
#include "python_monitor.hpp"
#include "schedcore/backfill_limits.hpp"
#include "schedcore/best_fit_execution.hpp"
#include "schedcore/mris.hpp"
#include "schedcore/mris_dynamic.hpp"
#include "schedcore/online_scheduler.hpp"
#include "schedcore/priority_queue.hpp"
#include "schedcore/simulation.hpp"
#include "schedcore/tetris.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

template <class T>
Float64Array column(const std::vector<T>& rows, Time T::* member) {
  Float64Array array(static_cast<py::ssize_t>(rows.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) array.mutable_data()[row] = rows[row].*member;
  return array;
}

template <class T>
Int64Array column(const std::vector<T>& rows, std::int64_t T::* member) {
  Int64Array array(static_cast<py::ssize_t>(rows.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) array.mutable_data()[row] = rows[row].*member;
  return array;
}

py::tuple placement_columns(const std::vector<IdPlacement>& rows) {
  return py::make_tuple(column(rows, &IdPlacement::id), column(rows, &IdPlacement::machine),
                        column(rows, &IdPlacement::start_time));
}

// Empty where the caller gave none.
std::span<const double> column_span(const std::optional<Float64Array>& column, std::size_t n_jobs, const char* name) {
  if (!column) return {};
  check_shape(static_cast<std::size_t>(column->size()) == n_jobs, std::string(name) + " must have shape (n_jobs,)");
  check_range(span_of(*column), -kInfinity, kInfinity, name);
  return span_of(*column);
}

py::dict records(const MrisRecords& policy) {
  py::list iterations;
  for (const MrisIteration& iteration : policy.iterations()) {
    py::dict record;
    record["k"] = iteration.k;
    record["gamma"] = iteration.gamma;
    record["origin"] = iteration.origin;
    record["n_candidates"] = iteration.n_candidates;
    record["chosen"] = iteration.chosen;
    record["makespan"] = iteration.makespan;
    iterations.append(std::move(record));
  }
  py::dict stats;
  stats["iterations"] = std::move(iterations);
  stats["early_starts"] = policy.n_early_starts();
  stats["replans"] = policy.n_replans();
  return stats;
}

py::tuple simulate_workload(const Policy& policy, const Float64Array& release_time, const Float64Array& processing_time,
                            const Float64Array& weight, const Int64Array& demand, const Int64Array& capacity,
                            const std::optional<Float64Array>& custom_key, py::object progress,
                            const std::optional<Float64Array>& estimated_processing_time) {
  const JobsView jobs = jobs_view(release_time, processing_time, weight, demand);
  const MachinesView machines = machines_view(capacity);
  check_shape(jobs.n_resources == machines.n_resources, "demand and capacity differ in n_resources");
  const auto key = column_span(custom_key, jobs.n_jobs(), "custom_key");
  const auto estimate = column_span(estimated_processing_time, jobs.n_jobs(), "estimated_processing_time");
  Float64Array start_time(static_cast<py::ssize_t>(jobs.n_jobs()));
  Int64Array machine(static_cast<py::ssize_t>(jobs.n_jobs()));
  const auto starts = writable_span_of(start_time);
  const auto chosen = writable_span_of(machine);
  PythonMonitor monitor(std::move(progress));
  SimulationCounts counts;
  py::dict stats;
  std::unique_ptr<Engine> engine;
  {
    const py::gil_scoped_release release;
    engine = std::make_unique<Engine>(machines, policy.clone());
    counts = simulate(jobs, estimate, key, *engine, machines, &monitor, starts, chosen);
  }
  if (const auto* mris = dynamic_cast<const MrisRecords*>(&engine->policy())) stats = records(*mris);
  add_backfill_records(engine->policy(), stats);
  {
    const py::gil_scoped_release release;
    engine.reset();  // tens of megabytes of vectors
  }
  stats["events"] = counts.n_events;
  stats["wakeups"] = counts.n_wakeups;
  return py::make_tuple(std::move(start_time), std::move(machine), std::move(stats));
}

// A scheduler that several Python threads may share: every call takes the mutex, always after letting go of the GIL,
// so that whoever holds the mutex can take the GIL back (to look for Ctrl-C).  Ctrl-C also ends a call that waits for the
// mutex, before it has done anything.  In the child of a fork that came while another thread held it, every call is
// refused, and the state is left as it is.
class SharedScheduler {
 public:
  SharedScheduler(OnlineScheduler scheduler, std::size_t n_resources)
      : scheduler_(std::make_unique<OnlineScheduler>(std::move(scheduler))), n_resources_(n_resources) {}
  SharedScheduler(const SharedScheduler&) = delete;
  SharedScheduler& operator=(const SharedScheduler&) = delete;
  ~SharedScheduler() {
    if (guard_.is_abandoned()) static_cast<void>(scheduler_.release());
  }

  // How many columns a demand must have.
  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }

  template <class Call>
  auto locked(const Call& call) {
    guard_.check();
    const py::gil_scoped_release release;
    const Turnstile turnstile(*this);
    turnstile.handle_late_signals();
    return call(*scheduler_);
  }

  // The decision at `now` as Python is to see it.  It stands only once that is made and no signal waits to be handled.
  py::tuple advance(Time now) {
    guard_.check();
    PythonMonitor monitor(py::none{});
    py::tuple answer;
    std::optional<py::gil_scoped_release> release(std::in_place);
    const Turnstile turnstile(*this);
    static_cast<void>(scheduler_->advance(now, &monitor, [&](const Decision& decision) {
      release.reset();
      answer = py::make_tuple(placement_columns(decision.starts), placement_columns(decision.plan), decision.next_wakeup);
      handle_signals();
    }));
    last_decision_ = answer;
    ++n_advances_;
    return answer;
  }

  std::unique_ptr<SharedScheduler> copy() {
    guard_.check();
    std::optional<py::gil_scoped_release> release(std::in_place);
    const Turnstile turnstile(*this);
    OnlineScheduler scheduler = *scheduler_;
    release.reset();
    auto twin = std::make_unique<SharedScheduler>(std::move(scheduler), n_resources_);
    twin->last_decision_ = last_decision_;
    twin->n_advances_ = n_advances_;
    return twin;
  }

  // What the last `advance` returned, or was about to return when an interrupt came; None before the first.
  py::object last_decision() {
    guard_.check();
    std::optional<py::gil_scoped_release> release(std::in_place);
    const Turnstile turnstile(*this);
    release.reset();
    return last_decision_;
  }

  // How many calls of `advance` stand.
  std::uint64_t n_advances() {
    return locked([this](const OnlineScheduler& /*scheduler*/) { return n_advances_; });
  }

 private:
  // Holds the mutex.  A signal handler runs inside the decision that it interrupts and would wait for itself.
  class Turnstile {
   public:
    explicit Turnstile(SharedScheduler& shared) : shared_(shared) {
      if (shared.inside_ == std::this_thread::get_id()) {
        throw UnsupportedError("the scheduler is deciding in this very thread; a signal handler cannot call it");
      }
      if (!shared.guard_.mutex().try_lock()) wait();
      shared.inside_ = std::this_thread::get_id();
    }
    Turnstile(const Turnstile&) = delete;
    Turnstile& operator=(const Turnstile&) = delete;
    ~Turnstile() {
      shared_.inside_ = std::thread::id();
      shared_.guard_.hold_was_ours();
      shared_.guard_.mutex().unlock();
    }
    // Those that came as a long wait was over; one that is handled by an exception then finds nothing done.
    void handle_late_signals() const {
      if (!waited_) return;
      const py::gil_scoped_acquire attached;
      handle_signals();
    }

   private:
    void wait() {
      waited_ = true;
      while (!shared_.guard_.mutex().try_lock_for(std::chrono::milliseconds(50))) {
        const py::gil_scoped_acquire attached;
        handle_signals();
        shared_.guard_.check();  // a handler may have forked
      }
    }

    SharedScheduler& shared_;
    bool waited_ = false;
  };

  std::unique_ptr<OnlineScheduler> scheduler_;
  std::size_t n_resources_;
  ForkGuard guard_;
  std::atomic<std::thread::id> inside_{};
  py::object last_decision_ = py::none();  // read and written with the mutex and the GIL held
  std::uint64_t n_advances_ = 0;
};

std::unique_ptr<SharedScheduler> make_scheduler(const Policy& policy, const Int64Array& capacity) {
  const MachinesView machines = machines_view(capacity);
  return std::make_unique<SharedScheduler>(OnlineScheduler(machines, policy.clone()), machines.n_resources);
}

Int64Array submit(SharedScheduler& shared, const Float64Array& processing_time, const Float64Array& weight,
                  const Int64Array& demand, const std::optional<Float64Array>& custom_key,
                  const std::optional<Int64Array>& ids, Time now) {
  const JobsView jobs = jobs_view(processing_time, processing_time, weight, demand);
  check_shape(jobs.n_resources == shared.n_resources(), "demand and the machines differ in n_resources");
  std::span<const std::int64_t> given;
  if (ids) {
    check_shape(static_cast<std::size_t>(ids->size()) == jobs.n_jobs(), "ids must have shape (n_jobs,)");
    given = span_of(*ids);
  }
  const auto key = column_span(custom_key, jobs.n_jobs(), "custom_key");
  Int64Array assigned(static_cast<py::ssize_t>(jobs.n_jobs()));  // before the record: afterwards nothing may fail
  const auto written = writable_span_of(assigned);
  shared.locked([&](OnlineScheduler& scheduler) { std::ranges::copy(scheduler.submit(jobs, key, given, now), written.begin()); });
  return assigned;
}

// One job without arrays, which cost more than the submission itself.
std::int64_t submit_one(SharedScheduler& shared, Time processing_time, double weight,
                        const std::vector<std::int64_t>& demand, std::optional<double> custom_key,
                        std::optional<std::int64_t> id, Time now) {
  check_shape(demand.size() == shared.n_resources(), "demand and the machines differ in n_resources");
  check_number(processing_time, 0.0, kLargestNumber, "processing_time");
  check_number(weight, 0.0, kLargestNumber, "weight");
  check_range(std::span<const std::int64_t>(demand), std::int64_t{0}, kLargestExact, "demand");
  check_number(custom_key.value_or(0), -kInfinity, kInfinity, "custom_key");
  const JobsView jobs{{&processing_time, 1}, {&processing_time, 1}, {&weight, 1}, demand, demand.size()};
  const auto key = custom_key ? std::span<const double>(&*custom_key, 1) : std::span<const double>{};
  const auto given = id ? std::span<const std::int64_t>(&*id, 1) : std::span<const std::int64_t>{};
  return shared.locked([&](OnlineScheduler& scheduler) { return scheduler.submit(jobs, key, given, now); }).front();
}

std::int64_t reserve_ids(SharedScheduler& shared, std::size_t count) {
  return shared.locked([&](OnlineScheduler& scheduler) { return scheduler.reserve_ids(count); });
}

void release_ids(SharedScheduler& shared, std::int64_t first, std::size_t count) {
  shared.locked([&](OnlineScheduler& scheduler) { scheduler.release_ids(first, count); });
}

void complete(SharedScheduler& shared, const Int64Array& ids, Time now) {
  const auto completed = span_of(ids);
  shared.locked([&](OnlineScheduler& scheduler) { scheduler.complete(completed, now); });
}

py::bytes snapshot(SharedScheduler& shared) {
  return py::bytes(shared.locked([](const OnlineScheduler& scheduler) { return scheduler.snapshot(); }));
}

std::unique_ptr<SharedScheduler> load(const Policy& policy, const Int64Array& capacity, const py::bytes& snapshot) {
  const MachinesView machines = machines_view(capacity);
  const std::string_view bytes(snapshot);
  std::optional<py::gil_scoped_release> release(std::in_place);
  OnlineScheduler scheduler(machines, policy.clone(), bytes);
  release.reset();
  return std::make_unique<SharedScheduler>(std::move(scheduler), machines.n_resources);
}

void check_invariants(SharedScheduler& shared, const Policy& policy, const Int64Array& capacity) {
  const MachinesView machines = machines_view(capacity);
  shared.locked([&](const OnlineScheduler& scheduler) { scheduler.check_invariants(machines, policy.clone()); });
}

template <class Read>
auto reading(const Read& read) {
  return [read](SharedScheduler& shared) {
    return shared.locked([&](const OnlineScheduler& scheduler) { return read(scheduler); });
  };
}

PriorityRule priority_rule(const std::string& name) {
  return choice<PriorityRule>(name, {{"wsjf", PriorityRule::wsjf},
                                     {"wsvf", PriorityRule::wsvf},
                                     {"wsdf", PriorityRule::wsdf},
                                     {"sjf", PriorityRule::sjf},
                                     {"svf", PriorityRule::svf},
                                     {"sdf", PriorityRule::sdf},
                                     {"erf", PriorityRule::erf},
                                     {"custom", PriorityRule::custom},
                                     {"by_id", PriorityRule::by_id}});
}

// MrisPolicy and MrisDynamicPolicy take the same options; the latter reads neither placement nor replan.
template <class MrisForm>
void bind_mris(py::module_& module, const char* name) {
  py::class_<MrisForm, Policy>(module, name)
      .def(py::init([](const std::string& rule, const std::string& knapsack, std::int64_t epsilon_numerator,
                       std::int64_t epsilon_denominator, std::uint64_t memory_limit, const std::string& placement,
                       Time gamma0, std::optional<Time> origin, bool opportunistic, double patience, bool replan,
                       bool record) {
             const auto method = choice<KnapsackMethod>(knapsack, {{"exact", KnapsackMethod::exact},
                                                                   {"cadp", KnapsackMethod::cadp},
                                                                   {"greedy", KnapsackMethod::greedy},
                                                                   {"greedy_union", KnapsackMethod::greedy_union}});
             const auto where = choice<MrisPlacement>(placement, {{"scan", MrisPlacement::scan},
                                                                  {"list", MrisPlacement::list},
                                                                  {"nobackfill", MrisPlacement::nobackfill}});
             check_number(epsilon_numerator, std::int64_t{1}, kLargestInteger - 1, "epsilon_numerator");
             check_number(epsilon_denominator, epsilon_numerator + 1, kLargestInteger, "epsilon_denominator");
             check_number(gamma0, kSmallestNumber, kLargestNumber, "gamma0");
             check_number(origin.value_or(0), 0.0, kLargestNumber, "origin");
             check_number(patience, 0.0, kInfinity, "patience");
             return std::make_unique<MrisForm>(MrisOptions{priority_rule(rule),
                                                           method,
                                                           {epsilon_numerator, epsilon_denominator},
                                                           memory_limit,
                                                           where,
                                                           gamma0,
                                                           origin.value_or(0),
                                                           !origin.has_value(),
                                                           opportunistic,
                                                           patience,
                                                           replan,
                                                           record});
           }),
           py::arg("rule"), py::arg("knapsack"), py::arg("epsilon_numerator"), py::arg("epsilon_denominator"),
           py::arg("memory_limit"), py::arg("placement"), py::arg("gamma0"), py::arg("origin"),
           py::arg("opportunistic"), py::arg("patience"), py::arg("replan"), py::arg("record"));
}

void bind_policies(py::module_& module) {
  py::class_<Policy>(module, "Policy", "A scheduling policy of the C++ engine; a prototype that engines copy.");
  py::class_<PriorityQueuePolicy, Policy>(module, "PriorityQueuePolicy")
      .def(py::init([](const std::string& rule, std::optional<Time> last_release_time) {
             check_number(last_release_time.value_or(0), 0.0, kInfinity, "last_release_time");
             return std::make_unique<PriorityQueuePolicy>(priority_rule(rule), last_release_time);
           }),
           py::arg("rule"), py::arg("last_release_time") = py::none());
  py::class_<TetrisPolicy, Policy>(module, "TetrisPolicy")
      .def(py::init([](const std::string& mode) {
             return std::make_unique<TetrisPolicy>(choice<TetrisMode>(
                 mode, {{"inverse", TetrisMode::inverse}, {"minus", TetrisMode::minus}, {"plus", TetrisMode::plus}}));
           }),
           py::arg("mode"));
  py::class_<BestFitExecutionPolicy, Policy>(module, "BestFitExecutionPolicy").def(py::init<>());
  bind_mris<MrisPolicy>(module, "MrisPolicy");
  bind_mris<MrisDynamicPolicy>(module, "MrisDynamicPolicy");
}

}  // namespace

void bind_engine(py::module_& module) {
  bind_policies(module);
  module.def("simulate", &simulate_workload, py::arg("policy"), py::arg("release_time"), py::arg("processing_time"),
             py::arg("weight"), py::arg("demand"), py::arg("capacity"), py::arg("custom_key") = py::none(),
             py::arg("progress") = py::none(), py::arg("estimated_processing_time") = py::none(),
             "Run a whole workload through a policy; returns (start_time, machine, stats).");
  py::class_<SharedScheduler>(module, "OnlineScheduler", "The engine as the decision maker of another program.")
      .def(py::init(&make_scheduler), py::arg("policy"), py::arg("capacity"))
      .def("submit", &submit, py::arg("processing_time"), py::arg("weight"), py::arg("demand"), py::arg("custom_key"),
           py::arg("ids"), py::arg("now"))
      .def("submit_one", &submit_one, py::arg("processing_time"), py::arg("weight"), py::arg("demand"),
           py::arg("custom_key"), py::arg("id"), py::arg("now"))
      .def("reserve_ids", &reserve_ids, py::arg("count"))
      .def("release_ids", &release_ids, py::arg("first"), py::arg("count"))
      .def("complete", &complete, py::arg("ids"), py::arg("now"))
      .def("advance", &SharedScheduler::advance, py::arg("now"))
      .def("copy", &SharedScheduler::copy)
      .def("snapshot", &snapshot)
      .def_static("load", &load, py::arg("policy"), py::arg("capacity"), py::arg("snapshot"),
                  "A scheduler as its `snapshot` says, which is checked.")
      .def("check_invariants", &check_invariants, py::arg("policy"), py::arg("capacity"),
           "For tests: RuntimeError where the state contradicts itself.")
      .def_property_readonly("n_overruns", reading([](const OnlineScheduler& s) {
                               const auto* records = dynamic_cast<const BackfillRecords*>(&s.policy());
                               return records == nullptr ? std::uint64_t{0} : records->n_overruns();
                             }))
      .def_property_readonly("last_decision", &SharedScheduler::last_decision)
      .def_property_readonly("n_advances", &SharedScheduler::n_advances)
      .def_property_readonly("recorded_instant", reading([](const OnlineScheduler& s) { return s.recorded_instant(); }))
      .def_property_readonly("next_id", reading([](const OnlineScheduler& s) { return s.next_id(); }))
      .def_property_readonly("now", reading([](const OnlineScheduler& s) { return s.now(); }))
      .def_property_readonly("n_running", reading([](const OnlineScheduler& s) { return s.n_running(); }))
      .def_property_readonly("n_waiting", reading([](const OnlineScheduler& s) { return s.n_waiting(); }));
}

}  // namespace schedcore::python
