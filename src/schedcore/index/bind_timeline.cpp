// The resource kernels: ResourceTimeline (public), MachineIndex and the vector-fit forms (for tests and for building
// other policies).  Checks stand here; the kernels assert.  Calls on a timeline or an index take less time than handing
// over the GIL, so only the vector-fit forms, which may get large blocks, release it.
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/amount_array.hpp"
#include "base/arrays.hpp"
#include "bindings.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/index/fit.hpp"
#include "schedcore/index/machine_index.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

constexpr Amount kLargestAmount = Amount{1} << 53;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void require(bool holds, const std::string& message) {
  if (!holds) throw InvalidInstanceError(message);
}

std::span<const Amount> amounts(const AmountArray& given, std::size_t n_resources, const std::string& name) {
  const Int64Array& array = *given;
  require(array.ndim() == 1 && static_cast<std::size_t>(array.shape(0)) == n_resources,
          name + " must have shape (" + std::to_string(n_resources) + ",)");
  const auto values = span_of(array);
  for (std::size_t l = 0; l < values.size(); ++l) {
    require(values[l] >= 0 && values[l] <= kLargestAmount,
            name + "[" + std::to_string(l) + "] = " + std::to_string(values[l]) + " must lie between 0 and 2^53");
  }
  return values;
}

void check_instant(const ResourceTimeline& timeline, double t, const char* name) {
  require(std::isfinite(t), std::string(name) + " = " + number(t) + " must be finite");
  require(t >= timeline.origin(), std::string(name) + " = " + number(t) +
                                      " lies before the origin of the timeline, " + number(timeline.origin()));
}

void check_stretch(const ResourceTimeline& timeline, double start, double end) {
  check_instant(timeline, start, "start");
  require(end > start, "end = " + number(end) + " must be after start = " + number(start));  // false for NaN
}

Int64Array row_of(std::size_t n_resources) { return Int64Array(static_cast<py::ssize_t>(n_resources)); }

ResourceTimeline make_timeline(const AmountArray& capacity, double origin) {
  require(capacity->ndim() == 1 && capacity->shape(0) > 0, "capacity must have shape (n_resources,) with n_resources > 0");
  require(std::isfinite(origin) && origin >= 0, "origin = " + number(origin) + " must be finite and not negative");
  return ResourceTimeline(amounts(capacity, static_cast<std::size_t>(capacity->shape(0)), "capacity"), origin);
}

py::tuple breakpoints(const ResourceTimeline& timeline) {
  const auto all = timeline.stretches();
  const auto k = static_cast<py::ssize_t>(all.time.size());
  Float64Array time(k);
  Int64Array free({k, static_cast<py::ssize_t>(timeline.n_resources())});
  std::copy(all.time.begin(), all.time.end(), time.mutable_data());
  std::copy(all.free.begin(), all.free.end(), free.mutable_data());
  return py::make_tuple(std::move(time), std::move(free));
}

ResourceTimeline from_breakpoints(const py::tuple& state) {
  require(state.size() == 2, "not the state of a ResourceTimeline");
  const auto time = state[0].cast<Float64Array>();
  const auto free = state[1].cast<Int64Array>();
  require(time.ndim() == 1 && free.ndim() == 2, "not the state of a ResourceTimeline");
  const auto instants = span_of(time);
  const auto rows = span_of(free);
  require(free.shape(0) == time.shape(0) && time.size() > 0 && free.shape(1) > 0, "not the state of a ResourceTimeline");
  check_range(instants, 0.0, kLargestNumber, "time");
  require(std::adjacent_find(instants.begin(), instants.end(), std::greater_equal<>()) == instants.end(),
          "the times of a ResourceTimeline must ascend");
  return ResourceTimeline::from_stretches(static_cast<std::size_t>(free.shape(1)),
                                          {{instants.begin(), instants.end()}, {rows.begin(), rows.end()}});
}

std::string describe(const ResourceTimeline& timeline) {
  return "ResourceTimeline(n_resources=" + std::to_string(timeline.n_resources()) +
         ", n_breakpoints=" + std::to_string(timeline.n_breakpoints()) + ", origin=" + number(timeline.origin()) + ")";
}

