#include "schedcore/preemptive/active_jobs.hpp"

#include <algorithm>
#include <cassert>

#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

UInt128 product_of(Amount a, Amount b) {
  return UInt128(static_cast<std::uint64_t>(a)) * UInt128(static_cast<std::uint64_t>(b));
}

}  // namespace

Amount core_limit(Amount demand, Amount believed, Amount remaining) {
  if (remaining >= demand) return believed;
  if (believed == demand) return remaining;
  return static_cast<Amount>((product_of(remaining, believed) - UInt128(1)) / UInt128(demand)) + 1;
}

Amount least_remaining(Amount demand, Amount believed, Amount limit) {
  if (believed == demand) return limit;
  // R e / d must be above limit - 1.
  return static_cast<Amount>(product_of(limit - 1, demand) / UInt128(believed)) + 1;
}

void ActiveJobs::follow() {
  for (auto* column : {&remaining_, &demand_, &believed_, &limit_}) rows_.follow(*column);
  rows_changed_ = true;
}

void ActiveJobs::add(std::span<const std::uint32_t> jobs) {
  rows_.add(jobs);
  follow();
  for (const std::uint32_t row : rows_.new_rows()) {
    const std::size_t job = rows_.jobs()[row];
    demand_[row] = jobs_.demand_of(job)[0];
    believed_[row] = jobs_.believed_demand_of(job)[0];
    remaining_[row] = jobs_.processing_time[job] * demand_[row];
    limit_[row] = core_limit(demand_[row], believed_[row], remaining_[row]);
  }
}

void ActiveJobs::remove(std::span<const std::uint32_t> rows) {
  rows_.remove(rows);
  follow();
}

std::span<const Amount> ActiveJobs::demand_other() {
  if (rows_changed_) {
    demand_other_.clear();
    for (const std::uint32_t job : rows_.jobs()) {
      const auto others = jobs_.believed_demand_of(job).subspan(1);
      demand_other_.insert(demand_other_.end(), others.begin(), others.end());
    }
    rows_changed_ = false;
  }
  return demand_other_;
}

void ActiveJobs::work_of(std::span<const Amount> cores, std::vector<Amount>& work) const {
  work.resize(size());
  for (std::size_t row = 0; row < size(); ++row) work[row] = std::min({cores[row], demand_[row], remaining_[row]});
}

Slot ActiveJobs::steady_slots(std::span<const Amount> cores, std::span<const Amount> work, std::size_t cut,
                              Slot most) const {
  for (std::size_t row = 0; row < size() && most > 0; ++row) {
    if (work[row] == 0) continue;
    const Amount limit = row == cut ? cores[row] + 1 : limit_[row];
    // In the last of the slots as much must be left as keeps the limit, and as is done in it.
    const Amount least = std::max(least_remaining(demand_[row], believed_[row], limit), work[row]);
    most = std::min(most, std::max(remaining_[row] - least, Amount{0}) / work[row]);
  }
  return most;
}

void ActiveJobs::advance(std::span<const Amount> work, Slot n_slots, std::vector<std::uint32_t>& completed) {
  completed.clear();
  for (std::size_t row = 0; row < size(); ++row) {
    if (work[row] == 0) continue;
    remaining_[row] -= work[row] * n_slots;
    assert(remaining_[row] >= 0);
    if (remaining_[row] == 0) {
      completed.push_back(static_cast<std::uint32_t>(row));
    } else {
      limit_[row] = core_limit(demand_[row], believed_[row], remaining_[row]);
    }
  }
}

}  // namespace schedcore
