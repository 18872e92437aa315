#include "schedcore/gangs/head_search.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>

namespace schedcore {
namespace {

void set_bit(std::vector<std::uint64_t>& bits, std::size_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }
void clear_bit(std::vector<std::uint64_t>& bits, std::size_t i) { bits[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
bool has_bit(const std::vector<std::uint64_t>& bits, std::size_t i) { return ((bits[i / 64] >> (i % 64)) & 1) != 0; }

}  // namespace

HeadSearch::HeadSearch(const MachinesView& machines, Time resolution)
    : n_resources_(machines.n_resources),
      resolution_(resolution),
      touched_((machines.n_machines + 63) / 64),
      rows_(machines.n_machines * machines.n_resources),
      left_out_((machines.n_machines + 63) / 64) {}

// Reservations that begin after the job would end change nothing, and are mostly far away: they are left out first.  If one
// of them is why the job does not fit now, every other instant is too late for it to end before they begin, or there is none.
Time HeadSearch::run(const GangEntry& entry, Time now, const GangClasses& classes, RoomCounts& counts,
                     const PlannedEnds& ends, const Turn& turn) {
  const Time next_begin = turn.availability().reservations().next_begin();
  auto [found, found_end] = walk(entry, now, classes, counts, ends, turn, false);
  if (next_begin < kNever && found_end > next_begin) {
    std::tie(found, found_end) = walk(entry, now, classes, counts, ends, turn, true);
  }
  if (found == kNever) return found;
  show_shared(found, found_end, false);
  place(entry.n_tasks, counts);
  show_shared(found, found_end, true);
  return found;
}

// The start and the end of the job; with all reservations, or with those that have begun.
std::pair<Time, Time> HeadSearch::walk(const GangEntry& entry, Time now, const GangClasses& classes, RoomCounts& counts,
                                       const PlannedEnds& ends, const Turn& turn, bool with_all) {
  classes_ = &classes;
  class_ = entry.job_class;
  count_ = counts.count(class_, classes);
  std::ranges::fill(touched_, 0);
  std::ranges::fill(left_out_, 0);
  begins_.clear();
  ends_.clear();
  for (const Shared& each : shared_) number_of_shared_[each.machine] = kNotShared;
  shared_.clear();
  if (!turn.availability().reservations().empty()) open_shared(now, ends, turn, counts, with_all);
  if (turn.availability().any()) open_outages(now, turn, counts);

  auto outage_end = ends_.begin();
  Time found = kNever;
  Time found_end = kNever;
  // All that is freed at the instant `at` has been freed, or `at` is now.
  Time at = now;
  const auto fits_then = [&] {
    if (at == now) return false;
    const Time end = std::max(rounded_up(at + entry.estimate, resolution_), std::nextafter(at, kNever));
    leave_out(at, end, turn, counts);
    if (count_ < entry.n_tasks && count_ + room_on_shared(at, end) < entry.n_tasks) return false;
    found = at;
    found_end = end;
    return true;
  };
  const auto pass_outages_before = [&](Time next) {
    while (outage_end != ends_.end() && outage_end->time < next) {
      if (outage_end->time > at && fits_then()) return true;
      at = outage_end->time;
      while (outage_end != ends_.end() && outage_end->time == at) end_outage(*outage_end++, turn, counts);
    }
    return false;
  };
  ends.for_each([&](JobSlot job, Time end) {
    if (pass_outages_before(end)) return false;
    if (end > at) {
      if (fits_then()) return false;
      at = end;
      while (outage_end != ends_.end() && outage_end->time == at) end_outage(*outage_end++, turn, counts);
    }
    free_places_of(job, turn);
    return true;
  });
  if (found == kNever && !pass_outages_before(kNever)) static_cast<void>(fits_then());
  return {found, found_end};
}

// Running jobs, outages and reservations there; the instants at which reservations end are looked at, too.
void HeadSearch::open_shared(Time now, const PlannedEnds& ends, const Turn& turn, const RoomCounts& counts, bool with_all) {
  const AdvanceReservations& reservations = turn.availability().reservations();
  number_of_shared_.resize(touched_.size() * 64, kNotShared);
  const JobTable& jobs = turn.jobs();
  const auto open = [&](const AdvanceReservations::Entry& entry) {
    for (const ReservedShare& share : entry.reservation.shares) {
      const std::uint32_t machine = share.machine;
      if (!classes_->allows(class_, machine) || turn.availability().is_down(machine)) continue;
      ends_.push_back({entry.reservation.end, machine, kNoOutage});
      if (number_of_shared_[machine] != kNotShared) continue;
      number_of_shared_[machine] = static_cast<std::uint32_t>(shared_.size());
      const auto capacity = classes_->capacity(machine);
      Shared& shared = shared_.emplace_back(Shared{machine, ResourceTimeline(capacity, now)});
      for (const Taken& each : turn.availability().taken(machine, now)) {
        const Time from = std::max(each.from, now);
        if (from < each.to) shared.free.reserve(from, each.to, each.amounts.empty() ? capacity : each.amounts);
      }
      count_ -= classes_->room(class_, machine, counts.free(machine));
      set_bit(left_out_, machine);
    }
  };
  if (with_all) {
    for (const auto& [number, entry] : reservations.all()) open(entry);
  } else {
    for (const std::int64_t number : reservations.begun()) open(reservations.all().at(number));
  }
  if (shared_.empty()) return;
  row_.resize(n_resources_);
  ends.for_each([&](JobSlot job, Time end) {
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
      if (!is_shared(machine)) return;
      const auto capacity = classes_->capacity(machine);
      const auto demand = jobs.demand(job);
      for (std::size_t k = 0; k < n_resources_; ++k) row_[k] = jobs.shape(job).is_exclusive ? capacity[k] : n_tasks * demand[k];
      shared_[number_of_shared_[machine]].free.reserve(now, end, row_);
    });
    return true;
  });
}

Amount HeadSearch::room_on_shared(Time start, Time end) {
  Amount n_tasks = 0;
  for (const Shared& each : shared_) {
    each.free.range_min(start, end, row_);
    n_tasks += classes_->room(class_, each.machine, row_.data());
  }
  return n_tasks;
}

// Before the job is placed what it may have of these machines, after that what is free there at its start.
void HeadSearch::show_shared(Time start, Time end, bool is_placed) {
  for (const Shared& each : shared_) {
    const std::span<Amount> row(rows_.data() + each.machine * n_resources_, n_resources_);
    if (is_placed) {
      each.free.free_at(start, row);
    } else {
      each.free.range_min(start, end, row);
    }
    set_bit(touched_, each.machine);
    clear_bit(left_out_, each.machine);
  }
}

void HeadSearch::touch(std::uint32_t machine, const RoomCounts& counts) {
  if (is_touched(machine)) return;
  set_bit(touched_, machine);
  std::copy_n(counts.free(machine), n_resources_, rows_.begin() + static_cast<std::ptrdiff_t>(machine * n_resources_));
}

void HeadSearch::free_places_of(JobSlot job, const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const auto demand = jobs.demand(job);
  const bool is_exclusive = jobs.shape(job).is_exclusive;
  jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
    if (!classes_->allows(class_, machine) || turn.availability().is_down(machine) || is_shared(machine)) return;
    Amount* row = rows_.data() + machine * n_resources_;
    if (!is_touched(machine)) {
      // Less than nothing where more runs than there is room for.
      set_bit(touched_, machine);
      std::ranges::copy(turn.machines().free(machine), row);
    }
    const bool counts_here = !has_bit(left_out_, machine);
    if (counts_here) count_ -= classes_->room(class_, machine, row);
    const auto capacity = classes_->capacity(machine);
    for (std::size_t k = 0; k < n_resources_; ++k) row[k] += is_exclusive ? capacity[k] : n_tasks * demand[k];
    if (counts_here) count_ += classes_->room(class_, machine, row);
  });
}

