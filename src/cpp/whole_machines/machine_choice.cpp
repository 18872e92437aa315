#include "schedcore/whole_machines/machine_choice.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace schedcore {

CycleRequest CycleRequest::of(const CycleRequests& requests, std::size_t row, std::size_t n_required) {
  CycleRequest request;
  const std::int64_t per_machine = requests.tasks_per_machine[row];
  request.n_tasks = requests.n_tasks[row];
  request.processors_per_task = requests.processors_per_task[row];
  request.wanted = request.n_tasks * request.processors_per_task;
  request.fewest = std::max(requests.min_machines[row], static_cast<std::int64_t>(n_required));
  if (per_machine > 0) request.fewest = std::max(request.fewest, (request.n_tasks + per_machine - 1) / per_machine);
  request.most = std::max(request.fewest, std::min(requests.max_machines[row], request.n_tasks));
  request.least_processors = requests.least_processors[row];
  request.memory_units = std::max({per_machine, request.least_processors, request.processors_per_task});
  const std::int64_t tasks = per_machine > 0 ? per_machine : request.most == 1 ? request.n_tasks : 1;
  request.least_offer = std::max({std::int64_t{1}, request.least_processors, per_machine, tasks * request.processors_per_task});
  request.memory_kind = static_cast<MemoryKind>(requests.memory_kind[row]);
  request.memory = requests.memory[row];
  request.is_exclusive = requests.is_exclusive[row] != 0;
  request.order = static_cast<MachineOrder>(requests.selection[row]);
  return request;
}

bool CycleRequest::suits(std::int64_t processors, std::int64_t memory_of_machine) const {
  if (processors < least_processors) return false;
  if (memory_kind == MemoryKind::machine) return memory_of_machine >= memory;
  return memory_kind != MemoryKind::processor || memory <= memory_of_machine / memory_units;
}

std::int64_t CycleRequest::offer(const CycleMachines& machines, std::size_t machine, std::int64_t held, std::int64_t held_memory) const {
  const std::int64_t left = machines.memory[machine] - held_memory;
  std::int64_t processors = machines.processors[machine] - held;
  switch (memory_kind) {
    case MemoryKind::none: break;
    case MemoryKind::machine:
      if (left < memory) return 0;
      break;
    case MemoryKind::processor:
      if (left < 0 || memory > left / memory_units) return 0;
      if (memory > 0) processors = std::min(processors, left / memory);
      processors -= processors % processors_per_task;
      break;
    case MemoryKind::whole:
      if (held_memory > 0) return 0;
      break;
  }
  if (is_exclusive && held > 0) return 0;
  return processors >= least_offer ? processors : 0;
}

MachineChoice::MachineChoice(const CycleMachines& machines, MachineSet in_use_now)
    : machines_(machines), in_use_now_(std::move(in_use_now)) {}

bool MachineChoice::choose(const CycleRequest& request, const MachineSet& eligible, const MachineSet* required,
                           std::span<const std::int64_t> processors, std::span<const std::int64_t> memory, bool is_now) {
  const MachineOrder order = request.order == MachineOrder::busy && is_now ? MachineOrder::consecutive : request.order;
  const std::size_t n_required = required == nullptr ? 0 : required->size();
  make_offers(request, eligible, required, processors, memory);
  put_in_order(order, processors);
  if (!select(request, order, n_required)) return false;
  const std::vector<ChosenMachine> found = chosen_;
  make_offers(request, eligible, required, {}, memory);
  put_in_order(order, {});
  if (!select(request, order, n_required)) return false;
  chosen_ = found;
  return true;
}

void MachineChoice::make_offers(const CycleRequest& request, const MachineSet& eligible, const MachineSet* required,
                                std::span<const std::int64_t> processors, std::span<const std::int64_t> memory) {
  offers_.clear();
  eligible.for_each([&](std::size_t machine) {
    const std::int64_t offer = request.offer(machines_, machine, processors.empty() ? 0 : processors[machine], memory[machine]);
    if (offer == 0) return;
    offers_.push_back({static_cast<std::uint32_t>(machine), offer, false, required != nullptr && required->contains(machine)});
  });
}

void MachineChoice::put_in_order(MachineOrder order, std::span<const std::int64_t> processors) {
  if (order == MachineOrder::consecutive) return;
  const auto free = [&](std::uint32_t machine) {
    return machines_.processors[machine] - (processors.empty() ? 0 : processors[machine]);
  };
  const auto comes_before = [&](const Offer& a, const Offer& b) {
    const std::int64_t weight_a = machines_.weight[a.machine];
    const std::int64_t weight_b = machines_.weight[b.machine];
    if (weight_a != weight_b) return weight_a < weight_b;
    switch (order) {
      case MachineOrder::last: return a.machine > b.machine;
      case MachineOrder::busy:
        if (in_use_now_.contains(a.machine) != in_use_now_.contains(b.machine)) return in_use_now_.contains(a.machine);
        break;
      case MachineOrder::spread: {
        // Shares of the processors that are free, without rounding.
        const std::int64_t share_a = free(a.machine) * machines_.processors[b.machine];
        const std::int64_t share_b = free(b.machine) * machines_.processors[a.machine];
        if (share_a != share_b) return share_a > share_b;
        break;
      }
      case MachineOrder::consecutive:
      case MachineOrder::first: break;
    }
    return a.machine < b.machine;
  };
  std::ranges::sort(offers_, comes_before);
}

