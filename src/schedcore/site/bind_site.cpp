// The rules of a site, and to whom jobs belong: schedcore._core.site.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "base/arrays.hpp"
#include "bindings.hpp"
#include "engine/cluster_jobs.hpp"
#include "site/given_parties.hpp"
#include "site/site_arguments.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

using PartitionRow = std::tuple<std::string, std::int64_t, double>;
using ClassRow = std::tuple<std::string, std::int64_t, double, bool>;
// An array by its number, others by name; none for each by itself.
using LimitValue = std::optional<std::variant<std::int64_t, std::string>>;
using LimitRow = std::tuple<std::string, LimitValue, std::string, std::int64_t, Amount>;
using ShareRow = std::tuple<std::string, double>;
using Weights = std::tuple<double, double, double, double, double, double, double, double, double>;

Party party_argument(const std::string& name) {
  return choice<Party>(name, {{"user", Party::user},
                              {"account", Party::account},
                              {"partition", Party::partition},
                              {"service_class", Party::service_class},
                              {"array", Party::array}});
}

Multifactor multifactor_argument(const Weights& weights) {
  const auto& [age, fair_share, size, partition, service_class, job, max_age, half_life, interval] = weights;
  for (const double weight : {age, fair_share, size, partition, service_class, job}) check_number(weight, -kLargestNumber, kLargestNumber, "weight");
  check_number(max_age, 0.0, kInfinity, "max_age");
  check_number(half_life, 0.0, kInfinity, "half_life");
  check_number(interval, 0.0, kLargestNumber, "interval");
  check_shape(max_age > 0 && half_life > 0, "max_age and half_life are above 0");
  return {age, fair_share, size, partition, service_class, job, max_age, half_life, interval};
}

GivenSite site_of(const std::vector<PartitionRow>& partitions, const std::vector<ClassRow>& classes,
                  const std::vector<LimitRow>& limits, const std::vector<ShareRow>& shares,
                  const std::optional<Weights>& multifactor, const std::optional<std::string>& preempt) {
  GivenSite site;
  SiteRules& rules = site.rules;
  for (const auto& [name, tier, factor] : partitions) {
    check_number(factor, -kLargestNumber, kLargestNumber, "factor");
    rules.partitions.push_back({name, tier, factor});
  }
  for (const auto& [name, level, factor, is_preemptible] : classes) {
    check_number(factor, -kLargestNumber, kLargestNumber, "factor");
    rules.classes.push_back({name, level, factor, is_preemptible});
  }
  for (const auto& [party, value, what, resource, most] : limits) {
    const auto kind = choice<SiteLimit::What>(
        what, {{"jobs", SiteLimit::What::jobs}, {"tasks", SiteLimit::What::tasks}, {"resource", SiteLimit::What::resource}});
    check_shape(resource >= 0 && most >= 0, "a limit is below 0, or of no resource");
    SiteLimit limit{party_argument(party), {}, kind, static_cast<std::size_t>(resource), most, {}};
    if (value) {
      const bool is_number = std::holds_alternative<std::int64_t>(*value);
      check_shape(is_number == (limit.party == Party::array), "arrays have numbers, and others names");
      if (is_number) limit.array = std::get<std::int64_t>(*value);
      if (!is_number) limit.value = std::get<std::string>(*value);
      check_shape(limit.array.value_or(0) >= 0, "an array is below 0");
    }
    rules.limits.push_back(std::move(limit));
  }
  for (const auto& [account, share] : shares) {
    check_number(share, 0.0, kLargestNumber, "share");
    check_shape(share > 0, "a share is above 0");
    rules.shares.push_back({account, share});
  }
  if (multifactor) rules.multifactor = multifactor_argument(*multifactor);
  rules.preempts = preempt.has_value();
  if (preempt) site.preempt_rule = kill_rule_argument(*preempt);
  return site;
}

template <class Array>
auto checked_rows(const Array& column, std::size_t n_rows, const char* name) {
  check_shape(column.ndim() == 1 && static_cast<std::size_t>(column.size()) == n_rows, std::string(name) + " must have shape (n_jobs,)");
  return span_of(column);
}

}  // namespace

