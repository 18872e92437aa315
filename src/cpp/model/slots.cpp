#include "schedcore/model/slots.hpp"

#include <string>

#include "schedcore/base/errors.hpp"

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

}  // namespace schedcore
