// Can these tasks be packed into n bins of one capacity?  A search that fills one bin after the other, bounded by work.
//
// The largest task left opens a bin; the sets that complete it are tried by increasing waste [R. E. Korf, 2002; A. S.
// Fukunaga, R. E. Korf, 2007].  Left out are sets that waste more than all bins together may, sets that would have room
// for another task, and sets in which a task could be exchanged for a larger one left over: some other packing is then
// as good.  So `impossible` is a proof.
//
// Strong where bins hold two to five tasks; with many tasks a bin it finds what there is to find with the first sets or
// not at all, and pair_exchange is the better search.  Deterministic.  Memory O(n + bins * kMostSets).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore {

enum class PackingAnswer { packed, impossible, unknown };

// Sizes positive and in decreasing order.  Writes bin[i] if packed.  Adds the steps it took to `work`, and answers
// `unknown` once they exceed `work_limit`.
[[nodiscard]] PackingAnswer pack_bins(std::span<const Amount> sorted_size, std::size_t n_bins, Amount capacity,
                                      std::uint64_t work_limit, std::uint64_t& work, Monitor* monitor,
                                      std::span<std::uint32_t> bin);

}  // namespace schedcore
