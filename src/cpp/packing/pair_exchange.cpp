#include "schedcore/packing/pair_exchange.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace schedcore {
namespace {

constexpr std::uint32_t kNowhere = static_cast<std::uint32_t>(-1);
constexpr std::size_t kExchangesBetweenPolls = 1024;
constexpr std::uint64_t kStepWork = 4;        // drawing, and the bookkeeping of a step
constexpr std::uint32_t kSharesPerWork = 16;  // ways to share out that take as long as one unit of work
constexpr int kKicks = 2;

}  // namespace

PairExchange::PairExchange(std::span<const Amount> size, std::span<const std::uint32_t> machine,
                           std::size_t n_machines)
    : size_(size), tasks_(n_machines), load_(n_machines), capacity_(n_machines), place_(n_machines, kNowhere) {
  for (std::size_t i = 0; i < size.size(); ++i) {
    tasks_[machine[i]].push_back(static_cast<std::uint32_t>(i));
    load_[machine[i]] += size[i];
  }
  set_capacity(std::vector<Amount>(n_machines));
}

// A multiplication instead of a remainder: the draws of a step are most of its cost.
std::size_t PairExchange::draw(std::size_t bound) {
  assert(bound > 0 && bound <= kNowhere);
  return static_cast<std::size_t>(((random_.next() >> 32) * bound) >> 32);
}

Amount PairExchange::excess(std::size_t machine) const {
  return std::max(Amount{0}, load_[machine] - capacity_[machine]);
}

Amount PairExchange::total_excess() const {
  Amount total = 0;
  for (const std::uint32_t machine : overloaded_) total += excess(machine);
  return total;
}

void PairExchange::set_capacity(std::span<const Amount> capacity) {
  std::copy(capacity.begin(), capacity.end(), capacity_.begin());
  for (std::size_t machine = 0; machine < load_.size(); ++machine) note_load(machine);
}

void PairExchange::note_load(std::size_t machine) {
  const bool exceeds = load_[machine] > capacity_[machine];
  const std::uint32_t place = place_[machine];
  if (exceeds && place == kNowhere) {
    place_[machine] = static_cast<std::uint32_t>(overloaded_.size());
    overloaded_.push_back(static_cast<std::uint32_t>(machine));
  } else if (!exceeds && place != kNowhere) {
    overloaded_[place] = overloaded_.back();
    place_[overloaded_[place]] = place;
    overloaded_.pop_back();
    place_[machine] = kNowhere;
  }
}

