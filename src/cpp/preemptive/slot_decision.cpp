#include "schedcore/preemptive/slot_decision.hpp"

#include <algorithm>
#include <utility>

#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

void add_up(std::span<const CorePiece> pieces, std::size_t n_rows, std::vector<Amount>& cores) {
  cores.assign(n_rows, 0);
  for (const CorePiece& piece : pieces) cores[piece.row] += piece.cores;
}

}  // namespace

SlotDecision::SlotDecision(const SlotJobs& jobs, MachinesView machines, const SlotRules& rules, Monitor* monitor)
    : rules_(rules),
      only_gains_(has_multipliers(rules.policy) && !rules.work_conserving),
      places_itself_(rules.policy == SlotPolicy::ocorp_plus && rules.solver != SwitchingSolver::joblevel),
      order_(rules.policy, rules.dual, jobs),
      packing_(cores_of(machines)) {
  const std::vector<Amount> cores = cores_of(machines);
  for (const Amount there : cores) total_ += there;
  if (rules.policy == SlotPolicy::ocorp_plus)
    switching_.emplace(cores, rules.alpha, rules.solver, !only_gains_, monitor);
  if (rules.service != Service::shared) {
    // Others may fall behind those that wait while they run, so that steady_slots would say too much.
    if (!can_serve_whole(rules.policy))
      throw UnsupportedError("jobs are served whole by policies alone whose keys do not grow while a job runs");
    whole_.emplace(jobs, machines, rules.service == Service::repacked, rules.skip);
    return;
  }
  if (shares_fairly(rules.policy)) {
    const bool by_dominant_shares = rules.policy == SlotPolicy::drf;
    fair_.emplace(by_dominant_shares ? FairRule::drf : FairRule::proportional_fairness, jobs, machines,
                  rules.carries_remainders);
  }
  if (machines.n_resources > 1) memory_.emplace(machines, rules.memory, !only_gains_);
  if (memory_ && places_itself_) {
    throw UnsupportedError("ocorp_plus with solver = greedy or flow shares cores alone; with memory use joblevel");
  }
}

void SlotDecision::follow(const ActiveJobs& active) {
  const ActiveRows& rows = active.rows();
  rows.follow(first_);
  rows.follow(cores_);
  rows.follow(packed_cores_);
  rows.follow(placed_);
  rows.follow(admitted_);
  rows.follow(server_);
}

void SlotDecision::added(const ActiveJobs& active) {
  follow(active);
  order_.added(active);
  if (fair_) fair_->added(active);
  for (const std::uint32_t row : active.rows().new_rows()) {
    first_[row] = 1;
    server_[row] = WholeService::kNoServer;
  }
}

void SlotDecision::removed(const ActiveJobs& active) {
  follow(active);
  order_.removed(active);
  if (fair_) fair_->removed(active);
  // Who completed had cores; what stays in its place is packed already if places are kept.
  if (!rules_.sticky || memory_) packing_holds_ = false;
}

void SlotDecision::decide(Slot slot, ActiveJobs& active, bool keep_refused) {
  if (whole_) {
    serve_whole(slot, active);
    return;
  }
  if (places_itself_) {
    share_cores_and_place(slot, active);
  } else {
    share_cores(slot, active);
    place(active);
  }
  if (memory_) {
    admit(slot, active, keep_refused);
  } else {
    cores_ = planned_;
  }
  if (fair_) fair_->served(cores_);
  std::ranges::fill(first_, std::uint8_t{0});
}

bool SlotDecision::pool_suffices(std::span<const Amount> limit) const {
  Amount left = total_;
  for (const Amount wanted : limit) {
    if (wanted > left) return false;
    left -= wanted;
  }
  return true;
}

SwitchingRows SlotDecision::switching_rows(const ActiveJobs& active) const {
  return {order_.cost(), active.believed(), active.limit(), first_};
}

