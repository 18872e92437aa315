#include "schedcore/preemptive/gittins_order.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "schedcore/preemptive/attained_service.hpp"

namespace schedcore {

void GittinsOrder::follow(const ActiveJobs& active) {
  std::vector<std::uint32_t> completed;
  std::ranges::set_difference(present_, active.jobs(), std::back_inserter(completed));
  for (const std::uint32_t job : completed) unlearnt_.push_back(jobs_.processing_time[job] * jobs_.demand_of(job)[0]);
  present_.assign(active.jobs().begin(), active.jobs().end());
}

void GittinsOrder::keys(const ActiveJobs& active, std::vector<double>& key) {
  index_.learn(unlearnt_);
  unlearnt_.clear();
  key.resize(active.size());
  for (std::size_t row = 0; row < key.size(); ++row) {
    const double weight = jobs_.weight.empty() ? 1.0 : jobs_.weight[active.jobs()[row]];
    if (weight == 0.0) {
      key[row] = std::numeric_limits<double>::infinity();
      continue;
    }
    const Amount attained = attained_service(jobs_, active, row);
    const double index = index_.at(attained);
    key[row] = index > 0.0 ? -(weight * index) : static_cast<double>(attained) / weight;
  }
}

}  // namespace schedcore
