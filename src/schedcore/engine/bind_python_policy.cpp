// Policies that are written in Python: schedcore._core.engine.PythonPolicy, and what these see of an event and may do.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "bindings.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/engine/custom_policy.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

void make_read_only(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

// Rows that whoever is shown them keeps alive.
py::object shown_rows(const CustomTurn& turn) {
  const auto& rows = turn.free_rows();
  const std::size_t n_resources = turn.turn().machines().n_resources();
  using Kept = std::shared_ptr<std::vector<Amount>>;
  const py::capsule owner(new Kept(rows), [](void* kept) { delete static_cast<Kept*>(kept); });
  Int64Array all({static_cast<py::ssize_t>(rows->size() / n_resources), static_cast<py::ssize_t>(n_resources)}, rows->data(),
                 owner);
  make_read_only(all);
  return all.attr("view")();  // so that nobody makes it writable
}

template <class Ids>
Int64Array read_only(const Ids& ids) {
  Int64Array array(static_cast<py::ssize_t>(ids.size()));
  std::ranges::copy(ids, array.mutable_data());
  make_read_only(array);
  return array;
}

// An event, while it lasts.
class PolicyEvent {
 public:
  explicit PolicyEvent(const CustomTurn& turn) : turn_(&turn), now_(turn.now()) {}

  void end() { turn_ = nullptr; }
  [[nodiscard]] Time now() const { return now_; }
  template <TurnList list>
  [[nodiscard]] Int64Array ids() const {
    if (turn_ == nullptr) throw PolicyError("the event is over; take what is needed of it while decide runs");
    return read_only(turn_->ids(list));
  }

 private:
  const CustomTurn* turn_;
  Time now_;
};

// A turn, while it lasts.
class PolicyTurn {
 public:
  explicit PolicyTurn(CustomTurn& turn) : turn_(&turn) {}

  void end() { turn_ = nullptr; }
  [[nodiscard]] py::object free() {
    if (!free_) free_ = shown_rows(turn());
    return *free_;
  }
  [[nodiscard]] Int64Array waiting() {
    if (!waiting_) waiting_ = read_only(turn().ids(TurnList::waiting));
    return *waiting_;
  }

  [[nodiscard]] py::tuple running() const {
    const std::vector<RunningJob> all = turn().turn().running();
    const auto column = [&](auto of) {
      py::array_t<decltype(of(all.front())), py::array::c_style> values(static_cast<py::ssize_t>(all.size()));
      std::ranges::transform(all, values.mutable_data(), of);
      return values;
    };
    return py::make_tuple(column([&](const RunningJob& each) { return turn().id(each.job); }),
                          column([&](const RunningJob& each) { return turn().number_of(each.machine); }),
                          column([](const RunningJob& each) { return each.start_time; }),
                          column([](const RunningJob& each) { return each.expected_end; }));
  }

  // Numbers, capacities, whether they are up, and until when they are of use.
  [[nodiscard]] py::tuple machines() const {
    const std::vector<std::uint32_t> all = turn().machines();
    const auto n_machines = static_cast<py::ssize_t>(all.size());
    const std::size_t n_resources = turn().turn().machines().n_resources();
    const Availability& availability = turn().turn().availability();
    Int64Array number(n_machines);
    Int64Array capacity({n_machines, static_cast<py::ssize_t>(n_resources)});
    py::array_t<bool> is_up(n_machines);
    Float64Array until(n_machines);
    for (std::size_t row = 0; row < all.size(); ++row) {
      number.mutable_data()[row] = turn().number_of(all[row]);
      std::ranges::copy(turn().capacity_of(all[row]), capacity.mutable_data() + row * n_resources);
      is_up.mutable_data()[row] = !availability.is_blocked(all[row]);
      until.mutable_data()[row] = availability.usable_until(all[row]);
    }
    return py::make_tuple(std::move(number), std::move(capacity), std::move(is_up), std::move(until));
  }

  [[nodiscard]] py::dict jobs(const Int64Array& ids) const {
    const JobTable& jobs = turn().turn().jobs();
    std::vector<JobSlot> slots;
    for (const std::int64_t id : span_of(ids)) slots.push_back(turn().job_of(id));
    refuse_repetition(ids);
    const auto n_jobs = static_cast<py::ssize_t>(slots.size());
    const auto column = [&](auto of) {
      py::array_t<decltype(of(JobSlot{})), py::array::c_style> values(n_jobs);
      std::ranges::transform(slots, values.mutable_data(), of);
      make_read_only(values);
      return values;
    };
    Int64Array demand({n_jobs, static_cast<py::ssize_t>(jobs.n_resources())});
    Amount* to = demand.mutable_data();
    for (const JobSlot job : slots) to = std::ranges::copy(jobs.demand(job), to).out;
    make_read_only(demand);
    py::dict columns;
    columns["processing_time"] = column([&](JobSlot job) { return jobs.processing_time(job); });
    columns["demand"] = std::move(demand);
    columns["release_time"] = column([&](JobSlot job) { return jobs.release_time(job); });
    columns["weight"] = column([&](JobSlot job) { return jobs.weight(job); });
    columns["id"] = column([&](JobSlot job) { return jobs.id(job); });
    if (!jobs.any_shaped()) return columns;
    columns["n_tasks"] = column([&](JobSlot job) { return jobs.shape(job).n_tasks; });
    columns["max_tasks_per_machine"] = column([&](JobSlot job) {
      const Amount spread = jobs.shape(job).spread;
      return spread == kAnyNumber ? Amount{0} : spread;
    });
    columns["exclusive"] = column([&](JobSlot job) { return jobs.shape(job).is_exclusive; });
    return columns;
  }

  [[nodiscard]] Int64Array fits(std::int64_t id) const { return read_only(turn().fits(id)); }
  [[nodiscard]] Int64Array room(std::int64_t id) const { return read_only(turn().room(id)); }

  void start(std::int64_t id, std::int64_t machine) {
    const CustomTurn::NumberedPlace place{machine, 1};
    start_on(id, std::span(&place, 1));
  }
  void start_tasks(std::int64_t id, const std::vector<std::pair<std::int64_t, std::int64_t>>& tasks) {
    std::vector<CustomTurn::NumberedPlace> places;
    for (const auto& [machine, n_tasks] : tasks) places.push_back({machine, n_tasks});
    start_on(id, places);
  }
  void wake(Time at) { turn().wake(at); }

 private:
  [[nodiscard]] CustomTurn& turn() const {
    if (turn_ == nullptr) throw PolicyError("the turn is over; only decide may use it, while it runs");
    return *turn_;
  }
  static void refuse_repetition(const Int64Array& ids) {
    if (ids.size() < 2) return;
    std::vector<std::int64_t> sorted(ids.data(), ids.data() + ids.size());
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) throw PolicyError("job " + std::to_string(*twice) + " is asked for twice");
  }
  void start_on(std::int64_t id, std::span<const CustomTurn::NumberedPlace> places) {
    turn().start(id, places);
  }

  CustomTurn* turn_;
  std::optional<py::object> free_;
  std::optional<Int64Array> waiting_;
};

