// Binary snapshots of a running engine: what saving, pickling and checking of its state stand on.
//
// A snapshot holds what cannot be derived: the jobs, who runs where, the plan, and what a policy remembers.  Trees,
// heaps, indexes and timelines are built again when it is read.  A class takes part by a member
// `template <class Archive> void serialize(Archive& archive) { archive(a_, b_); }` that lists what it keeps once; the
// same line writes and reads.  Numbers, vectors, strings, optionals and pairs of them are handled here; a struct is
// written member by member, since padding has no defined content.
//
// Nothing that is read is believed: a length is bounded by the bytes that are left, so that memory stays in proportion
// to the snapshot, a bool is 0 or 1, a number is no NaN, a job is one of those that the snapshot lists; everything else
// is the reader's to `require`.  Every refusal is an InvalidInstanceError.  Bytes are in the order of the machine; the
// container around them (format, checksum) is the caller's.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "schedcore/base/errors.hpp"

namespace schedcore {

struct Cluster;  // cluster.hpp: what an archive knows of jobs and machines
class MachineTable;  // machine_table.hpp: on which machines constraints hold

template <class T, class Archive>
concept HasSerialize = requires(T& value, Archive& archive) { value.serialize(archive); };

// Numbers that are copied as they are: every pattern of bits is a value.
template <class T>
concept PlainNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

class SnapshotWriter {
 public:
  static constexpr bool is_reading = false;

  template <class... Ts>
  void operator()(const Ts&... values) {
    (write(values), ...);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  // A double that may be NaN.
  void any_number(double value) { write(value); }

  // From now on jobs are written as their ranks in this order, instead of their slots.
  void name_jobs(std::span<const std::uint32_t> order, std::span<const std::uint32_t> generation) {
    generation_ = generation;
    rank_of_.assign(generation.size(), kGone);
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) rank_of_[order[rank]] = rank;
  }
  void job(std::uint32_t slot) { write(rank_of_[slot]); }
  // A job that may have completed since it was noted.
  void job_or_gone(std::uint32_t slot, std::uint32_t generation) {
    write(slot < rank_of_.size() && generation_[slot] == generation ? rank_of_[slot] : kGone);
  }

  // From now on jobs are written as their slots, for a reader in the same table of jobs.
  void keep_slots(std::span<const std::uint32_t> generation) {
    generation_ = generation;
    rank_of_.resize(generation.size());
    std::iota(rank_of_.begin(), rank_of_.end(), 0U);
  }

  // From now on machines are written under these numbers, which increase, among so many; those that are kGone are not
  // written, nor are they to be named.
  void renumber_machines(std::span<const std::uint32_t> number_of, std::size_t n_machines) {
    number_of_ = number_of;
    n_machines_ = n_machines;
  }
  [[nodiscard]] bool renumbers_machines() const { return !number_of_.empty(); }
  void machine(std::uint32_t machine) { write(number_of(machine)); }
  [[nodiscard]] std::uint32_t number_of(std::uint32_t machine) const {
    return number_of_.empty() ? machine : number_of_[machine];
  }
  // Of how many machines the snapshot is, if it is written of so many.
  [[nodiscard]] std::size_t n_machines(std::size_t of_state) const { return number_of_.empty() ? of_state : n_machines_; }

  void set_cluster(const Cluster& cluster) { cluster_ = &cluster; }
  [[nodiscard]] const Cluster& cluster() const { return *cluster_; }

  static constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();

 private:
  friend class SnapshotReader;

