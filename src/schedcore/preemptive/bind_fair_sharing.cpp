// Fair sharing of one slot as functions of their own: shares of cores, and whole cores out of them.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "bindings.hpp"
#include "preemptive/fair_arguments.hpp"
#include "schedcore/preemptive/fair_rates.hpp"
#include "schedcore/preemptive/whole_cores.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

py::tuple shares(const Int64Array& demand, const Int64Array& limit, const Int64Array& capacity,
                 const std::optional<Float64Array>& weight, const std::string& rule) {
  const MachinesView machines = machines_view(capacity);
  check_shape(demand.ndim() == 2 && demand.shape(1) == capacity.shape(1),
              "demand must have shape (n_jobs, n_resources), as many resources as the machines");
  const auto n_jobs = static_cast<std::size_t>(demand.shape(0));
  check_shape(limit.ndim() == 1 && limit.shape(0) == demand.shape(0), "limit must have shape (n_jobs,)");
  check_range(span_of(demand), std::int64_t{0}, kLargestExact, "demand");
  check_range(span_of(limit), std::int64_t{1}, kLargestExact, "limit");
  for (std::size_t job = 0; job < n_jobs; ++job)
    check_shape(span_of(limit)[job] <= span_of(demand)[job * machines.n_resources],
                "limit must be at most the cores that the job asks for");
  check_pool(span_of(demand), machines);
  const auto weights = column_span(weight, n_jobs, "weight");
  check_job_weights(weights);
  const auto chosen = choice<FairRule>(
      rule, {{"proportional_fairness", FairRule::proportional_fairness}, {"drf", FairRule::drf}});
  std::vector<double> cores, prices;
  {
    const py::gil_scoped_release unlocked;
    FairRates rates(chosen, machines);
    rates.assign({span_of(demand), span_of(limit), weights}, cores);
    prices = rates.prices();
  }
  return py::make_tuple(array_of(cores), array_of(prices));
}

Int64Array whole(const Float64Array& share, const std::optional<Float64Array>& owed, std::int64_t total) {
  check_shape(share.ndim() == 1, "share must have one dimension");
  const auto n_jobs = static_cast<std::size_t>(share.shape(0));
  constexpr auto kMost = static_cast<double>(kLargestExact);
  check_range(span_of(share), 0.0, kMost, "share");
  const auto claims = column_span(owed, n_jobs, "owed");
  check_range(claims, -kMost, kMost, "owed");
  check_number(total, std::int64_t{0}, kLargestExact, "total");
  std::vector<Amount> cores;
  {
    const py::gil_scoped_release unlocked;
    std::vector<CoreShare> rounded(n_jobs);
    std::ranges::transform(span_of(share), rounded.begin(), core_share);
    std::vector<Int128> units(claims.size());
    std::ranges::transform(claims, units.begin(), [](double cores_owed) {
      return floor_to_int128(cores_owed * static_cast<double>(CoreShare::kUnits) + 0.5);
    });
    WholeCores().assign(rounded, units, total, cores);
  }
  return array_of(cores);
}

}  // namespace

void bind_fair_sharing(py::module_& module) {
  module.def("fair_shares", &shares, py::arg("demand"), py::arg("limit"), py::arg("capacity"),
             py::arg("weight").none(true), py::kw_only(), py::arg("rule"),
             "Cores of each job, fractions included, and under proportional fairness what all of a resource costs.");
  module.def("whole_cores", &whole, py::arg("share"), py::arg("owed").none(true), py::arg("total"),
             "Whole cores out of shares, by largest remainder.");
}

}  // namespace schedcore::python