GivenParties::GivenParties(std::size_t n_jobs, std::array<Named, kNamedParties> named, std::optional<Int64Array> array,
                           std::optional<Float64Array> priority, std::optional<AwaitedColumns> awaited)
    : n_jobs_(n_jobs),
      named_(std::move(named)),
      array_(std::move(array)),
      priority_(std::move(priority)),
      awaited_(std::move(awaited)) {
  for (const Named& each : named_) {
    if (!each) continue;
    const auto n_names = static_cast<std::int64_t>(each->second.size());
    const auto is_name = [&](std::int64_t code) { return code >= -1 && code < n_names; };
    check_shape(std::ranges::all_of(checked_rows(each->first, n_jobs, "codes"), is_name), "a party has no name");
  }
  const auto is_array = [](std::int64_t number) { return number >= -1; };
  if (array_) check_shape(std::ranges::all_of(checked_rows(*array_, n_jobs, "array"), is_array), "an array is below -1");
  if (priority_) check_range(checked_rows(*priority_, n_jobs, "priority"), -kLargestNumber, kLargestNumber, "priority");
  if (!awaited_) return;
  const auto& [start, id, end] = *awaited_;
  const auto offsets = checked_rows(start, n_jobs + 1, "awaited");
  const auto n_awaited = static_cast<std::size_t>(id.size());
  check_shape(offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(n_awaited) && std::ranges::is_sorted(offsets),
              "awaited does not begin with offsets");
  static_cast<void>(checked_rows(id, n_awaited, "awaited"));
  const auto is_end = [](std::int64_t each) { return each >= 0 && each <= static_cast<std::int64_t>(AwaitedEnd::not_ok); };
  check_shape(std::ranges::all_of(checked_rows(end, n_awaited, "awaited"), is_end), "a job is awaited to end in no way");
}

PartyColumns GivenParties::columns() const {
  PartyColumns columns;
  for (std::size_t p = 0; p < kNamedParties; ++p) {
    if (!named_[p]) continue;
    columns.code[p] = span_of(named_[p]->first);
    columns.names[p] = named_[p]->second;
  }
  if (array_) columns.array = span_of(*array_);
  if (priority_) columns.priority = span_of(*priority_);
  if (!awaited_) return columns;
  columns.awaited_start = span_of(std::get<0>(*awaited_));
  columns.awaited_id = span_of(std::get<1>(*awaited_));
  columns.awaited_end = span_of(std::get<2>(*awaited_));
  return columns;
}

void bind_site(py::module_& module) {
  py::class_<GivenSite>(module, "SiteRules", "What a site rules; resources are columns of demands.")
      .def(py::init(&site_of), py::kw_only(), py::arg("partitions") = std::vector<PartitionRow>(),
           py::arg("classes") = std::vector<ClassRow>(), py::arg("limits") = std::vector<LimitRow>(),
           py::arg("shares") = std::vector<ShareRow>(), py::arg("multifactor") = py::none(), py::arg("preempt") = py::none());
  using Given = GivenParties;
  py::class_<Given>(module, "Parties", "To whom jobs belong, as codes and names, and for whom they wait; None for nothing.")
      .def(py::init([](std::size_t n_jobs, const Given::Named& user, const Given::Named& account, const Given::Named& partition,
                       const Given::Named& service_class, const std::optional<Int64Array>& array,
                       const std::optional<Float64Array>& priority, const std::optional<Given::AwaitedColumns>& awaited) {
             return Given(n_jobs, {user, account, partition, service_class}, array, priority, awaited);
           }),
           py::arg("n_jobs"), py::kw_only(), py::arg("user") = py::none(), py::arg("account") = py::none(),
           py::arg("partition") = py::none(), py::arg("service_class") = py::none(), py::arg("array") = py::none(),
           py::arg("priority") = py::none(), py::arg("awaited") = py::none());
}

}  // namespace schedcore::python
