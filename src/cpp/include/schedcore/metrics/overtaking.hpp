// How often jobs were overtaken while they waited: fairness of a schedule, seen from the queue.
//
// The queue stands in the order of arrival, (release time, index).  Job i overtakes job j if it arrived after j and
// started before it; jobs that start at one instant do not overtake each other.  In a schedule without starts before
// releases i then started while j waited, and first come first served has no overtaking.
//
// O(n log n) time by counting inversions in a merge sort of the start times, 32 bytes a job beside the result.  Parts of
// the queue that were served in order are copied without comparing.
#pragma once

#include <cstdint>
#include <span>

#include "schedcore/base/types.hpp"

namespace schedcore {

class Monitor;

// times_overtaken[j] = number of jobs that overtook job j.  The three columns have one length; release times are not
// NaN, and with NaN among the start times the counts mean nothing.  `monitor` may be null.
void count_overtakers(std::span<const Time> release_time, std::span<const Time> start_time,
                      std::span<std::int64_t> times_overtaken, Monitor* monitor);

}  // namespace schedcore
