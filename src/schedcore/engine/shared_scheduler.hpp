// The engine embedded in a Python program, as several threads may share it.
//
// Every call takes the mutex, always after letting go of the GIL, so that whoever holds the mutex can take the GIL back
// (to look for Ctrl-C).  Ctrl-C also ends a call that waits for the mutex, before it has done anything.  In the child of
// a fork that came while another thread held it, every call is refused, and the state is left as it is.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/fork_guard.hpp"
#include "base/python_monitor.hpp"
#include "schedcore/engine/online_scheduler.hpp"

namespace schedcore::python {

template <class T>
Float64Array column(const std::vector<T>& rows, Time T::* member) {
  Float64Array array(static_cast<pybind11::ssize_t>(rows.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) array.mutable_data()[row] = rows[row].*member;
  return array;
}

template <class T>
Int64Array column(const std::vector<T>& rows, std::int64_t T::* member) {
  Int64Array array(static_cast<pybind11::ssize_t>(rows.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) array.mutable_data()[row] = rows[row].*member;
  return array;
}

// Ids, machines and start times; where some jobs are more than one task, also ids, machines and tasks of all.
inline pybind11::tuple placement_columns(const IdPlacements& rows) {
  pybind11::object tasks = pybind11::none();
  if (!rows.tasks.empty()) {
    tasks = pybind11::make_tuple(column(rows.tasks, &IdTasks::id), column(rows.tasks, &IdTasks::machine),
                                 column(rows.tasks, &IdTasks::n_tasks));
  }
  return pybind11::make_tuple(column(rows.jobs, &IdPlacement::id), column(rows.jobs, &IdPlacement::machine),
                              column(rows.jobs, &IdPlacement::start_time), std::move(tasks));
}

// Ids, what was promised, what is expected, and the numbers of the causes.
inline pybind11::tuple broken_columns(const std::vector<BrokenPromise>& rows) {
  Int64Array cause(static_cast<pybind11::ssize_t>(rows.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) cause.mutable_data()[row] = static_cast<std::int64_t>(rows[row].cause);
  return pybind11::make_tuple(column(rows, &BrokenPromise::id), column(rows, &BrokenPromise::promised),
                              column(rows, &BrokenPromise::expected), std::move(cause));
}

inline pybind11::tuple tuple_of(const std::vector<std::string>& texts) {
  pybind11::tuple all(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) all[i] = texts[i];
  return all;
}

class SharedScheduler {
 public:
  SharedScheduler(OnlineScheduler scheduler, std::size_t n_resources)
      : scheduler_(std::make_unique<OnlineScheduler>(std::move(scheduler))), n_resources_(n_resources) {}
  SharedScheduler(const SharedScheduler&) = delete;
  SharedScheduler& operator=(const SharedScheduler&) = delete;
  ~SharedScheduler() {
    if (guard_.is_abandoned()) static_cast<void>(scheduler_.release());
  }

  // How many columns a demand must have.
  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }

  template <class Call>
  auto locked(const Call& call) {
    guard_.check();
    const pybind11::gil_scoped_release release;
    const Turnstile turnstile(*this);
    turnstile.handle_late_signals();
    return call(*scheduler_);
  }

  pybind11::tuple advance(Time now, std::uint64_t work_limit) {
    return advance_after([](OnlineScheduler& /*scheduler*/) {}, now, {}, work_limit);
  }
  // The decision at `now` as Python is to see it, after records that stand or fall with it; `submitted` are the ids that they
  // have assigned, and the decision of an event takes at most `work_limit` steps (0: as many as it wants).  It stands only
  // once that is made and no signal waits to be handled.
  template <class Record>
  pybind11::tuple advance_after(const Record& record, Time now, const std::vector<std::int64_t>& submitted,
                                std::uint64_t work_limit) {
    guard_.check();
    PythonMonitor monitor(pybind11::none{});
    pybind11::tuple answer;
    std::optional<pybind11::gil_scoped_release> release(std::in_place);
    const Turnstile turnstile(*this);
    const auto confirm = [&](const Decision& decision) {
      release.reset();
      answer = pybind11::make_tuple(placement_columns(decision.starts), placement_columns(decision.plan),
                                    decision.next_wakeup, array_of(decision.killed), broken_columns(decision.broken),
                                    array_of(submitted), tuple_of(decision.shortened), array_of(decision.preempted),
                                    array_of(decision.left));
      handle_signals();
    };
    static_cast<void>(scheduler_->record_and_advance(now, [&] { record(*scheduler_); }, &monitor, confirm,
                                                     work_limit == 0 ? WorkBudget() : WorkBudget(work_limit)));
    last_decision_ = answer;
    ++n_advances_;
    return answer;
  }

  std::unique_ptr<SharedScheduler> copy() {
    guard_.check();
    std::optional<pybind11::gil_scoped_release> release(std::in_place);
    const Turnstile turnstile(*this);
    OnlineScheduler scheduler = *scheduler_;
    release.reset();
    auto copied = std::make_unique<SharedScheduler>(std::move(scheduler), n_resources_);
    copied->last_decision_ = last_decision_;
    copied->n_advances_ = n_advances_;
    return copied;
  }

  // What the last `advance` returned, or was about to return when an interrupt came; None before the first.
  pybind11::object last_decision() {
    guard_.check();
    std::optional<pybind11::gil_scoped_release> release(std::in_place);
    const Turnstile turnstile(*this);
    release.reset();
    return last_decision_;
  }

  // How many calls of `advance` stand.
  std::uint64_t n_advances() {
    return locked([this](const OnlineScheduler& /*scheduler*/) { return n_advances_; });
  }

 private:
  // Holds the mutex.  A signal handler runs inside the decision that it interrupts and would wait for itself.
  class Turnstile {
   public:
    explicit Turnstile(SharedScheduler& shared) : shared_(shared) {
      if (shared.inside_ == std::this_thread::get_id()) {
        throw UnsupportedError("the scheduler is deciding in this very thread; neither its policy nor a signal handler can call it");
      }
      if (!shared.guard_.mutex().try_lock()) wait();
      shared.inside_ = std::this_thread::get_id();
    }
    Turnstile(const Turnstile&) = delete;
    Turnstile& operator=(const Turnstile&) = delete;
    ~Turnstile() {
      shared_.inside_ = std::thread::id();
      shared_.guard_.hold_was_ours();
      shared_.guard_.mutex().unlock();
    }
    // Those that came as a long wait was over; one that is handled by an exception then finds nothing done.
    void handle_late_signals() const {
      if (!waited_) return;
      const pybind11::gil_scoped_acquire attached;
      handle_signals();
    }

   private:
    void wait() {
      waited_ = true;
      while (!shared_.guard_.mutex().try_lock_for(std::chrono::milliseconds(50))) {
        const pybind11::gil_scoped_acquire attached;
        handle_signals();
        shared_.guard_.check();  // a handler may have forked
      }
    }

    SharedScheduler& shared_;
    bool waited_ = false;
  };

  std::unique_ptr<OnlineScheduler> scheduler_;
  std::size_t n_resources_;
  ForkGuard guard_;
  std::atomic<std::thread::id> inside_{};
  pybind11::object last_decision_ = pybind11::none();  // read and written with the mutex and the GIL held
  std::uint64_t n_advances_ = 0;
};

// Adds what can be asked of its state (bind_scheduler_views.cpp).
void bind_scheduler_views(pybind11::class_<SharedScheduler>& scheduler);

}  // namespace schedcore::python