// Shares some tasks of two machines out anew; at random if `anyhow`, and otherwise the first best of all other ways, if
// that is no worse.  Returns the work it took.
std::uint64_t PairExchange::share_out(std::size_t a, std::size_t b, bool anyhow) {
  std::vector<std::uint32_t>& of_a = tasks_[a];
  std::vector<std::uint32_t>& of_b = tasks_[b];
  const std::size_t spare = kFree - std::min(kFree, of_b.size());
  const std::size_t from_a = std::min(of_a.size(), std::max(kFree / 2, spare));
  const std::size_t n_free = from_a + std::min(of_b.size(), kFree - from_a);
  if (n_free == 0) return kStepWork;

  // The drawn tasks move to the ends of their lists; those of a come first.
  std::array<std::uint32_t, kFree> task{};
  std::array<Amount, kFree> size{};
  for (std::size_t i = 0; i < n_free; ++i) {
    std::vector<std::uint32_t>& list = i < from_a ? of_a : of_b;
    const std::size_t not_drawn = list.size() - (i < from_a ? i : i - from_a);
    std::swap(list[draw(not_drawn)], list[not_drawn - 1]);
    task[i] = list[not_drawn - 1];
    size[i] = size_[task[i]];
  }

  // A way to share out is a set of bits: the tasks that go to a.  All of them in Gray code order, from a random one on.
  const std::uint32_t n_shares = std::uint32_t{1} << n_free;
  const std::uint32_t now = (std::uint32_t{1} << from_a) - 1;
  const Amount total = load_[a] + load_[b];
  std::uint32_t share = static_cast<std::uint32_t>(draw(n_shares));
  Amount load = load_[a];
  for (std::size_t i = 0; i < n_free; ++i) {
    const bool was = i < from_a;
    const bool is = ((share >> i) & 1) != 0;
    if (was != is) load += is ? size[i] : -size[i];
  }
  std::uint32_t best = now;
  Amount best_load = load_[a];
  std::uint32_t looked_at = 0;
  if (anyhow) {
    best = share;
    best_load = load;
  } else {
    Amount best_excess = excess(a) + excess(b) + 1;
    for (;;) {
      if (share != now) {
        const Amount held_too_much =
            std::max(Amount{0}, load - capacity_[a]) + std::max(Amount{0}, total - load - capacity_[b]);
        if (held_too_much < best_excess) {
          best_excess = held_too_much;
          best = share;
          best_load = load;
          if (held_too_much == 0) break;
        }
      }
      if (++looked_at == n_shares) break;
      const int bit = std::countr_zero(looked_at);
      share ^= std::uint32_t{1} << bit;
      const Amount moved = size[static_cast<std::size_t>(bit)];
      load += ((share >> bit) & 1) != 0 ? moved : -moved;
    }
  }
  if (best != now) {
    of_a.resize(of_a.size() - from_a);
    of_b.resize(of_b.size() - (n_free - from_a));
    for (std::size_t i = 0; i < n_free; ++i) (((best >> i) & 1) != 0 ? of_a : of_b).push_back(task[i]);
    load_[a] = best_load;
    load_[b] = total - best_load;
    note_load(a);
    note_load(b);
  }
  return kStepWork + looked_at / kSharesPerWork;
}

bool PairExchange::walk(std::span<const Amount> capacity, std::uint64_t work_limit, std::uint64_t& work,
                        Monitor* monitor) {
  assert(capacity.size() == load_.size());
  set_capacity(capacity);
  const std::size_t n_machines = load_.size();
  if (n_machines < 2) return overloaded_.empty();
  const auto draw_other = [&](std::size_t machine) {
    const std::size_t other = draw(n_machines - 1);
    return other < machine ? other : other + 1;
  };
  std::uint64_t done = 0;
  std::uint64_t last_success = 0;
  Amount left = total_excess();
  Amount least = left;
  for (std::size_t step = 0; !overloaded_.empty() && done < work_limit; ++step) {
    if (monitor != nullptr && step % kExchangesBetweenPolls == 0) monitor->poll(done, work_limit);
    const std::size_t a = draw(2) == 0 ? overloaded_[draw(overloaded_.size())] : draw(n_machines);
    const std::size_t b = draw_other(a);
    const Amount before = excess(a) + excess(b);
    done += share_out(a, b, false);
    left += excess(a) + excess(b) - before;
    if (left < least) {
      least = left;
      last_success = done;
    } else if (done - last_success > kStall) {
      for (int kick = 0; kick < kKicks; ++kick) {
        const std::size_t first = draw(n_machines);
        done += share_out(first, draw_other(first), true);
      }
      least = left = total_excess();
      last_success = done;
    }
  }
  work += done;
  assert(check_invariants());
  return overloaded_.empty();
}

void PairExchange::write(std::span<std::uint32_t> machine) const {
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    for (const std::uint32_t task : tasks_[k]) machine[task] = static_cast<std::uint32_t>(k);
  }
}

bool PairExchange::check_invariants() const {
  std::vector<bool> seen(size_.size());
  std::size_t n_overloaded = 0;
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    Amount load = 0;
    for (const std::uint32_t task : tasks_[k]) {
      if (seen[task]) return false;
      seen[task] = true;
      load += size_[task];
    }
    const bool exceeds = load > capacity_[k];
    if (load != load_[k] || exceeds != (place_[k] != kNowhere)) return false;
    if (!exceeds) continue;
    ++n_overloaded;
    if (overloaded_[place_[k]] != k) return false;
  }
  return n_overloaded == overloaded_.size() && std::find(seen.begin(), seen.end(), false) == seen.end();
}

}  // namespace schedcore
