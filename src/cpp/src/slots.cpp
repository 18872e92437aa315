#include "schedcore/slots.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "schedcore/errors.hpp"

namespace schedcore {

void require_exact(Slot slot) {
  if (slot > kLastExactSlot)
    throw UnsupportedError("slot " + std::to_string(slot) + " exceeds 2**53; use longer slots or fewer of them");
}

std::vector<Amount> cores_of(MachinesView machines) {
  std::vector<Amount> cores(machines.n_machines);
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i] = machines.capacity_of(i)[0];
  return cores;
}

std::vector<std::uint32_t> packing_order(std::span<const Amount> cores) {
  std::vector<std::uint32_t> order(cores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return cores[a] > cores[b]; });
  return order;
}

}  // namespace schedcore
