// Who runs in one slot, and on which server, where a job has all its cores on one server or does not run.
//
// The rows are walked in the policy's order.  Each holds what it is believed to ask for, of every resource, also in a
// last slot that it does not fill:
//
//   stay     a row that ran in the slot before stays on its server if the rows before it leave room there;
//   beside   any other takes the lowest server with room beside the rows before it and beside those that ran in the slot
//            before and have yet to be reached;
//   instead  if there is none, the lowest server with room beside the rows before it alone.  Whoever runs there and is
//            reached later may lose the server: it is then tried like a row that waits;
//   stop     if there is none either, the row does not run, and nor does anybody after it; with `skip` the next is tried.
//
// "beside" comes before "instead" so that a job keeps its server until it is preempted: while another server has room,
// nobody is interrupted or moved.  With `repacked` nobody stays: every row takes the lowest server with room beside the
// rows before it, so jobs move freely at the end of a slot, and what others left behind keeps nobody out.
//
// The first row always runs.  The same rows in the same order decide the same again.  Unless `repacked`, so they do in any
// order in which rows that run have moved forward: they all stay, for there is room for all of them at once, and rows
// that wait find no more room behind more of them.
//
// Cost: O(rows + n_machines R) for R resources, plus O(R log n_machines) for each row that is walked where the maxima of
// machine_index tell, at worst O(R n_machines).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/index/machine_index.hpp"
#include "schedcore/model/slots.hpp"

namespace schedcore {

enum class Service {
  shared,    // cores are given one by one, on any servers (slot_rates.hpp, slot_packing.hpp)
  whole,     // a job has all of its cores on one server, and keeps it
  repacked,  // the same on any server in each slot
};

class WholeService {
 public:
  // `jobs` must outlive this.  Throws InfeasibleError if a job fits no machine: it would wait for ever.
  WholeService(const SlotJobs& jobs, MachinesView machines, bool repacked, bool skip);

  // Replaces `machine` (by row: where it ran in the slot before, or kNoServer) by where each row runs, or kNoServer.
  // `row_job` is the job of each row, `order` has every row once.
  void decide(std::span<const std::uint32_t> row_job, std::span<const std::uint32_t> order,
              std::vector<std::uint32_t>& machine);

  static constexpr std::uint32_t kNoServer = 0xffffffffu;

 private:
  // Where the row may go beside who is already there; kNoMachine if nowhere.
  [[nodiscard]] std::size_t place(std::span<const Amount> demand, std::uint32_t before);

  SlotJobs jobs_;
  bool repacked_;
  bool skip_;
  MachineIndex empty_;   // all machines without jobs
  MachineIndex ahead_;   // what the rows leave that are placed in this slot
  MachineIndex beside_;  // and those that ran in the slot before and have yet to be reached; not used if repacked
  std::vector<std::uint32_t> before_;
};

}  // namespace schedcore