void HeadSearch::open_outages(Time now, const Turn& turn, const RoomCounts& counts) {
  const Availability& availability = turn.availability();
  const auto open = [&](std::uint32_t machine) {
    const auto outages = availability.outages(machine);
    if (!classes_->allows(class_, machine) || outages.empty()) return;
    if (is_shared(machine)) {
      // Its timeline shows them.
    } else if (availability.usable_until(machine) <= now) {
      // What would be free if it were in service: less by what jobs hold that should have ended.
      touch(machine, counts);
      const auto blocked = turn.machines().free(machine);
      const auto capacity = classes_->capacity(machine);
      for (std::size_t k = 0; k < n_resources_; ++k) rows_[machine * n_resources_ + k] = blocked[k] + capacity[k];
      set_bit(left_out_, machine);
    } else {
      watch_outage(machine, 0, turn);
    }
    for (std::uint32_t i = 0; i < outages.size(); ++i) {
      if (outages[i].end < kNever) ends_.push_back({outages[i].end, machine, i});
    }
  };
  availability.for_each_with_outages(open);
  std::ranges::sort(ends_, {}, [](const Turning& turning) { return std::pair(turning.time, turning.machine); });
}

void HeadSearch::watch_outage(std::uint32_t machine, std::uint32_t outage, const Turn& turn) {
  const auto outages = turn.availability().outages(machine);
  if (outage >= outages.size()) return;
  begins_.push_back({outages[outage].begin, machine, outage});
  std::ranges::push_heap(begins_, std::ranges::greater(), &Turning::time);
}

