// To whom the jobs of a workload belong, and for which others they wait, in columns.
//
// Views; they own nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schedcore/site/awaited_jobs.hpp"
#include "schedcore/site/site_state.hpp"

namespace schedcore {

// Every column may be empty, where no job says anything.
struct PartyColumns {
  std::array<std::span<const std::int64_t>, kNamedParties> code;   // into the names; -1 for none
  std::array<std::span<const std::string>, kNamedParties> names;
  std::span<const std::int64_t> array;                             // -1 for none
  std::span<const double> priority;
  std::span<const std::int64_t> awaited_start;                     // with one entry more than jobs
  std::span<const std::int64_t> awaited_id;
  std::span<const std::int64_t> awaited_end;                       // as `AwaitedEnd`

  // For whom the job waits, until the next call.
  [[nodiscard]] std::span<const AwaitedJob> awaited_by(std::size_t job, std::vector<AwaitedJob>& row) const {
    row.clear();
    if (awaited_start.empty()) return row;
    for (auto i = static_cast<std::size_t>(awaited_start[job]); i < static_cast<std::size_t>(awaited_start[job + 1]); ++i) {
      row.push_back({awaited_id[i], static_cast<AwaitedEnd>(awaited_end[i])});
    }
    return row;
  }
  [[nodiscard]] std::string_view name_of(Party party, std::size_t job) const {
    const auto p = static_cast<std::size_t>(party);
    if (code[p].empty() || code[p][job] < 0) return {};
    return names[p][static_cast<std::size_t>(code[p][job])];
  }
};

// The columns by the numbers of a site, which learns their names.
class SiteParties {
 public:
  SiteParties(const PartyColumns& columns, SiteState& site) : columns_(columns) {
    for (std::size_t p = 0; p < kNamedParties; ++p) {
      for (const std::string& name : columns.names[p]) numbers_[p].push_back(site.number_of(static_cast<Party>(p), name));
    }
  }

  [[nodiscard]] JobParties of(std::size_t job) const {
    JobParties parties;
    for (std::size_t p = 0; p < kNamedParties; ++p) {
      if (columns_.code[p].empty() || columns_.code[p][job] < 0) continue;
      parties.of[p] = numbers_[p][static_cast<std::size_t>(columns_.code[p][job])];
    }
    if (!columns_.array.empty()) parties.array = columns_.array[job];
    if (!columns_.priority.empty()) parties.priority = columns_.priority[job];
    return parties;
  }

 private:
  const PartyColumns& columns_;
  std::array<std::vector<std::int32_t>, kNamedParties> numbers_;
};

}  // namespace schedcore
