// The steps of one slot as functions of their own: rates, packing, memory.  Placements are matrices of cores here, a
// row a job and a column a machine; schedcore.algorithms.preemptive.slot_kernels checks the values.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "bindings.hpp"
#include "preemptive/core_matrix.hpp"
#include "schedcore/preemptive/memory_step.hpp"
#include "schedcore/preemptive/slot_packing.hpp"
#include "schedcore/preemptive/slot_rates.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

constexpr std::int64_t kNoCut = -1;

py::tuple rates(const Float64Array& key, const Int64Array& limit, std::int64_t total) {
  check_shape(key.ndim() == 1 && limit.ndim() == 1 && key.shape(0) == limit.shape(0),
              "key and limit must have shape (n_jobs,)");
  check_range(span_of(key), -kInfinity, kInfinity, "key");
  checked_total(span_of(limit), kLargestInteger, "limit");
  check_number(total, std::int64_t{0}, kLargestInteger, "total");
  std::vector<Amount> cores;
  std::size_t cut = kNoRow;
  {
    const py::gil_scoped_release release;
    cut = slot_rates(span_of(key), span_of(limit), total, cores);
  }
  return py::make_tuple(array_of(cores), cut == kNoRow ? kNoCut : static_cast<std::int64_t>(cut));
}

Int64Array pack(const Int64Array& cores, std::int64_t cut, const Int64Array& capacity,
                const std::optional<Int64Array>& previous) {
  check_shape(cores.ndim() == 1 && capacity.ndim() == 1, "cores and capacity must have one dimension");
  const auto n_jobs = cores.shape(0), n_machines = capacity.shape(0);
  check_shape(!previous || (previous->ndim() == 2 && previous->shape(0) == n_jobs && previous->shape(1) == n_machines),
              "previous must have shape (n_jobs, n_machines)");
  check_shape(cut == kNoCut || (cut >= 0 && cut < n_jobs), "cut must be a row or -1");
  const std::int64_t room = checked_total(span_of(capacity), kLargestInteger, "capacity");
  checked_total(span_of(cores), room, "cores");
  if (previous) check_core_matrix(span_of(*previous), span_of(capacity), false, "previous");
  Int64Array placed({n_jobs, n_machines});
  const auto matrix = writable_span_of(placed);
  const auto before = previous ? span_of(*previous) : std::span<const Amount>{};
  {
    const py::gil_scoped_release release;
    std::vector<CorePiece> pieces;
    SlotPacking(span_of(capacity))
        .pack(span_of(cores), cut == kNoCut ? kNoRow : static_cast<std::size_t>(cut),
              pieces_of(before, static_cast<std::size_t>(n_machines)), pieces);
    write_pieces(pieces, static_cast<std::size_t>(n_machines), matrix);
  }
  return placed;
}

py::tuple memory(const Int64Array& placed, const std::optional<Float64Array>& profit, const Int64Array& demand,
                 const Int64Array& limit, const Int64Array& memory, const Int64Array& capacity, const Int64Array& order,
                 const std::string& mem_mode, bool work_conserving) {
  const MachinesView machines = machines_view(capacity);
  check_shape(machines.n_resources >= 2, "capacity must have cores and at least one memory");
  check_shape(placed.ndim() == 2 && placed.shape(1) == capacity.shape(0),
              "placed must have shape (n_jobs, n_machines)");
  const auto n_jobs = placed.shape(0);
  const auto is_column = [n_jobs](const auto& column) { return column.ndim() == 1 && column.shape(0) == n_jobs; };
  check_shape(is_column(demand) && is_column(limit) && (!profit || is_column(*profit)),
              "profit, demand and limit must have shape (n_jobs,)");
  check_shape(memory.ndim() == 2 && memory.shape(0) == n_jobs && memory.shape(1) + 1 == capacity.shape(1),
              "memory must have shape (n_jobs, n_resources - 1)");
  check_shape(order.ndim() == 1, "order must have one dimension");
  check_distinct_rows(span_of(order), static_cast<std::size_t>(n_jobs), "order");
  std::vector<Amount> cores_of_machine(machines.n_machines);
  for (std::size_t i = 0; i < machines.n_machines; ++i) cores_of_machine[i] = machines.capacity_of(i)[0];
  check_core_matrix(span_of(placed), cores_of_machine, true, "placed");
  if (profit) check_range(span_of(*profit), -kLargestNumber, kLargestNumber, "profit");
  check_range(span_of(demand), std::int64_t{1}, kLargestExact, "demand");
  check_range(span_of(limit), std::int64_t{0}, kLargestExact, "limit");
  check_range(span_of(memory), std::int64_t{0}, kLargestExact, "memory");
  const MemoryMode mode = choice<MemoryMode>(
      mem_mode,
      {{"once", MemoryMode::once}, {"twice", MemoryMode::twice}, {"backfill", MemoryMode::backfill}});
  Int64Array cores({placed.shape(0), placed.shape(1)});
  py::array_t<bool, py::array::c_style> is_refused({placed.shape(0), placed.shape(1)});
  const auto cores_out = writable_span_of(cores);
  const auto refused_out = writable_span_of(is_refused);
  {
    const py::gil_scoped_release release;
    const std::vector<CorePiece> pieces = pieces_of(span_of(placed), machines.n_machines);
    const auto wide = span_of(order);
    std::vector<std::uint32_t> rows(wide.size());
    std::ranges::transform(wide, rows.begin(), [](std::int64_t row) { return static_cast<std::uint32_t>(row); });
    std::vector<CorePiece> admitted, refused;
    MemoryStep(machines, mode, work_conserving)
        .admit(pieces,
               {span_of(memory), profit ? span_of(*profit) : std::span<const double>{}, span_of(demand), span_of(limit),
                rows},
               admitted, &refused);
    write_pieces(admitted, machines.n_machines, cores_out);
    std::ranges::fill(refused_out, false);
    for (const CorePiece& piece : refused) refused_out[piece.row * machines.n_machines + piece.machine] = true;
  }
  return py::make_tuple(cores, is_refused);
}

}  // namespace

void bind_slot_kernels(py::module_& module) {
  module.def("slot_rates", &rates, py::arg("key"), py::arg("limit"), py::arg("total"),
             "Cores of each job in the order of (key, index), and the job cut short, or -1.");
  module.def("pack_slot", &pack, py::arg("cores"), py::arg("cut"), py::arg("capacity"), py::arg("previous").none(true),
             "Cores of each job on each machine.");
  module.def("memory_step", &memory, py::arg("placed"), py::arg("profit").none(true), py::arg("demand"),
             py::arg("limit"), py::arg("memory"), py::arg("capacity"), py::arg("order"), py::kw_only(),
             py::arg("mem_mode"), py::arg("work_conserving"), "Cores that have their memory, and the pairs refused at first.");
}

}  // namespace schedcore::python
