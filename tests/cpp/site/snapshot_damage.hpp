// Bytes of a snapshot as they are not to be believed: cut short, and with one byte changed.
#pragma once

#include <cstddef>
#include <string>

namespace schedcore::testing {

template <class Try>
void for_each_damage(const std::string& bytes, const Try& attempt) {
  for (std::size_t n = 0; n < bytes.size(); ++n) attempt(bytes.substr(0, n));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    for (const int change : {1, 2, 64, 128, 255}) {
      std::string damaged = bytes;
      damaged[n] = static_cast<char>(static_cast<unsigned char>(damaged[n]) ^ change);
      attempt(damaged);
    }
  }
}

}  // namespace schedcore::testing
