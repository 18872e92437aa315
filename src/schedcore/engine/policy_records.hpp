// What a policy has recorded, as entries of a result's `stats`.
#pragma once

#include <pybind11/pybind11.h>

#include "schedcore/engine/policy.hpp"

namespace schedcore::python {

// Each adds nothing for a policy of another family.
void add_mris_records(const Policy& policy, pybind11::dict& stats);
void add_backfill_records(const Policy& policy, pybind11::dict& stats);

}  // namespace schedcore::python
