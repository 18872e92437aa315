// The embedded engine with the backfilling policies; completions come before and after the estimates.
#include <cstdint>

#include "backfilling/backfill_makers.hpp"
#include "interrupted_run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  schedcore::testing::run_interrupted_and_straight(schedcore::testing::backfill_makers(), {data, size});
  return 0;
}
