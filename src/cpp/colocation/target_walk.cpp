#include "schedcore/colocation/target_walk.hpp"

#include <algorithm>
#include <limits>

namespace schedcore {
namespace {

constexpr std::size_t kBelow = std::numeric_limits<std::size_t>::max();

}  // namespace

TargetWalk::TargetWalk(PlacedTasks& tasks, WorkMeter& work, std::uint64_t seed)
    : tasks_(tasks), work_(work), random_(seed), position_(tasks.n_machines(), kBelow) {}

bool TargetWalk::reach(CostNumerator target, std::uint64_t steps) {
  target_ = target;
  above_.clear();
  std::fill(position_.begin(), position_.end(), kBelow);
  for (std::size_t machine = 0; machine < tasks_.n_machines(); ++machine) note(machine);
  Exchange exchange;
  for (std::uint64_t step = 0; !above_.empty() && step < steps && !work_.spent(); ++step) {
    work_.count();
    const bool from_above = random_.below(2) == 0;
    const std::size_t from = from_above ? above_[random_.below(above_.size())] : random_.below(tasks_.n_machines());
    if (!draw(from, exchange)) continue;
    const std::uint64_t before = excess(tasks_.cost(from)) + excess(tasks_.cost(exchange.to));
    const std::uint64_t from_after = excess(tasks_.cost_after(from, exchange.given, exchange.returned));
    if (from_after > before) continue;
    if (excess(tasks_.cost_after(exchange.to, exchange.returned, exchange.given)) > before - from_after) continue;
    tasks_.exchange(exchange);
    ++moves_;
    note(from);
    note(exchange.to);
  }
  return above_.empty();
}

void TargetWalk::shake(std::size_t exchanges, std::uint64_t whole_types_one_in) {
  Exchange exchange;
  const bool whole_types = random_.below(whole_types_one_in) == 0;
  for (std::size_t i = 0; i < exchanges; ++i) {
    if (!draw(random_.below(tasks_.n_machines()), exchange)) continue;
    if (whole_types && i == 0) widen(exchange);
    tasks_.exchange(exchange);
    ++moves_;
  }
}

void TargetWalk::widen(Exchange& exchange) const {
  exchange.given = tasks_.whole_type(exchange.from, exchange.given.type);
  if (exchange.returned.size == 0) return;
  const bool same = exchange.returned.type == exchange.given.type;
  exchange.returned = same ? Parcel{} : tasks_.whole_type(exchange.to, exchange.returned.type);
}

bool TargetWalk::draw(std::size_t from, Exchange& exchange) {
  const std::size_t to = random_.below(tasks_.n_machines());
  if (from == to || tasks_.n_tasks(from) == 0) return false;
  const std::size_t returned = random_.below(tasks_.n_tasks(to) + 1);
  exchange.from = from;
  exchange.to = to;
  exchange.given = tasks_.numbered_task(from, random_.below(tasks_.n_tasks(from)));
  exchange.returned = returned == tasks_.n_tasks(to) ? Parcel{} : tasks_.numbered_task(to, returned);
  return exchange.given.type != exchange.returned.type || exchange.given.size != exchange.returned.size;
}

void TargetWalk::note(std::size_t machine) {
  const bool is_above = tasks_.cost(machine) > target_;
  std::size_t& position = position_[machine];
  if (is_above == (position != kBelow)) return;
  if (is_above) {
    position = above_.size();
    above_.push_back(machine);
  } else {
    position_[above_.back()] = position;
    above_[position] = above_.back();
    above_.pop_back();
    position = kBelow;
  }
}

}  // namespace schedcore
