#include "schedcore/engine/compiled_policy.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"

namespace schedcore {
namespace {

// A turn as the functions of a policy see it.
struct Host : schedcore_turn {
  explicit Host(CustomTurn& own) : schedcore_turn{&CompiledPolicy::functions()}, turn(own) {}

  CustomTurn& turn;
  std::array<std::optional<std::vector<std::int64_t>>, kTurnLists> lists;
  std::vector<schedcore_run> runs;
  std::vector<Amount> capacity;
  std::vector<std::int64_t> fits;
  std::vector<Amount> room;
  schedcore_job job = {};
  std::string reason;
  std::exception_ptr failure;  // of what is no mistake of the policy
};

Host& host_of(schedcore_turn* turn) { return *static_cast<Host*>(turn); }

// No exception gets into the functions of others: of mistakes the reason is kept, everything else ends the decision.
template <class Answer, class Ask>
Answer answered(schedcore_turn* turn, Answer otherwise, const Ask& ask) noexcept {
  Host& host = host_of(turn);
  try {
    return ask(host);
  } catch (const PolicyError& error) {
    try {
      host.reason = error.what();
    } catch (...) {
      host.failure = std::current_exception();
    }
  } catch (...) {
    host.failure = std::current_exception();
  }
  return otherwise;
}

const std::vector<std::int64_t>& turn_list(Host& host, std::int64_t list) {
  if (list < 0 || list >= static_cast<std::int64_t>(kTurnLists)) {
    throw PolicyError("there is no list " + std::to_string(list));
  }
  auto& kept = host.lists[static_cast<std::size_t>(list)];
  if (!kept) kept = host.turn.ids(static_cast<TurnList>(list));
  return *kept;
}

double now(schedcore_turn* turn) { return host_of(turn).turn.now(); }
std::int64_t n_resources(schedcore_turn* turn) {
  return static_cast<std::int64_t>(host_of(turn).turn.turn().machines().n_resources());
}
std::int64_t n_ids(schedcore_turn* turn, std::int64_t list) {
  return answered(turn, std::int64_t{0}, [&](Host& host) { return static_cast<std::int64_t>(turn_list(host, list).size()); });
}
const std::int64_t* ids(schedcore_turn* turn, std::int64_t list) {
  return answered(turn, static_cast<const std::int64_t*>(nullptr), [&](Host& host) { return turn_list(host, list).data(); });
}

const schedcore_run* runs(schedcore_turn* turn) {
  return answered(turn, static_cast<const schedcore_run*>(nullptr), [](Host& host) {
    host.runs.clear();
    for (const RunningJob& each : host.turn.turn().running()) {
      host.runs.push_back(
          {host.turn.id(each.job), host.turn.number_of(each.machine), each.start_time, each.expected_end});
    }
    host.runs.push_back({-1, -1, kNever, kNever});
    return static_cast<const schedcore_run*>(host.runs.data());
  });
}

const std::int64_t* capacity(schedcore_turn* turn) {
  return answered(turn, static_cast<const std::int64_t*>(nullptr), [](Host& host) {
    host.capacity.clear();
    for (const std::uint32_t machine : host.turn.machines()) {
      const auto row = host.turn.capacity_of(machine);
      host.capacity.insert(host.capacity.end(), row.begin(), row.end());
    }
    return static_cast<const std::int64_t*>(host.capacity.data());
  });
}
const std::int64_t* free_amounts(schedcore_turn* turn) {
  return answered(turn, static_cast<const std::int64_t*>(nullptr), [](Host& host) {
    return static_cast<const std::int64_t*>(host.turn.free_rows()->data());
  });
}

const schedcore_job* job_of(schedcore_turn* turn, std::int64_t id) {
  return answered(turn, static_cast<const schedcore_job*>(nullptr), [&](Host& host) {
    const JobTable& jobs = host.turn.turn().jobs();
    const JobSlot job = host.turn.job_of(id);
    const JobShape& shape = jobs.shape(job);
    host.job = {id,
                jobs.release_time(job),
                jobs.processing_time(job),
                jobs.weight(job),
                jobs.demand(job).data(),
                shape.n_tasks,
                shape.spread == kAnyNumber ? 0 : shape.spread,
                shape.is_exclusive ? 1 : 0};
    return static_cast<const schedcore_job*>(&host.job);
  });
}

const std::int64_t* demand_of(schedcore_turn* turn, std::int64_t id) {
  return answered(turn, static_cast<const std::int64_t*>(nullptr), [&](Host& host) {
    return host.turn.turn().jobs().demand(host.turn.job_of(id)).data();
  });
}

int is_waiting(schedcore_turn* turn, std::int64_t id) {
  return answered(turn, 0, [&](Host& host) { return host.turn.waits(host.turn.job_of(id)) ? 1 : 0; });
}

std::int64_t first_fit(schedcore_turn* turn, std::int64_t id) {
  return answered(turn, std::int64_t{-1}, [&](Host& host) {
    return host.turn.first_fit(id).value_or(-1);
  });
}
std::int64_t n_fits(schedcore_turn* turn, std::int64_t id) {
  return answered(turn, std::int64_t{0}, [&](Host& host) { return static_cast<std::int64_t>(host.turn.fits(id).size()); });
}
const std::int64_t* fits_of(schedcore_turn* turn, std::int64_t id) {
  return answered(turn, static_cast<const std::int64_t*>(nullptr), [&](Host& host) {
    host.fits = host.turn.fits(id);
    return static_cast<const std::int64_t*>(host.fits.data());
  });
}
const std::int64_t* room_of(schedcore_turn* turn, std::int64_t id) {
  return answered(turn, static_cast<const std::int64_t*>(nullptr), [&](Host& host) {
    host.room = host.turn.room(id);
    return static_cast<const std::int64_t*>(host.room.data());
  });
}

int start(schedcore_turn* turn, std::int64_t id, std::int64_t machine) {
  return answered(turn, -1, [&](Host& host) {
    const CustomTurn::NumberedPlace place{machine, 1};
    host.turn.start(id, std::span(&place, 1));
    return 0;
  });
}
int start_tasks(schedcore_turn* turn, std::int64_t id, const schedcore_place* places, std::int64_t n_places) {
  return answered(turn, -1, [&](Host& host) {
    if (n_places < 0 || (places == nullptr && n_places > 0)) {
      throw PolicyError("job " + std::to_string(id) + " was started on " + std::to_string(n_places) + " machines");
    }
    std::vector<CustomTurn::NumberedPlace> numbered;
    for (std::int64_t k = 0; k < n_places; ++k) numbered.push_back({places[k].machine, places[k].n_tasks});
    host.turn.start(id, numbered);
    return 0;
  });
}
int wake(schedcore_turn* turn, double at) {
  return answered(turn, -1, [&](Host& host) {
    host.turn.wake(at);
    return 0;
  });
}
int fail(schedcore_turn* turn, const char* message) {
  return answered(turn, -1, [&](Host& host) {
    host.reason = message == nullptr ? "" : message;
    return -1;
  });
}

// Before the table is read any further.
const schedcore_policy* checked(const schedcore_policy* table) {
  if (table == nullptr) throw InvalidInstanceError("the policy is null");
  if (table->version != SCHEDCORE_POLICY_VERSION) {
    throw InvalidInstanceError("the policy is of version " + std::to_string(table->version) +
                               " of schedcore/policy.h; this build takes version " +
                               std::to_string(SCHEDCORE_POLICY_VERSION));
  }
  const std::string name = table->name == nullptr ? "" : table->name;
  if (table->name == nullptr) throw InvalidInstanceError("the policy has no name");
  if (table->decide == nullptr) throw InvalidInstanceError("policy " + name + " has no decide");
  const bool has_state = table->create != nullptr;
  if ((table->copy != nullptr) != has_state || (table->destroy != nullptr) != has_state) {
    throw InvalidInstanceError("policy " + name + " has some of create, copy and destroy; it needs all or none of them");
  }
  if ((table->save != nullptr) != (table->load != nullptr) || (table->save != nullptr && !has_state)) {
    throw InvalidInstanceError("policy " + name + " has some of create, save and load; it needs all or none of the last two");
  }
  return table;
}

}  // namespace

const schedcore_turn_functions& CompiledPolicy::functions() {
  static const schedcore_turn_functions all{
      .now = schedcore::now,
      .n_resources = schedcore::n_resources,
      .n_ids = schedcore::n_ids,
      .ids = schedcore::ids,
      .runs = schedcore::runs,
      .capacity = schedcore::capacity,
      .free = schedcore::free_amounts,
      .job = schedcore::job_of,
      .demand = schedcore::demand_of,
      .is_waiting = schedcore::is_waiting,
      .first_fit = schedcore::first_fit,
      .n_fits = schedcore::n_fits,
      .fits = schedcore::fits_of,
      .start = schedcore::start,
      .start_tasks = schedcore::start_tasks,
      .wake = schedcore::wake,
      .fail = schedcore::fail,
      .room = schedcore::room_of,
  };
  return all;
}

CompiledPolicy::CompiledPolicy(const schedcore_policy* table, std::shared_ptr<const void> owner)
    : CustomPolicy((checked(table)->flags & SCHEDCORE_TAKES_GANGS) != 0), table_(table), owner_(std::move(owner)) {
  state_ = table_->create == nullptr ? table_->context : table_->create(table_->context);
  if (state_ == nullptr && table_->create != nullptr) throw std::bad_alloc();
}

CompiledPolicy::CompiledPolicy(const CompiledPolicy& other)
    : CustomPolicy(other), table_(other.table_), owner_(other.owner_), state_(other.copied_state()) {}

CompiledPolicy::~CompiledPolicy() { let_go_of_state(); }

void* CompiledPolicy::copied_state() const {
  if (table_->create == nullptr) return state_;
  void* copy = table_->copy(state_);
  if (copy == nullptr) throw std::bad_alloc();
  return copy;
}

void CompiledPolicy::let_go_of_state() {
  if (table_->create != nullptr && state_ != nullptr) table_->destroy(state_);
  state_ = nullptr;
}

std::unique_ptr<Policy> CompiledPolicy::clone() const { return std::unique_ptr<Policy>(new CompiledPolicy(*this)); }

void CompiledPolicy::continue_as(const Policy& before) {
  void* state = dynamic_cast<const CompiledPolicy&>(before).copied_state();
  let_go_of_state();
  state_ = state;
}

void CompiledPolicy::decide_on(CustomTurn& turn) {
  Host host(turn);
  const int answer = table_->decide(state_, &host);
  if (host.failure) std::rethrow_exception(host.failure);
  if (answer == 0) return;
  const std::string why = host.reason.empty() ? "decide returned " + std::to_string(answer) : host.reason;
  throw PolicyError("policy " + std::string(table_->name) + ", asked at " + number_text(turn.now()) + ", failed: " + why);
}

std::string CompiledPolicy::remembered() const {
  if (table_->create == nullptr) return {};
  if (table_->save == nullptr) {
    throw UnsupportedError("policy " + std::string(table_->name) + " cannot be saved: it has no save and load");
  }
  std::string bytes(table_->save(state_, nullptr, 0), '\0');
  if (table_->save(state_, bytes.data(), bytes.size()) != bytes.size()) {
    throw PolicyError("policy " + std::string(table_->name) + " saves another number of bytes than it has said");
  }
  return bytes;
}

void CompiledPolicy::remember(std::string_view bytes) {
  const std::string name = table_->name;
  if (table_->create == nullptr) {
    if (!bytes.empty()) throw InvalidInstanceError("policy " + name + " remembers nothing, but the snapshot says that it does");
    return;
  }
  if (table_->load == nullptr) throw UnsupportedError("policy " + name + " cannot be loaded: it has no save and load");
  void* state = table_->load(table_->context, bytes.data(), bytes.size());
  if (state == nullptr) throw InvalidInstanceError("policy " + name + " did not write what the snapshot says");
  let_go_of_state();
  state_ = state;
}

}  // namespace schedcore
