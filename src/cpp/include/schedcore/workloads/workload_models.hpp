// Synthetic workloads of rigid jobs: sizes and runtimes after Feitelson 1996 and Lublin 1999, and the K-resource
// demands, Poisson arrivals and over-estimates that turn them into an instance.
//
// Each function fills the caller's columns with a function of its arguments, in O(1) expected time a value.  Sizes and
// runtimes, demands, arrivals and estimates come from four streams of one seed, so that workloads which differ in the
// number of resources, the variance or the load share their jobs.  Arguments are checked by the caller (asserted here).
// `monitor` may be null; it is polled every few thousand values and may throw, which leaves the columns half filled.
#pragma once

#include <cstdint>
#include <span>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore {

// What the first stream is xored with to get the others.
inline constexpr std::uint64_t kDemandStream = 0xD1B54A32D192ED03U;
inline constexpr std::uint64_t kArrivalStream = 0xAEF17502108EF2D9U;
inline constexpr std::uint64_t kEstimateStream = 0x8CB92BA72F3D8DD7U;

// Runtimes of the Feitelson model are hyper-exponential: of `short_mean` with probability intercept - slope * size / N,
// otherwise of `long_mean`, both in units of 600 seconds.
struct RuntimeStages {
  double short_mean;
  double long_mean;
  double intercept;
  double slope;
};

// Per job: size, stage, exponential; then the number of times it is entered in a row, where `repetition_weight` is not
// empty (weight of once, twice, ...).  Size s has weight size_weight[s - 1]; N is the number of weights.
void draw_feitelson(std::uint64_t seed, std::span<const double> size_weight, const RuntimeStages& stages,
                    std::span<const double> repetition_weight, Monitor* monitor, std::span<std::int64_t> size,
                    std::span<std::int64_t> processing_time);

// Sizes 1..128, parameters of the undivided sample.  The number of draws varies from job to job.
void draw_lublin(std::uint64_t seed, Monitor* monitor, std::span<std::int64_t> size,
                 std::span<std::int64_t> processing_time);

// demand[j * n_resources + k] = max(1, floor(10^6 min(1, factor * (size[j] / largest_size) * z) + 1/2)), where z is
// normal with mean 1/2, redrawn until it lies in (0, 1].  One value takes about sqrt(2 pi variance) attempts where the
// variance is large.
void draw_demands(std::uint64_t seed, std::span<const std::int64_t> size, std::size_t n_resources, double variance,
                  double factor, std::int64_t largest_size, Monitor* monitor, std::span<Amount> demand);

// Arrival times with mean distance 1, the first at 0.
void draw_unit_arrivals(std::uint64_t seed, Monitor* monitor, std::span<Time> arrival);

// max(p, ceil(p * (1 + (factor - 1) * uniform))) for each job in turn; p itself for factor 1.
void draw_estimates(std::uint64_t seed, std::span<const Time> processing_time, double factor, Monitor* monitor,
                    std::span<Time> estimate);

}  // namespace schedcore