void bind_resource_timeline(py::module_& module) {
  using T = ResourceTimeline;
  py::class_<T>(module, "ResourceTimeline", R"(The free amounts of a machine over time, which jobs reserve and release.

A right-continuous step function on [origin, inf) in exact integer amounts, kept as a balanced tree: every
method is O(n_resources * log n_breakpoints) amortised, except that `earliest_fit` also steps over every
stretch without room before its answer. Intervals are half-open; amounts may become negative. Instances
copy, pickle and compare by value; they are mutable, so not hashable. Not for concurrent changes without a lock.

Parameters
----------
capacity : (n_resources,) int64
    Free amounts from `origin` on, each between 0 and 2**53.
origin : float
    Where the timeline begins; finite and not negative.

Raises
------
InvalidInstanceError
    By every method for NaN, for an instant before the origin, for `end <= start`, and for a vector of the
    wrong length or with amounts outside [0, 2**53]; nothing is changed then.
)")
      .def(py::init(&make_timeline), py::arg("capacity"), py::arg("origin") = 0.0)
      .def_property_readonly("n_resources", &T::n_resources, "Number of resources.")
      .def_property_readonly("n_breakpoints", &T::n_breakpoints,
                             "Number of constant stretches; neighbouring stretches always differ.")
      .def_property_readonly("origin", &T::origin, "Where the timeline begins: the first breakpoint.")
      .def(
          "reserve",
          [](T& self, double start, double end, const AmountArray& demand) {
            check_stretch(self, start, end);
            self.reserve(start, end, amounts(demand, self.n_resources(), "demand"));
          },
          py::arg("start"), py::arg("end"), py::arg("demand"),
          "Take `demand` from what is free on [start, end); `end` may be inf. Does not ask whether it fits.")
      .def(
          "release",
          [](T& self, double start, double end, const AmountArray& demand) {
            check_stretch(self, start, end);
            self.release(start, end, amounts(demand, self.n_resources(), "demand"));
          },
          py::arg("start"), py::arg("end"), py::arg("demand"), "Give `demand` back on [start, end); `end` may be inf.")
      .def(
          "free_at",
          [](const T& self, double t) {
            check_instant(self, t, "t");
            Int64Array out = row_of(self.n_resources());
            self.free_at(t, writable_span_of(out));
            return out;
          },
          py::arg("t"), "The free amounts at `t`, shape (n_resources,).")
      .def(
          "range_min",
          [](const T& self, double start, double end) {
            check_stretch(self, start, end);
            Int64Array out = row_of(self.n_resources());
            self.range_min(start, end, writable_span_of(out));
            return out;
          },
          py::arg("start"), py::arg("end"),
          "The least free amount of every resource over [start, end), shape (n_resources,).")
      .def(
          "first_shortage",
          [](const T& self, double not_before, const AmountArray& demand) {
            check_instant(self, not_before, "not_before");
            return self.first_shortage(not_before, amounts(demand, self.n_resources(), "demand"));
          },
          py::arg("not_before"), py::arg("demand"),
          "The earliest t >= not_before at which `demand` does not fit; inf if there is none.")
      .def(
          "earliest_fit",
          [](const T& self, double not_before, double duration, const AmountArray& demand) {
            check_instant(self, not_before, "not_before");
            require(duration > 0, "duration = " + number(duration) + " must be positive");  // false for NaN
            return self.earliest_fit(not_before, duration, amounts(demand, self.n_resources(), "demand"));
          },
          py::arg("not_before"), py::arg("duration"), py::arg("demand"),
          "The earliest s >= not_before such that `demand` fits on all of [s, s + duration); inf if there is none.\n\n"
          "`s` is `not_before` or an instant at which availability rises; the end is the float64 s + duration.")
      .def(
          "forget_before",
          [](T& self, double t) {
            require(std::isfinite(t), "t = " + number(t) + " must be finite");
            self.forget_before(t);
          },
          py::arg("t"), "Drop what lies before `t`, which becomes the origin; no effect for t <= origin.")
      .def(
          "next_change",
          [](const T& self, double after) {
            check_instant(self, after, "after");
            return self.next_change(after);
          },
          py::arg("after"), "The first breakpoint after `after`; inf if there is none.")
      .def("breakpoints", &breakpoints,
           "The function itself: `time`, shape (n_breakpoints,), and `free`, shape (n_breakpoints, n_resources);\n"
           "row i holds on [time[i], time[i + 1]), the last one for ever.")
      .def("check_invariants", &T::check_invariants, "Raise RuntimeError if the tree is damaged; for tests.")
      .def("__copy__", [](const T& self) { return T(self); })
      .def(
          "__deepcopy__", [](const T& self, const py::dict&) { return T(self); }, py::arg("memo"))
      .def(
          "__eq__",
          [](const T& self, const T& other) {
            const auto a = self.stretches();
            const auto b = other.stretches();
            return self.n_resources() == other.n_resources() && a.time == b.time && a.free == b.free;
          },
          py::arg("other"), py::is_operator())
      .def("__repr__", &describe)
      .def(py::pickle(&breakpoints, &from_breakpoints));
}

std::optional<std::size_t> found_or_none(std::size_t index) {
  static_assert(kNoMachine == kNoCandidate);
  return index == kNoMachine ? std::nullopt : std::optional(index);
}

void check_machine(const MachineIndex& index, std::size_t machine) {
  require(machine < index.n_machines(), "machine = " + std::to_string(machine) + " must be below n_machines = " +
                                            std::to_string(index.n_machines()));
}

// What best_fit requires: every free_l * scale_l stays below 2^54.
void check_norms(const MachineIndex& index, std::span<const Amount> scale) {
  for (std::size_t machine = 0; machine < index.n_machines(); ++machine) {
    const auto available = index.free(machine);
    for (std::size_t l = 0; l < scale.size(); ++l) {
      require(scale[l] == 0 || available[l] <= ((Amount{1} << 54) - 1) / scale[l],
              "free amount times scale of resource " + std::to_string(l) + " must stay below 2^54");
    }
  }
}

