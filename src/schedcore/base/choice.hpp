// An option that Python names by a word, as the core's enumeration.
#pragma once

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace schedcore::python {

template <class Enum>
Enum choice(const std::string& name, std::initializer_list<std::pair<const char*, Enum>> choices) {
  for (const auto& [text, value] : choices) {
    if (name == text) return value;
  }
  throw pybind11::value_error("unknown choice '" + name + "'");
}

}  // namespace schedcore::python
