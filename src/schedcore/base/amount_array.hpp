// Amounts as users give them: an int64 array passes without a copy, other integer arrays and lists are converted, and
// fractions are a TypeError in lists too, where NumPy itself would cut them off.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "base/arrays.hpp"

namespace schedcore::python {

class AmountArray {
 public:
  AmountArray() = default;
  explicit AmountArray(const pybind11::handle& given) {
    if (pybind11::isinstance<Int64Array>(given)) {
      array_ = pybind11::reinterpret_borrow<Int64Array>(given);
      return;
    }
    const pybind11::array any(pybind11::reinterpret_borrow<pybind11::object>(given));
    if (any.size() == 0) {  // an empty list has no type of its own
      array_ = Int64Array(std::vector<pybind11::ssize_t>(any.shape(), any.shape() + any.ndim()));
      return;
    }
    const char kind = any.dtype().kind();
    const bool is_integer = kind == 'i' || kind == 'u' || kind == 'b';
    if (is_integer) array_ = Int64Array::ensure(any);
    if (!is_integer || !array_) {
      const auto given_type = pybind11::str(any.dtype()).cast<std::string>();
      throw pybind11::type_error("amounts must be integers within int64, not " + given_type);
    }
  }
  [[nodiscard]] const Int64Array& operator*() const { return array_; }
  [[nodiscard]] const Int64Array* operator->() const { return &array_; }

 private:
  Int64Array array_;
};

}  // namespace schedcore::python

namespace pybind11::detail {

template <>
struct type_caster<schedcore::python::AmountArray> {
  PYBIND11_TYPE_CASTER(schedcore::python::AmountArray, const_name("numpy.typing.ArrayLike"));
  bool load(handle source, bool /*convert*/) {
    value = schedcore::python::AmountArray(source);
    return true;
  }
};

}  // namespace pybind11::detail