bool MachineChoice::select(const CycleRequest& request, MachineOrder order, std::size_t n_required) {
  // A bound on all tries: they only lose machines, and take of each at most what it offers.
  if (offers_.size() < static_cast<std::size_t>(request.fewest)) return false;
  const std::size_t most = std::min(offers_.size(), static_cast<std::size_t>(std::max<std::int64_t>(request.most, 0)));
  std::vector<std::int64_t> largest;
  for (const Offer& offer : offers_) largest.push_back(offer.processors);
  std::ranges::nth_element(largest, largest.begin() + static_cast<std::ptrdiff_t>(most == 0 ? 0 : most - 1), std::greater<>());
  std::int64_t total = 0;
  for (std::size_t i = 0; i < most; ++i) total += largest[i];
  if (total < request.wanted) return false;

  if (try_once(request, order, n_required)) return true;
  for (std::int64_t least = 1; offers_.size() > static_cast<std::size_t>(request.fewest); ++least) {
    least = std::max(least, std::ranges::min_element(offers_, {}, &Offer::processors)->processors);
    std::erase_if(offers_, [&](const Offer& offer) { return offer.processors <= least; });
    if (offers_.empty()) return false;
    if (try_once(request, order, n_required)) return true;
  }
  return false;
}

void MachineChoice::make_parts(MachineOrder order) {
  parts_.clear();
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    const Offer& offer = offers_[i];
    const std::int64_t weight = machines_.weight[offer.machine];
    const bool continues = !parts_.empty() && (order != MachineOrder::consecutive || (offers_[i - 1].machine + 1 == offer.machine &&
                                                                                      parts_.back().weight == weight));
    if (!continues) parts_.push_back({i, i, 0, weight, 0});
    parts_.back().last = i + 1;
    parts_.back().total += offer.processors;
    parts_.back().n_required += offer.is_required ? 1 : 0;
  }
}

std::size_t MachineChoice::best_part(const Need& need) const {
  const auto suffices = [&](const Part& part) {
    return part.total >= need.processors && static_cast<std::int64_t>(part.last - part.first) >= need.fewest;
  };
  const auto is_better = [&](const Part& part, const Part& best) {
    if ((part.n_required > 0) != (best.n_required > 0)) return part.n_required > 0;
    if (part.weight != best.weight) return part.weight < best.weight;
    if (suffices(part)) return !suffices(best) || part.total < best.total;
    return part.total > best.total;  // also if the best suffices
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    if (is_better(parts_[i], parts_[best])) best = i;
  }
  return best;
}

bool MachineChoice::try_once(const CycleRequest& request, MachineOrder order, std::size_t n_required) {
  chosen_.clear();
  const auto is_required = [](const Offer& offer) { return offer.is_required; };
  if (n_required > 0 && static_cast<std::size_t>(std::ranges::count_if(offers_, is_required)) < n_required) return false;
  for (Offer& offer : offers_) offer.is_taken = false;
  make_parts(order);
  Need need{request.wanted, request.fewest, request.most, n_required};
  while (!parts_.empty() && !need.is_met() && need.most > 0) {
    const std::size_t best = best_part(need);
    const Part part = parts_[best];
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(best));
    take_from(request, order, part, need);
  }
  return need.is_met();
}

void MachineChoice::take(const CycleRequest& request, Offer& offer, Need& need) {
  if (!request.is_exclusive) {
    const std::int64_t to_come = std::max<std::int64_t>(0, need.fewest - 1);
    offer.processors = std::max({std::min(offer.processors, need.processors - to_come), request.least_processors, std::int64_t{1}});
  }
  offer.is_taken = true;
  chosen_.push_back({offer.machine, offer.processors});
  need.processors -= offer.processors;
  --need.fewest;
  --need.most;
  if (offer.is_required) --need.required;
}

void MachineChoice::take_from(const CycleRequest& request, MachineOrder order, Part part, Need& need) {
  const std::span<Offer> offers(offers_.data() + part.first, part.last - part.first);
  visits_.clear();
  if (part.n_required == 0) {
    for (std::size_t i = 0; i < offers.size(); ++i) visits_.push_back(i);
    if (order == MachineOrder::consecutive && need.fewest <= 1) {
      const Offer* smallest = nullptr;
      for (const Offer& offer : offers) {
        if (offer.processors >= need.processors && (smallest == nullptr || offer.processors < smallest->processors)) smallest = &offer;
      }
      if (smallest != nullptr) {
        take(request, offers[static_cast<std::size_t>(smallest - offers.data())], need);
        return;
      }
    }
  } else {
    // The required ones, by number; then up from the first of them, then down.
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (offers[i].is_required) own.push_back(i);
    }
    const std::uint32_t anchor = offers[own.front()].machine;
    std::ranges::sort(own, {}, [&](std::size_t i) { return offers[i].machine; });
    for (const std::size_t i : own) take(request, offers[i], need);
    if (need.is_met()) return;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (!offers[i].is_taken && offers[i].machine > anchor) visits_.push_back(i);
    }
    for (std::size_t i = offers.size(); i-- > 0;) {
      if (!offers[i].is_taken && offers[i].machine < anchor) visits_.push_back(i);
    }
  }
  for (const std::size_t i : visits_) {
    if (need.is_met() || need.most <= static_cast<std::int64_t>(need.required)) return;
    if (need.most == 1 && offers[i].processors < need.processors) continue;
    take(request, offers[i], need);
  }
}

}  // namespace schedcore
