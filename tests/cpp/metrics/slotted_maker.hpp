// Small slotted instances and schedules for tests, made row by row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "schedcore/model/slot_pieces.hpp"

namespace schedcore {

struct SlottedPiece {
  std::int64_t job, task, machine;
  Slot start, end;
  Amount cores;
};

class SlottedMaker {
 public:
  SlottedMaker(std::size_t n_resources, std::vector<Amount> capacity)
      : n_resources_(n_resources), capacity_(std::move(capacity)) {}

  void job(Slot release, Slot time, const std::vector<Amount>& demand) {
    release_.push_back(release);
    time_.push_back(time);
    demand_.insert(demand_.end(), demand.begin(), demand.end());
  }
  // What is believed of the demand of the last job; of all jobs or none.
  void believe(const std::vector<Amount>& demand) { believed_.insert(believed_.end(), demand.begin(), demand.end()); }
  // A job of map and reduce tasks.
  void map_reduce(Slot release, std::int64_t n_map, Amount map_cores, Slot map_time, std::int64_t n_reduce = 0,
                  Amount reduce_cores = 1, Slot reduce_time = 1) {
    if (first_task_.empty()) first_task_.push_back(0);
    release_.push_back(release);
    for (std::int64_t task = 0; task < n_map + n_reduce; ++task) {
      time_.push_back(task < n_map ? map_time : reduce_time);
      demand_.push_back(task < n_map ? map_cores : reduce_cores);
    }
    map_tasks_.push_back(n_map);
    first_task_.push_back(first_task_.back() + n_map + n_reduce);
  }
  void piece(const SlottedPiece& piece) { list_.push_back(piece); }

  [[nodiscard]] std::size_t n_machines() const { return capacity_.size() / n_resources_; }
  [[nodiscard]] MachinesView machines() const { return {capacity_, n_machines(), n_resources_}; }
  // Views are valid until something is added.
  [[nodiscard]] SlotTasksView tasks() const {
    return {release_, first_task_, map_tasks_, time_, demand_, believed_, n_resources_};
  }
  [[nodiscard]] SlotPiecesView pieces() {
    std::ranges::stable_sort(list_, {}, [](const SlottedPiece& p) {
      return std::tuple(p.start, p.job, p.task, p.machine);
    });
    job_.clear(), task_.clear(), machine_.clear(), start_.clear(), end_.clear(), cores_.clear();
    for (const SlottedPiece& p : list_) {
      job_.push_back(p.job);
      task_.push_back(p.task);
      machine_.push_back(p.machine);
      start_.push_back(static_cast<Time>(p.start));
      end_.push_back(static_cast<Time>(p.end));
      cores_.push_back(p.cores);
    }
    return {job_, task_, machine_, start_, end_, cores_};
  }
  [[nodiscard]] std::vector<SlottedPiece>& list() { return list_; }

 private:
  std::size_t n_resources_;
  std::vector<Amount> capacity_;
  std::vector<Slot> release_, time_;
  std::vector<Amount> demand_, believed_;
  std::vector<std::int64_t> first_task_, map_tasks_;
  std::vector<SlottedPiece> list_;
  std::vector<std::int64_t> job_, task_, machine_;
  std::vector<Time> start_, end_;
  std::vector<Amount> cores_;
};

}  // namespace schedcore
