#include "schedcore/site/id_ranges.hpp"

#include <algorithm>
#include <limits>

namespace schedcore {
namespace {

constexpr std::int64_t kLeastNoId = std::numeric_limits<std::int64_t>::max();  // ids lie below

// Seven bits a byte, the last one below 128.
void append(std::uint64_t number, std::vector<std::uint8_t>& bytes) {
  for (; number >= 128; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number | 128));
  bytes.push_back(static_cast<std::uint8_t>(number));
}

}  // namespace

void IdRanges::insert(std::int64_t id) {
  ++size_;
  const auto after = ranges_.upper_bound(id);
  const bool joins_before = after != ranges_.begin() && std::prev(after)->second == id - 1;
  const bool joins_after = after != ranges_.end() && after->first == id + 1;
  if (joins_before && joins_after) {
    std::prev(after)->second = after->second;
    ranges_.erase(after);
  } else if (joins_before) {
    std::prev(after)->second = id;
  } else if (joins_after) {
    const std::int64_t last = after->second;
    ranges_.emplace_hint(ranges_.erase(after), id, last);
  } else {
    ranges_.emplace_hint(after, id, id);
  }
}

void IdRanges::erase(std::int64_t id) {
  const auto after = ranges_.upper_bound(id);
  if (after == ranges_.begin()) return;
  const auto range = std::prev(after);
  const auto [first, last] = *range;
  if (last < id) return;
  --size_;
  if (first == id) {
    ranges_.erase(range);
  } else {
    range->second = id - 1;
  }
  if (last > id) ranges_.emplace(id + 1, last);
}

bool IdRanges::is_part_of(const IdRanges& other) const {
  return std::ranges::all_of(ranges_, [&](const auto& range) {
    const auto after = other.ranges_.upper_bound(range.first);
    return after != other.ranges_.begin() && std::prev(after)->second >= range.second;
  });
}

void IdRanges::write(SnapshotWriter& archive) const {
  std::vector<std::uint8_t> bytes;
  std::int64_t before = 0;
  for (const auto& [first, last] : ranges_) {
    append(static_cast<std::uint64_t>(first - before), bytes);
    append(static_cast<std::uint64_t>(last - first), bytes);
    before = last;
  }
  archive(bytes);
}

void IdRanges::read(SnapshotReader& archive) {
  std::vector<std::uint8_t> bytes;
  archive(bytes);
  std::size_t at = 0;
  const auto next = [&] {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      archive.require(at < bytes.size() && shift < 63, "an id of an ended job is cut short, or too large");
      const std::uint8_t byte = bytes[at++];
      number |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return static_cast<std::int64_t>(number);
    }
  };
  std::int64_t before = 0;
  while (at < bytes.size()) {
    const std::int64_t gap = next();
    archive.require((ranges_.empty() || gap > 1) && gap < kLeastNoId - before, "ids of ended jobs are not in order");
    const std::int64_t first = before + gap;
    const std::int64_t more = next();
    archive.require(more < kLeastNoId - first, "ids of ended jobs are not in order");
    before = first + more;
    ranges_.emplace_hint(ranges_.end(), first, before);
    size_ += static_cast<std::uint64_t>(more) + 1;
  }
}

}  // namespace schedcore
