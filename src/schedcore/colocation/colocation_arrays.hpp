// The columns of a colocation instance at the boundary; schedcore.model.ColocationInstance has checked their values.
#pragma once

#include <vector>

#include "base/arrays.hpp"
#include "schedcore/colocation/colocation.hpp"

namespace schedcore::python {

inline void check_coefficients(std::span<const CostNumerator> alpha, std::size_t n_types,
                               CostNumerator alpha_denominator) {
  check_number(alpha_denominator, std::int64_t{1}, kLargestInteger, "alpha_denominator");
  check_range(alpha, std::int64_t{0}, kLargestInteger, "alpha");
  for (std::size_t own = 0; own < n_types; ++own) {
    check_shape(alpha[own * n_types + own] > 0, "the cost of a type to itself must be above 0");
  }
}

// All tasks on one machine cost no more than int64 holds.  O(n_tasks + n_types^2).
inline void check_largest_cost(const ColocationView& view) {
  const std::vector<Amount> load = load_of_types(view);
  for (std::size_t destination = 0; destination < view.n_types; ++destination) {
    std::int64_t left = kLargestInteger;
    for (std::size_t source = 0; source < view.n_types; ++source) {
      const CostNumerator coefficient = view.coefficient(source, destination);
      check_shape(coefficient == 0 || load[source] <= left / coefficient,
                  "the cost of everything on one machine must be below 2**63");
      left -= load[source] * coefficient;
    }
  }
}

[[nodiscard]] inline ColocationView colocation_view(const Int64Array& size, const Int64Array& type,
                                                    const Int64Array& alpha, CostNumerator alpha_denominator,
                                                    std::size_t n_machines) {
  check_shape(size.ndim() == 1, "size must have one dimension");
  check_shape(type.ndim() == 1 && type.shape(0) == size.shape(0), "type must have shape (n_tasks,)");
  check_shape(alpha.ndim() == 2 && alpha.shape(0) == alpha.shape(1), "alpha must have shape (n_types, n_types)");
  check_shape(alpha.shape(0) >= 1, "there must be at least one type");
  constexpr std::size_t most_machines = std::size_t{1} << 24;
  constexpr std::size_t most_pairs = std::size_t{1} << 26;
  const auto n_types = static_cast<std::size_t>(alpha.shape(0));
  check_shape(n_machines >= 1 && n_machines <= most_machines && n_machines <= most_pairs / n_types,
              "n_machines must be from 1 to 2**24, with at most 2**26 pairs of machine and type");
  check_coefficients(span_of(alpha), n_types, alpha_denominator);
  check_range(span_of(size), std::int64_t{1}, kLargestInteger, "size");
  checked_total(span_of(size), kLargestInteger, "size");
  check_range(span_of(type), std::int64_t{0}, static_cast<std::int64_t>(n_types) - 1, "type");
  const ColocationView view{span_of(size), span_of(type), span_of(alpha), alpha_denominator, n_types, n_machines};
  check_largest_cost(view);
  return view;
}

[[nodiscard]] inline std::span<const std::int64_t> checked_labels(const Int64Array& label_of_type,
                                                                  const ColocationView& view) {
  check_shape(label_of_type.ndim() == 1 && static_cast<std::size_t>(label_of_type.size()) == view.n_types,
              "label_of_type must have shape (n_types,)");
  check_range(span_of(label_of_type), std::int64_t{0}, static_cast<std::int64_t>(view.n_types) - 1, "label_of_type");
  return span_of(label_of_type);
}

}  // namespace schedcore::python
