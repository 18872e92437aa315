// The columns of a colocation instance at the boundary; schedcore.model.ColocationInstance has checked their values.
#pragma once

#include "arrays.hpp"
#include "schedcore/colocation.hpp"

namespace schedcore::python {

[[nodiscard]] inline ColocationView colocation_view(const Int64Array& size, const Int64Array& type,
                                                    const Int64Array& alpha, CostNumerator alpha_denominator,
                                                    std::size_t n_machines) {
  check_shape(size.ndim() == 1, "size must have one dimension");
  check_shape(type.ndim() == 1 && type.shape(0) == size.shape(0), "type must have shape (n_tasks,)");
  check_shape(alpha.ndim() == 2 && alpha.shape(0) == alpha.shape(1), "alpha must have shape (n_types, n_types)");
  return {span_of(size), span_of(type),         span_of(alpha), alpha_denominator, static_cast<std::size_t>(alpha.shape(0)),
          n_machines};
}

}  // namespace schedcore::python
