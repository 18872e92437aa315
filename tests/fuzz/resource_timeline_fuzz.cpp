// Bytes become calls on a ResourceTimeline and on a row per instant; every answer must agree and the tree stay sound.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "schedcore/index/resource_timeline.hpp"

namespace {

using schedcore::Amount;
using schedcore::kNever;
using schedcore::ResourceTimeline;
using schedcore::Time;

constexpr std::size_t kResources = 2;
constexpr std::size_t kHorizon = 256;  // instants 0 .. 255; the row of 255 holds for ever
using Row = std::array<Amount, kResources>;

void require(bool holds) {
  if (!holds) std::abort();
}

bool has_room(const Row& free, const Row& demand) { return demand[0] <= free[0] && demand[1] <= free[1]; }

std::size_t earliest_fit(const std::vector<Row>& rows, std::size_t from, std::size_t duration, const Row& demand) {
  for (std::size_t start = from; start < kHorizon; ++start) {
    bool room = true;
    for (std::size_t t = start; t < std::min(start + duration, kHorizon); ++t) room = room && has_room(rows[t], demand);
    if (room) return start;
  }
  return kHorizon;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Row capacity{16, 16};
  ResourceTimeline timeline(capacity);
  std::vector<Row> rows(kHorizon, capacity);
  std::size_t origin = 0;
  for (; size >= 5; data += 5, size -= 5) {
    const std::size_t start = std::max<std::size_t>(data[1], origin);
    const std::size_t end = std::max<std::size_t>(data[2], start + 1);
    const Time end_time = end >= kHorizon ? kNever : static_cast<Time>(end);
    const Row demand{data[3] % 18, data[4] % 18};
    switch (data[0] % 6) {
      case 0:
      case 1: {
        const Amount sign = data[0] % 6 == 0 ? -1 : 1;
        for (std::size_t t = start; t < std::min(end, kHorizon); ++t) {
          for (std::size_t l = 0; l < kResources; ++l) rows[t][l] += sign * demand[l];
        }
        if (sign < 0) timeline.reserve(static_cast<Time>(start), end_time, demand);
        if (sign > 0) timeline.release(static_cast<Time>(start), end_time, demand);
        break;
      }
      case 2: {
        Row least = rows[start];
        for (std::size_t t = start; t < std::min(end, kHorizon); ++t) {
          for (std::size_t l = 0; l < kResources; ++l) least[l] = std::min(least[l], rows[t][l]);
        }
        Row out;
        timeline.range_min(static_cast<Time>(start), end_time, out);
        require(out == least);
        timeline.free_at(static_cast<Time>(start), out);
        require(out == rows[start]);
        break;
      }
      case 3: {
        std::size_t t = start;
        while (t < kHorizon && has_room(rows[t], demand)) ++t;
        require(timeline.first_shortage(static_cast<Time>(start), demand) == (t < kHorizon ? static_cast<Time>(t) : kNever));
        break;
      }
      case 4: {
        const std::size_t expected = earliest_fit(rows, start, end - start, demand);
        require(timeline.earliest_fit(static_cast<Time>(start), static_cast<Time>(end - start), demand) ==
                (expected < kHorizon ? static_cast<Time>(expected) : kNever));
        break;
      }
      default: {
        origin = std::max<std::size_t>(origin, data[1] % 16);
        timeline.forget_before(static_cast<Time>(origin));
        timeline = ResourceTimeline::from_stretches(timeline.n_resources(), timeline.stretches());
      }
    }
    timeline.check_invariants();
  }
  return 0;
}
