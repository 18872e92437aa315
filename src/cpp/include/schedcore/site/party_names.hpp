// The names of one kind of party, by numbers from 0 on, for as long as somebody needs them.
//
// Jobs hold the names that they have.  Whoever forgets a name that nobody holds makes its number free, and the next new name
// gets it; so numbers say nothing of who came first.
// Cost: O(length of the name) expected to look one up, O(1) everything else.  Memory: the names that were not forgotten.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace schedcore {

class PartyNames {
 public:
  // The number of a name, and whether it is a new one, which nobody holds.
  [[nodiscard]] std::pair<std::int32_t, bool> number_of(std::string_view name);
  void hold(std::int32_t number) { ++n_holders_[at(number)]; }
  // Whether that was the last who held it.
  [[nodiscard]] bool release(std::int32_t number) { return --n_holders_[at(number)] == 0; }
  [[nodiscard]] bool is_held(std::int32_t number) const { return n_holders_[at(number)] > 0; }
  // Of a name that nobody holds.
  void forget(std::int32_t number);

  [[nodiscard]] const std::string& name(std::int32_t number) const { return names_[at(number)]; }
  // How many names have a number.
  [[nodiscard]] std::size_t size() const { return number_of_.size(); }
  // Their numbers, in increasing order.
  [[nodiscard]] std::vector<std::int32_t> numbers() const;

 private:
  static std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

  std::vector<std::string> names_;         // by number; empty for a free one
  std::vector<std::uint64_t> n_holders_;   // by number
  std::vector<std::int32_t> free_;
  std::unordered_map<std::string, std::int32_t> number_of_;
};

}  // namespace schedcore
