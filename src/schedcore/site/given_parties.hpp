// To whom the jobs of a call belong, and for whom they wait, as arrays that somebody in Python made.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "schedcore/site/party_columns.hpp"

namespace schedcore::python {

// Keeps the arrays.
class GivenParties {
 public:
  // Codes into names; -1 for none.
  using Named = std::optional<std::pair<Int64Array, std::vector<std::string>>>;
  // Where the entries of each job begin; of each an id, and how that has to end.
  using AwaitedColumns = std::tuple<Int64Array, Int64Array, Int64Array>;

  GivenParties(std::size_t n_jobs, std::array<Named, kNamedParties> named, std::optional<Int64Array> array,
               std::optional<Float64Array> priority, std::optional<AwaitedColumns> awaited);

  [[nodiscard]] std::size_t n_jobs() const { return n_jobs_; }
  [[nodiscard]] PartyColumns columns() const;

 private:
  std::size_t n_jobs_;
  std::array<Named, kNamedParties> named_;
  std::optional<Int64Array> array_;
  std::optional<Float64Array> priority_;
  std::optional<AwaitedColumns> awaited_;
};

}  // namespace schedcore::python