// Everything of it needs the GIL, which engines run without.
class PythonPolicy final : public CustomPolicy {
 public:
  PythonPolicy(py::object policy, bool takes_gangs) : CustomPolicy(takes_gangs), policy_(std::move(policy)) {}
  ~PythonPolicy() override {
    if (Py_IsInitialized() == 0) {
      policy_.release();
      return;
    }
    const py::gil_scoped_acquire gil;
    policy_ = py::object();
  }
  PythonPolicy& operator=(const PythonPolicy&) = delete;

  [[nodiscard]] std::unique_ptr<Policy> clone() const override {
    const py::gil_scoped_acquire gil;
    auto copy = std::unique_ptr<PythonPolicy>(new PythonPolicy(*this));
    copy->policy_ = said([] { return "copied"; }, [&] { return py::module_::import("copy").attr("deepcopy")(policy_); });
    return copy;
  }

  void continue_as(const Policy& before) override {
    const py::gil_scoped_acquire gil;
    policy_ = dynamic_cast<const PythonPolicy&>(before).policy_;
  }

 protected:
  void decide_on(CustomTurn& turn) override {
    const py::gil_scoped_acquire gil;
    const py::object seen = py::cast(new PolicyEvent(turn), py::return_value_policy::take_ownership);
    const py::object hands = py::cast(new PolicyTurn(turn), py::return_value_policy::take_ownership);
    const struct Ending {
      const py::object& seen;
      const py::object& hands;
      ~Ending() {
        seen.cast<PolicyEvent&>().end();
        hands.cast<PolicyTurn&>().end();
      }
    } ending{seen, hands};
    const py::object answer = said([&] { return "asked at " + number_text(turn.now()); }, [&] { return policy_.attr("_decide")(seen, hands); });
    if (!answer.is_none()) {
      throw PolicyError("policy " + name() + " answered " + text_of(answer, py::repr) + " at " +
                        number_text(turn.now()) + "; decide returns nothing, and starts jobs through the turn");
    }
  }

