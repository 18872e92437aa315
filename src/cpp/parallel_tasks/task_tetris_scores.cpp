#include "schedcore/parallel_tasks/task_tetris_scores.hpp"

#include <algorithm>

namespace schedcore {
namespace {

constexpr Time kLastInstant = 0x1p62;

// Rounded down; below 2^127.
UInt128 in_units(Time time) {
  time = std::min(time, kLastInstant);
  const auto whole = static_cast<std::uint64_t>(time);
  const auto rest = static_cast<std::uint64_t>((time - static_cast<Time>(whole)) * 0x1p64);  // both steps are exact
  return (static_cast<UInt128>(whole) << 64) + rest;
}

// amount * time; both are whole numbers of one word as a rule.
Int256 volume_in_units(UInt128 amount, UInt128 time) {
  if (high_word(amount) != 0 || low_word(time) != 0) return Int256(multiply(amount, time));
  const UInt128 product = multiply_words(low_word(amount), high_word(time));
  return {static_cast<Int128>(product >> 64), product << 64};
}

double from_units(double units) { return units * 0x1p-64; }

}  // namespace

TaskTetrisScores::TaskTetrisScores(const MachinesView& machines, const TaskTetrisScoring& scoring, double remote_penalty)
    : scoring_(scoring),
      remote_penalty_(remote_penalty),
      n_resources_(machines.n_resources),
      capacity_(machines.capacity.begin(), machines.capacity.end()),
      largest_capacity_(machines.n_resources, 0),
      total_volume_(machines.n_resources),
      total_demand_(machines.n_resources, 0) {
  for (std::size_t i = 0; i < capacity_.size(); ++i) {
    double& largest = largest_capacity_[i % n_resources_];
    largest = std::max(largest, static_cast<double>(capacity_[i]));
  }
}

std::uint32_t TaskTetrisScores::new_job(double weight) {
  std::uint32_t job = 0;
  if (free_.empty()) {
    job = static_cast<std::uint32_t>(jobs_.size());
    jobs_.emplace_back();
    terms_.emplace_back();
    volume_.resize(volume_.size() + n_resources_);
  } else {
    job = free_.back();
    free_.pop_back();
    jobs_[job] = {};
  }
  terms_[job] = {weight, 0, 0};
  jobs_[job].place = static_cast<std::uint32_t>(active_.size());
  active_.push_back(job);
  return job;
}

void TaskTetrisScores::arrive(std::size_t task, std::int64_t job, double weight, std::span<const Amount> demand,
                              Time remaining) {
  const auto [known, is_new] = job_of_number_.try_emplace(job);
  if (is_new) {
    known->second = new_job(weight);
    jobs_[known->second].number = job;
    jobs_[known->second].is_numbered = true;
  }
  add_task(task, known->second, demand, remaining);
}

void TaskTetrisScores::arrive_alone(std::size_t task, double weight, std::span<const Amount> demand, Time remaining) {
  add_task(task, new_job(weight), demand, remaining);
}

void TaskTetrisScores::add_task(std::size_t task, std::uint32_t job, std::span<const Amount> demand, Time remaining) {
  if (tasks_.size() <= task) {
    tasks_.resize(std::max(task + 1, 2 * tasks_.size()));
    job_.resize(tasks_.size());
  }
  tasks_[task] = {};
  job_[task] = job;
  ++jobs_[job].n_unfinished;
  ++n_tasks_;
  for (std::size_t r = 0; r < demand.size(); ++r) total_demand_[r] += demand[r];
  stop(task, demand, remaining);
}

void TaskTetrisScores::complete(std::size_t task, std::span<const Amount> demand) {
  stop(task, demand, 0);
  for (std::size_t r = 0; r < demand.size(); ++r) total_demand_[r] -= demand[r];
  --n_tasks_;
  Job& job = jobs_[job_[task]];
  if (--job.n_unfinished > 0) return;
  // Nothing is left of its volume, which counts exactly: the next job may take its place as it is.
  if (job.is_numbered) job_of_number_.erase(job.number);
  const std::uint32_t last = active_.back();
  active_[job.place] = last;
  jobs_[last].place = job.place;
  active_.pop_back();
  free_.push_back(job_[task]);
}

void TaskTetrisScores::set(std::size_t task, std::span<const Amount> demand, Time base, bool runs) {
  Task& state = tasks_[task];
  const UInt128 before = in_units(state.base);
  const UInt128 after = in_units(base);
  const int faster = static_cast<int>(runs) - static_cast<int>(state.runs);
  state.base = base;
  state.runs = runs;
  Job& job = jobs_[job_[task]];
  job.n_running += static_cast<std::uint32_t>(faster);
  job.is_current = false;
  FallingVolume* volume = &volume_[job_[task] * n_resources_];
  const bool is_longer = after >= before;
  const UInt128 change = is_longer ? after - before : before - after;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    const Int256 units = volume_in_units(static_cast<UInt128>(demand[r]), change);
    for (FallingVolume* sum : {&volume[r], &total_volume_[r]}) {
      if (is_longer) {
        sum->constant += units;
      } else {
        sum->constant -= units;
      }
      sum->decrease += static_cast<Int128>(demand[r]) * faster;
    }
  }
}

// Added up over the resources in shares of their largest capacity, and divided by `count`.
double TaskTetrisScores::volume_at(std::span<const FallingVolume> volume, UInt128 now, double count) const {
  double shares = 0;
  for (std::size_t r = 0; r < n_resources_; ++r) {
    Int256 sum = volume[r].constant;
    if (volume[r].decrease != 0) sum -= volume_in_units(static_cast<UInt128>(volume[r].decrease), now);
    if (largest_capacity_[r] > 0) shares += from_units(nearest_double(sum)) / (largest_capacity_[r] * count);
  }
  return shares;
}

double TaskTetrisScores::mean_size() const {
  double mean = 0;
  for (std::size_t r = 0; r < total_demand_.size(); ++r) {
    const double divisor = largest_capacity_[r] * static_cast<double>(n_tasks_);
    if (largest_capacity_[r] > 0) mean += static_cast<double>(total_demand_[r]) / divisor;
  }
  return mean;
}

void TaskTetrisScores::prepare(Time now) {
  const UInt128 now_in_units = in_units(now);
  for (const std::uint32_t job : active_) {
    if (jobs_[job].is_current) continue;
    terms_[job].volume = volume_at(std::span(volume_).subspan(job * n_resources_, n_resources_), now_in_units, 1);
    jobs_[job].is_current = jobs_[job].n_running == 0;
  }
  if (scoring_.is_balanced) {
    const double factor = mean_size() * volume_at(total_volume_, now_in_units, static_cast<double>(active_.size()));
    for (const std::uint32_t job : active_) terms_[job].second = factor / terms_[job].volume;
  } else {
    for (const std::uint32_t job : active_) terms_[job].second = 1 / (scoring_.e * terms_[job].volume);
  }
}

double TaskTetrisScores::alignment(std::span<const Amount> demand, std::size_t machine) const {
  const Amount* const capacity = capacity_.data() + machine * n_resources_;
  double sum = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0) sum += static_cast<double>(demand[r]) / static_cast<double>(capacity[r]);
  }
  return sum;
}

}  // namespace schedcore
