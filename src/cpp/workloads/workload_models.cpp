#include "schedcore/workloads/workload_models.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <optional>

#include "schedcore/base/random_stream.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kPollEvery = 1U << 14;

// Lets the watcher look every kPollEvery steps.
class Watch {
 public:
  Watch(Monitor* monitor, std::size_t total) : monitor_(monitor), total_(total) {}

  void step(std::size_t done) {
    if (++steps_ % kPollEvery == 0 && monitor_ != nullptr) monitor_->poll(done, total_);
  }

 private:
  Monitor* monitor_;
  std::size_t total_;
  std::size_t steps_ = 0;
};

// Lublin's model: two stages of log2(size), and a hyper-gamma distribution of ln(runtime).
constexpr double kSerialShare = 0.244;
constexpr double kPowerOfTwoShare = 0.576;
constexpr double kLowLog = 0.8;
constexpr double kHighLog = 7;
constexpr double kMiddleLog = kHighLog - 2.5;
constexpr double kLowShare = 0.86;
constexpr std::int64_t kLargestSize = 128;
constexpr double kLongestLog = 12;

std::int64_t lublin_size(RandomStream& random) {
  const double kind = random.uniform();
  if (kind <= kSerialShare) return 1;
  const double stage = random.uniform();
  const double x = random.uniform();
  double log_size = stage <= kLowShare ? kLowLog + x * (kMiddleLog - kLowLog) : kMiddleLog + x * (kHighLog - kMiddleLog);
  if (kind <= kSerialShare + kPowerOfTwoShare) log_size = std::floor(log_size + 0.5);
  return std::min(static_cast<std::int64_t>(std::floor(std::exp2(log_size) + 0.5)), kLargestSize);
}

}  // namespace

void draw_feitelson(std::uint64_t seed, std::span<const double> size_weight, const RuntimeStages& stages,
                    std::span<const double> repetition_weight, Monitor* monitor, std::span<std::int64_t> size,
                    std::span<std::int64_t> processing_time) {
  assert(size.size() == processing_time.size() && !size_weight.empty());
  RandomStream random(seed);
  Watch watch(monitor, size.size());
  const WeightTable sizes(size_weight);
  std::optional<WeightTable> repetitions;
  if (!repetition_weight.empty()) repetitions.emplace(repetition_weight);
  const auto largest = static_cast<double>(size_weight.size());
  for (std::size_t job = 0; job < size.size();) {
    const auto drawn = static_cast<std::int64_t>(sizes.draw(random) + 1);
    const double is_short = stages.intercept - stages.slope * static_cast<double>(drawn) / largest;
    const double mean = random.uniform() < is_short ? stages.short_mean : stages.long_mean;
    const double seconds = std::ceil(600 * mean * random.exponential());
    const std::size_t rows = repetitions ? repetitions->draw(random) + 1 : 1;
    for (const std::size_t end = std::min(job + rows, size.size()); job < end; ++job) {
      size[job] = drawn;
      processing_time[job] = std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds));
      watch.step(job);
    }
  }
}

void draw_lublin(std::uint64_t seed, Monitor* monitor, std::span<std::int64_t> size,
                 std::span<std::int64_t> processing_time) {
  assert(size.size() == processing_time.size());
  RandomStream random(seed);
  Watch watch(monitor, size.size());
  const GammaDistribution short_jobs(4.2);
  const GammaDistribution long_jobs(312);
  for (std::size_t job = 0; job < size.size(); ++job) {
    watch.step(job);
    size[job] = lublin_size(random);
    const double is_short = std::clamp(-0.0054 * static_cast<double>(size[job]) + 0.78, 0.0, 1.0);
    double log_seconds = 0;
    do {
      log_seconds = random.uniform() <= is_short ? 0.94 * short_jobs.draw(random) : 0.03 * long_jobs.draw(random);
    } while (log_seconds > kLongestLog);
    processing_time[job] = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(std::exp(log_seconds))));
  }
}

void draw_demands(std::uint64_t seed, std::span<const std::int64_t> size, std::size_t n_resources, double variance,
                  double factor, std::int64_t largest_size, Monitor* monitor, std::span<Amount> demand) {
  assert(demand.size() == size.size() * n_resources && variance > 0);
  RandomStream random(seed ^ kDemandStream);
  Watch watch(monitor, size.size());
  const double deviation = std::sqrt(variance);
  for (std::size_t job = 0; job < size.size(); ++job) {
    const double mean_times_two = factor * (static_cast<double>(size[job]) / static_cast<double>(largest_size));
    for (Amount& amount : demand.subspan(job * n_resources, n_resources)) {
      double z = 0;
      do {
        watch.step(job);
        z = 0.5 + deviation * random.normal();
      } while (!(z > 0 && z <= 1));
      amount = std::max<Amount>(1, static_cast<Amount>(std::floor(1e6 * std::min(1.0, mean_times_two * z) + 0.5)));
    }
  }
}

void draw_unit_arrivals(std::uint64_t seed, Monitor* monitor, std::span<Time> arrival) {
  RandomStream random(seed ^ kArrivalStream);
  Watch watch(monitor, arrival.size());
  Time now = 0;
  for (std::size_t job = 0; job < arrival.size(); ++job) {
    watch.step(job);
    if (job > 0) now += random.exponential();
    arrival[job] = now;
  }
}

void draw_estimates(std::uint64_t seed, std::span<const Time> processing_time, double factor, Monitor* monitor,
                    std::span<Time> estimate) {
  assert(estimate.size() == processing_time.size() && factor >= 1);
  if (factor == 1) {
    std::copy(processing_time.begin(), processing_time.end(), estimate.begin());
    return;
  }
  RandomStream random(seed ^ kEstimateStream);
  Watch watch(monitor, estimate.size());
  for (std::size_t job = 0; job < estimate.size(); ++job) {
    watch.step(job);
    const Time true_time = processing_time[job];
    estimate[job] = std::max(true_time, std::ceil(true_time * (1 + (factor - 1) * random.uniform())));
  }
}

}  // namespace schedcore