void HeadSearch::end_outage(const Turning& turning, const Turn& turn, const RoomCounts& counts) {
  if (turn.availability().is_down(turning.machine) || is_shared(turning.machine)) return;
  if (has_bit(left_out_, turning.machine)) {
    clear_bit(left_out_, turning.machine);
    const Amount* row = is_touched(turning.machine) ? free_then(turning.machine) : counts.free(turning.machine);
    count_ += classes_->room(class_, turning.machine, row);
  }
  watch_outage(turning.machine, turning.outage + 1, turn);
}

// Leaves out the machines with an outage that a job meets which runs on [start, end).
void HeadSearch::leave_out(Time start, Time end, const Turn& turn, const RoomCounts& counts) {
  while (!begins_.empty() && begins_.front().time < end) {
    std::ranges::pop_heap(begins_, std::ranges::greater(), &Turning::time);
    const Turning turning = begins_.back();
    begins_.pop_back();
    const bool is_over = turn.availability().outages(turning.machine)[turning.outage].end <= start;
    if (is_over || has_bit(left_out_, turning.machine)) continue;
    set_bit(left_out_, turning.machine);
    const Amount* row = is_touched(turning.machine) ? free_then(turning.machine) : counts.free(turning.machine);
    count_ -= classes_->room(class_, turning.machine, row);
  }
}

void HeadSearch::place(Amount n_tasks, const RoomCounts& counts) {
  places_.clear();
  const Eligibility& eligibility = classes_->eligibility(class_);
  for (std::size_t word = 0; word < touched_.size(); ++word) {
    const std::uint64_t candidates = (counts.any_free_word(word) | touched_[word]) & ~left_out_[word] & eligibility.word(word);
    for (std::uint64_t left = candidates; left != 0; left &= left - 1) {
      const auto machine = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      const Amount* row = is_touched(machine) ? free_then(machine) : counts.free(machine);
      const Amount taken = std::min(n_tasks, classes_->room(class_, machine, row));
      if (taken == 0) continue;
      touch(machine, counts);
      places_.push_back({machine, taken});
      n_tasks -= taken;
      if (n_tasks == 0) return;
    }
  }
}

}  // namespace schedcore