  template <class T>
  void write(const T& value) {
    if constexpr (HasSerialize<T, SnapshotWriter>) {
      const_cast<T&>(value).serialize(*this);  // serialize only reads when the archive writes
    } else {
      static_assert(std::is_arithmetic_v<T>);
      append(&value, sizeof(T));
    }
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    if constexpr (PlainNumber<T>) {
      append(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) write(value);
    }
  }
  void write(const std::string& text) {
    write(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class A, class B>
  void write(const std::pair<A, B>& pair) {
    write(pair.first);
    write(pair.second);
  }
  void append(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
  std::vector<std::uint32_t> rank_of_;  // by slot
  std::span<const std::uint32_t> generation_;
  std::span<const std::uint32_t> number_of_;  // by machine; empty where they keep their numbers
  std::size_t n_machines_ = 0;
  const Cluster* cluster_ = nullptr;
};

class SnapshotReader {
 public:
  static constexpr bool is_reading = true;

  explicit SnapshotReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... Ts>
  void operator()(Ts&... values) {
    (read(values), ...);
  }
  [[nodiscard]] bool at_end() const { return position_ == bytes_.size(); }

  // Refuses the snapshot, saying what is wrong in it, unless it holds.
  static void refuse_unless(bool holds, std::string_view what) {
    if (!holds) throw InvalidInstanceError("the snapshot is damaged: " + std::string(what));
  }
  // The same, but for what somebody says for whom machines have changed.
  void require(bool holds, std::string_view what) const { refuse_unless(holds || machines_have_changed_, what); }

  // What is read was written just now, by a policy of the same process on machines with other capacities.  So what does not
  // fit these is nobody's fault, and what is computed of capacities is to be computed anew.
  void set_machines_have_changed() { machines_have_changed_ = true; }
  [[nodiscard]] bool machines_have_changed() const { return machines_have_changed_; }

  // What is read was written under other numbers of the machines.  So sets of machines that differed may be equal now.
  void set_machines_renumbered() { machines_renumbered_ = true; }
  [[nodiscard]] bool machines_renumbered() const { return machines_renumbered_; }

  // A double that may be NaN.
  void any_number(double& value) { std::memcpy(&value, take(sizeof value), sizeof value); }

  // The number of rows to come, each of which takes at least `least_bytes`.
  [[nodiscard]] std::size_t length(std::size_t least_bytes) {
    std::uint64_t size = 0;
    read(size);
    if (size > (bytes_.size() - position_) / least_bytes) truncated();
    return static_cast<std::size_t>(size);
  }

  // Jobs are their ranks among `n_jobs` from now on; a job that has gone is the slot behind them, at generation 0.
  void name_jobs(std::uint32_t n_jobs) { n_jobs_ = n_jobs; }
  void job(std::uint32_t& slot) {
    read(slot);
    require(slot < n_jobs_, "it names a job that it does not hold");
  }
  void job_or_gone(std::uint32_t& slot, std::uint32_t& generation) {
    read(slot);
    if (slot == SnapshotWriter::kGone) slot = n_jobs_;
    require(slot <= n_jobs_, "it names a job that it does not hold");
    generation = 0;
  }

  void machine(std::uint32_t& machine) { read(machine); }

  // Where constraints are looked up; without a table there are none.
  void set_machine_table(const MachineTable& table) { table_ = &table; }
  [[nodiscard]] const MachineTable* machine_table() const { return table_; }

  void set_cluster(const Cluster& cluster) { cluster_ = &cluster; }
  [[nodiscard]] const Cluster& cluster() const { return *cluster_; }

 private:
  template <class T>
  void read(T& value) {
    if constexpr (HasSerialize<T, SnapshotReader>) {
      value.serialize(*this);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      read(byte);
      require(byte <= 1, "a byte that is neither yes nor no");
      value = byte != 0;
    } else {
      static_assert(PlainNumber<T>);
      std::memcpy(&value, take(sizeof(T)), sizeof(T));
      if constexpr (std::is_floating_point_v<T>) require(!std::isnan(value), "a number is NaN");
    }
  }
  template <class T>
  void read(std::vector<T>& values) {
    values.clear();
    if constexpr (PlainNumber<T>) {
      values.resize(length(sizeof(T)));
      if (!values.empty()) std::memcpy(values.data(), take(values.size() * sizeof(T)), values.size() * sizeof(T));
      if constexpr (std::is_floating_point_v<T>) {
        for (const T value : values) require(!std::isnan(value), "a number is NaN");
      }
    } else {
      // Grows as elements come, which take at least one byte each.
      for (std::size_t left = length(1); left > 0; --left) read(values.emplace_back());
    }
  }
  void read(std::string& text) {
    const std::size_t size = length(1);
    text.assign(take(size), size);
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool present = false;
    read(present);
    value.reset();
    if (present) read(value.emplace());
  }
  template <class A, class B>
  void read(std::pair<A, B>& pair) {
    read(pair.first);
    read(pair.second);
  }
  const char* take(std::size_t size) {
    if (size > bytes_.size() - position_) truncated();
    const char* data = bytes_.data() + position_;
    position_ += size;
    return data;
  }
  [[noreturn]] static void truncated() { throw InvalidInstanceError("the snapshot is damaged: it ends too early"); }

  std::string_view bytes_;
  std::size_t position_ = 0;
  std::uint32_t n_jobs_ = 0;
  bool machines_have_changed_ = false;
  bool machines_renumbered_ = false;
  const Cluster* cluster_ = nullptr;
  const MachineTable* table_ = nullptr;
};

}  // namespace schedcore
