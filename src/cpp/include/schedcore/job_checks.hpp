// What the online non-preemptive family asks of machines and jobs, checked before anything is changed.
#pragma once

#include <cstdint>
#include <span>

#include "schedcore/types.hpp"

namespace schedcore {

// UnsupportedError unless all machines have the same capacity.
void check_identical_machines(const MachinesView& machines);

// A job that the family can run: positive weight, some demand (InvalidInstanceError), no demand above the capacity of a
// machine (InfeasibleError).  `id` is the number that messages use.
void check_job(std::int64_t id, Time processing_time, double weight, std::span<const Amount> demand,
               std::span<const Amount> capacity);

// A start and an end that the clock can represent: start < start + processing_time < infinity, else InvalidInstanceError.
void check_duration(std::int64_t id, Time start, Time processing_time);

}  // namespace schedcore
