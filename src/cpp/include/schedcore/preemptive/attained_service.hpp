// Least attained service first (LAS, also foreground-background): who has got least goes first, ties by job.
//
// The attained service of a job is measured, and counts cores and time: the core-slots that it has worked off, whatever
// its cores are believed to be.  That is the two-dimensional LAS of Gu et al., "Tiresias: a GPU cluster manager for
// distributed deep learning", NSDI 2019; for LAS itself see Nuyens and Wierman, "The foreground-background queue: a
// survey", Performance Evaluation 65, 2008.  No decision looks at a processing time.
//
// Jobs that have got the same take turns, slot by slot.  So slots are passed over only while nobody waits, or while those
// that run are behind those that wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/active_jobs.hpp"

namespace schedcore {

// Core-slots that the row has worked off.  O(1).
[[nodiscard]] Amount attained_service(const SlotJobs& jobs, const ActiveJobs& active, std::size_t row);

// The key of every row, smallest first: what it has got, exact in a double.  O(rows).
void attained_keys(const SlotJobs& jobs, const ActiveJobs& active, std::vector<double>& key);

// For how many slots after this one, `most` at most, in which the rows do `work` each, the order under LAS stays what it
// is for those who look at it: the whole `order` (rows, the first to be served first), or, where that is empty, only
// which rows have all they can use, which is the row `cut`, and which rows have no `cores`.  O(rows), exact.
[[nodiscard]] Slot steady_attained_order(const SlotJobs& jobs, const ActiveJobs& active, std::span<const Amount> cores,
                                         std::span<const Amount> work, std::size_t cut,
                                         std::span<const std::uint32_t> order, Slot most);

}  // namespace schedcore
