// Numbers in messages: the shortest text that reads back as the same double.
#pragma once

#include <charconv>
#include <string>

namespace schedcore {

[[nodiscard]] inline std::string number_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace schedcore