void SlotDecision::share_cores(Slot slot, const ActiveJobs& active) {
  if (fair_) {
    fair_->share(active, total_, planned_);
    return;
  }
  everybody_served_ = !only_gains_ && pool_suffices(active.limit());
  if (everybody_served_) {
    planned_.assign(active.limit().begin(), active.limit().end());
    cut_ = kNoRow;
    return;
  }
  const auto keys = order_.keys(slot, active);
  if (switching_) {
    cut_ = switching_->rates(switching_rows(active), cores_, keys, planned_);
  } else if (memory_) {
    cut_ = SlotRates::assign_in_order(order_.sorted(only_gains_), active.limit(), total_, planned_);
  } else if (only_gains_) {
    limit_.assign(active.limit().begin(), active.limit().end());
    for (std::size_t row = 0; row < limit_.size(); ++row)
      if (!(keys[row] < 0.0)) limit_[row] = 0;
    cut_ = rates_.assign(keys, limit_, total_, planned_);
  } else {
    cut_ = rates_.assign(keys, active.limit(), total_, planned_);
  }
}

void SlotDecision::share_cores_and_place(Slot slot, const ActiveJobs& active) {
  (void)order_.keys(slot, active);
  switching_->place(switching_rows(active), placed_, next_placed_);
  placed_.swap(next_placed_);
  add_up(placed_, active.size(), planned_);
}

void SlotDecision::place(const ActiveJobs& active) {
  const std::uint32_t cut_job = cut_ == kNoRow ? kNewRow : active.jobs()[cut_];
  const bool as_before = packing_holds_ && planned_ == packed_cores_ &&
                         (rules_.sticky ? !memory_ : cut_job == packed_cut_);
  if (as_before) return;
  packing_.pack(planned_, cut_, rules_.sticky ? std::span<const CorePiece>(pieces()) : std::span<const CorePiece>(),
                next_placed_);
  placed_.swap(next_placed_);
  packed_cores_ = planned_;
  packed_cut_ = cut_job;
  packing_holds_ = true;
}

void SlotDecision::serve_whole(Slot slot, const ActiveJobs& active) {
  (void)order_.keys(slot, active);
  whole_->decide(active.jobs(), order_.sorted(false), server_);
  placed_.clear();
  cores_.assign(active.size(), 0);
  for (std::uint32_t row = 0; row < active.size(); ++row) {
    if (server_[row] == WholeService::kNoServer) continue;
    cores_[row] = active.limit()[row];
    placed_.push_back({row, server_[row], cores_[row]});
  }
}

void SlotDecision::admit(Slot slot, ActiveJobs& active, bool keep_refused) {
  if (everybody_served_) (void)order_.keys(slot, active);
  const auto cost = order_.cost();
  profit_.resize(cost.size());
  for (std::size_t row = 0; row < cost.size(); ++row) profit_[row] = -cost[row];
  if (rules_.sticky) admitted_before_.swap(admitted_);
  refused_.clear();
  const MemoryStep::Rows rows{active.demand_other(), profit_, active.believed(), active.limit(),
                              fair_ ? fair_->order() : order_.sorted(only_gains_)};
  n_refused_ = memory_->admit(placed_, rows, admitted_, keep_refused ? &refused_ : nullptr).n_refused;
  add_up(admitted_, active.size(), cores_);
}

Slot SlotDecision::steady_slots(const ActiveJobs& active, std::span<const Amount> work, Slot most) {
  if (places_itself_ || most == 0) return 0;
  if (whole_) {
    if (rules_.service == Service::repacked) most = order_.steady_slots(active, cores_, work, kNoRow, true, most);
    return active.steady_slots(cores_, work, kNoRow, most);
  }
  // Where memory refuses nobody, cores alone decide; where nobody lacks cores either, no order does.
  const bool cores_decide = n_refused_ == 0;
  if (has_multipliers(rules_.policy)) {
    if (!everybody_served_ || !cores_decide) return 0;
    return active.steady_slots(cores_, work, kNoRow, most);
  }
  if (rules_.sticky && !cores_decide && admitted_ != admitted_before_) return 0;
  if (fair_) return fair_->is_steady() ? active.steady_slots(cores_, work, kNoRow, most) : 0;
  const std::size_t cut = cores_decide ? cut_ : kNoRow;
  most = order_.steady_slots(active, cores_, work, cut, !cores_decide, most);
  return active.steady_slots(cores_, work, cut, most);
}

bool SlotDecision::advance(Slot first, Slot n_slots, std::span<const Amount> work) {
  return order_.advance(first, n_slots, work);
}

}  // namespace schedcore
