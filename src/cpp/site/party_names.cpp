#include "schedcore/site/party_names.hpp"

#include <algorithm>

namespace schedcore {

std::pair<std::int32_t, bool> PartyNames::number_of(std::string_view name) {
  const auto [found, is_new] = number_of_.try_emplace(std::string(name), 0);
  if (!is_new) return {found->second, false};
  if (free_.empty()) {
    found->second = static_cast<std::int32_t>(names_.size());
    names_.emplace_back(name);
    n_holders_.push_back(0);
  } else {
    found->second = free_.back();
    free_.pop_back();
    names_[at(found->second)] = name;
  }
  return {found->second, true};
}

void PartyNames::forget(std::int32_t number) {
  number_of_.erase(names_[at(number)]);
  names_[at(number)] = std::string();
  free_.push_back(number);
}

std::vector<std::int32_t> PartyNames::numbers() const {
  std::vector<std::int32_t> numbers;
  numbers.reserve(number_of_.size());
  for (const auto& [name, number] : number_of_) numbers.push_back(number);
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace schedcore