  [[nodiscard]] std::string remembered() const override {
    const py::gil_scoped_acquire gil;
    const py::object state = said([] { return "saved"; }, [&] { return policy_.attr("__getstate__")(); });
    if (state.is_none()) return {};
    if (!py::isinstance<py::bytes>(state)) {
      throw UnsupportedError("policy " + name() +
                             " cannot be saved: give it a __getstate__ that returns bytes, and __setstate__ for them");
    }
    return "b" + state.cast<std::string>();
  }
  void remember(std::string_view bytes) override {
    if (bytes.empty()) return;
    const py::gil_scoped_acquire gil;
    said([] { return "loaded"; }, [&] { return policy_.attr("__setstate__")(py::bytes(bytes.data() + 1, bytes.size() - 1)); });
  }

 private:
  PythonPolicy(const PythonPolicy& other) : CustomPolicy(other) {}

  [[nodiscard]] std::string name() const { return py::str(policy_.attr("label")).cast<std::string>(); }

  // Of what cannot say it of itself, its type.
  template <class Say>
  static std::string text_of(const py::object& value, const Say& say) {
    try {
      return say(value).template cast<std::string>();
    } catch (py::error_already_set&) {
      return "<" + py::str(py::type::of(value).attr("__name__")).cast<std::string>() + ">";
    }
  }

  // What a call answers; an exception of its own becomes the cause of a PolicyError.
  template <class When, class Call>
  py::object said(const When& when, const Call& call) const {
    try {
      return call();
    } catch (py::error_already_set& error) {
      const py::module_ errors = py::module_::import("schedcore.errors");
      if (error.matches(errors.attr("SchedcoreError")) || !error.matches(PyExc_Exception)) throw;
      const std::string what = py::str(error.type().attr("__name__")).cast<std::string>() + ": " +
                               text_of(error.value(), [](const py::object& value) { return py::str(value); });
      const std::string message = "policy " + name() + ", " + when() + ", raised " + what;
      py::raise_from(error, errors.attr("PolicyError").ptr(), message.c_str());
      throw py::error_already_set();
    }
  }

  py::object policy_;
};

}  // namespace

void bind_python_policy(py::module_& module) {
  py::class_<PolicyEvent>(module, "PolicyEvent", "What happened at an instant; of use while `decide` runs.")
      .def_property_readonly("now", &PolicyEvent::now)
      .def_property_readonly("arrived", &PolicyEvent::ids<TurnList::arrived>)
      .def_property_readonly("completed", &PolicyEvent::ids<TurnList::completed>)
      .def_property_readonly("killed", &PolicyEvent::ids<TurnList::killed>)
      .def_property_readonly("cancelled", &PolicyEvent::ids<TurnList::cancelled>)
      .def_property_readonly("held", &PolicyEvent::ids<TurnList::held>)
      .def_property_readonly("released", &PolicyEvent::ids<TurnList::released>)
      .def_property_readonly("updated", &PolicyEvent::ids<TurnList::updated>)
      .def_property_readonly("adopted", &PolicyEvent::ids<TurnList::adopted>)
      .def_property_readonly("machines_changed", &PolicyEvent::ids<TurnList::machines_changed>);
  py::class_<PolicyTurn>(module, "PolicyTurn", "What a policy sees and may do; of use while `decide` runs.")
      .def_property_readonly("free", &PolicyTurn::free)
      .def_property_readonly("waiting", &PolicyTurn::waiting)
      .def_property_readonly("running", &PolicyTurn::running)
      .def_property_readonly("machines", &PolicyTurn::machines)
      .def("jobs", &PolicyTurn::jobs, py::arg("ids"))
      .def("fits", &PolicyTurn::fits, py::arg("id"))
      .def("room", &PolicyTurn::room, py::arg("id"))
      .def("start", &PolicyTurn::start, py::arg("id"), py::arg("machine"))
      .def("start_tasks", &PolicyTurn::start_tasks, py::arg("id"), py::arg("tasks"))
      .def("wake", &PolicyTurn::wake, py::arg("at"));
  py::class_<PythonPolicy, Policy>(module, "PythonPolicy", "A policy whose `_decide(event, turn)` is called.")
      .def(py::init<py::object, bool>(), py::arg("policy"), py::kw_only(), py::arg("takes_gangs"));
}

}  // namespace schedcore::python