void bind_machine_index(py::module_& module) {
  using M = MachineIndex;
  py::class_<M>(module, "MachineIndex", "The free vectors of all machines, searched by what fits.")
      .def(py::init([](const AmountArray& free) {
             require(free->ndim() == 2 && free->shape(1) > 0, "free must have shape (n_machines, n_resources)");
             check_range(span_of(*free), std::int64_t{0}, kLargestAmount, "free");
             return M(span_of(*free), static_cast<std::size_t>(free->shape(1)));
           }), py::arg("free"))
      .def_property_readonly("n_machines", &M::n_machines)
      .def_property_readonly("n_resources", &M::n_resources)
      .def("free", [](const M& self, std::size_t machine) {
            check_machine(self, machine);
            Int64Array out = row_of(self.n_resources());
            std::ranges::copy(self.free(machine), out.mutable_data());
            return out;
          }, py::arg("machine"))
      .def("acquire", [](M& self, std::size_t machine, const AmountArray& demand) {
            check_machine(self, machine);
            self.acquire(machine, amounts(demand, self.n_resources(), "demand"));
          }, py::arg("machine"), py::arg("demand"))
      .def("release", [](M& self, std::size_t machine, const AmountArray& demand) {
            check_machine(self, machine);
            self.release(machine, amounts(demand, self.n_resources(), "demand"));
          }, py::arg("machine"), py::arg("demand"))
      .def("first_fit", [](const M& self, const AmountArray& demand, std::size_t from_machine) {
            const auto wanted = amounts(demand, self.n_resources(), "demand");
            return found_or_none(from_machine < self.n_machines() ? self.first_fit(wanted, from_machine) : kNoMachine);
          }, py::arg("demand"), py::arg("from_machine") = 0)
      .def("best_fit", [](const M& self, const AmountArray& demand, const AmountArray& scale) {
            const auto factors = amounts(scale, self.n_resources(), "scale");
            check_norms(self, factors);
            return found_or_none(self.best_fit(amounts(demand, self.n_resources(), "demand"), factors));
          }, py::arg("demand"), py::arg("scale"))
      .def("check_invariants", &M::check_invariants);
}

// Runs `kernel(demand, n_candidates, n_resources, available)` without the GIL; `axis` counts the candidates.
template <class Kernel>
auto run_fit(const AmountArray& demand, const AmountArray& available, int axis, const Kernel& kernel) {
  require(demand->ndim() == 2, "demand must have two dimensions");
  const auto n_candidates = static_cast<std::size_t>(demand->shape(axis));
  const auto n_resources = static_cast<std::size_t>(demand->shape(1 - axis));
  require(available->ndim() == 1 && static_cast<std::size_t>(available->shape(0)) == n_resources,
          "available must have shape (" + std::to_string(n_resources) + ",)");
  const Amount* block = demand->data();
  const Amount* room = available->data();
  const py::gil_scoped_release unlocked;
  return kernel(block, n_candidates, n_resources, room);
}

using MaskKernel = decltype(&fits_many_rows);
using FirstKernel = decltype(&first_fitting_row);

py::array_t<bool> fit_mask(const AmountArray& demand, const AmountArray& available, int axis, MaskKernel kernel) {
  require(demand->ndim() == 2, "demand must have two dimensions");
  static_assert(sizeof(bool) == sizeof(std::uint8_t));
  py::array_t<bool> mask(demand->shape(axis));
  auto* bytes = reinterpret_cast<std::uint8_t*>(mask.mutable_data());
  run_fit(demand, available, axis,
          [=](const Amount* block, std::size_t n_candidates, std::size_t n_resources, const Amount* room) {
            kernel(block, n_candidates, n_resources, room, bytes);
          });
  return mask;
}

void bind_vector_fit(py::module_& module) {
  module.def("fits_many", [](const AmountArray& demand, const AmountArray& available) {
        return fit_mask(demand, available, 0, &fits_many_rows);
      }, py::arg("demand"), py::arg("available"),
      "For every row of `demand`, (n_candidates, n_resources): is it <= `available` everywhere?");
  module.def("fits_many_columns", [](const AmountArray& demand, const AmountArray& available) {
        return fit_mask(demand, available, 1, &fits_many_columns);
      }, py::arg("demand"), py::arg("available"), "As `fits_many` for a block of shape (n_resources, n_candidates).");
  module.def("first_fitting", [](const AmountArray& demand, const AmountArray& available) {
        return found_or_none(run_fit(demand, available, 0, FirstKernel{&first_fitting_row}));
      }, py::arg("demand"), py::arg("available"), "The lowest row of `demand` that fits, or None.");
  module.def("first_fitting_column", [](const AmountArray& demand, const AmountArray& available) {
        return found_or_none(run_fit(demand, available, 1, FirstKernel{&first_fitting_column}));
      }, py::arg("demand"), py::arg("available"), "The lowest column of `demand` that fits, or None.");
}

}  // namespace

void bind_timeline(py::module_& module) {
  bind_resource_timeline(module);
  bind_machine_index(module);
  bind_vector_fit(module);
}

}  // namespace schedcore::python
