// The embedded engine with the policies that estimates do not concern.
#include <cstdint>

#include "interrupted_run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  schedcore::testing::run_interrupted_and_straight(schedcore::testing::policy_makers(), {data, size});
  return 0;
}
