#include "schedcore/index/fit.hpp"

#include <algorithm>
#include <array>

// One body, compiled for the baseline and again for wider registers; always_inline makes it take on the target of its
// caller.
#if defined(__GNUC__) && defined(__x86_64__)
#define SCHEDCORE_X86_DISPATCH 1
#define SCHEDCORE_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define SCHEDCORE_X86_DISPATCH 0
#define SCHEDCORE_ALWAYS_INLINE inline
#endif

namespace schedcore {
namespace {

// Candidates handled together: their flags stay in registers or the first cache line while the resources pass by.
constexpr std::size_t kBlock = 64;

using BlockFlags = std::array<Amount, kBlock>;  // as wide as an amount, so that a lane compares and accumulates

template <class Count>
SCHEDCORE_ALWAYS_INLINE void compare_block(const Amount* columns, std::size_t stride, Count n_block,
                                           std::size_t n_resources, const Amount* available, BlockFlags& fit) {
  for (std::size_t j = 0; j < n_block; ++j) fit[j] = 1;
  for (std::size_t l = 0; l < n_resources; ++l) {
    const Amount room = available[l];
    const Amount* column = columns + l * stride;
    for (std::size_t j = 0; j < n_block; ++j) fit[j] &= static_cast<Amount>(column[j] <= room);
  }
}

struct FullBlock {
  constexpr operator std::size_t() const { return kBlock; }  // NOLINT(google-explicit-constructor): a known trip count
};

// Calls done(first candidate of the block, size, flags) block by block until it returns true.
template <class Done>
SCHEDCORE_ALWAYS_INLINE void for_each_block(const Amount* columns, std::size_t n_candidates, std::size_t n_resources,
                                            const Amount* available, const Done& done) {
  BlockFlags fit;
  std::size_t first = 0;
  for (; first + kBlock <= n_candidates; first += kBlock) {
    compare_block(columns + first, n_candidates, FullBlock{}, n_resources, available, fit);
    if (done(first, kBlock, fit)) return;
  }
  const std::size_t rest = n_candidates - first;
  if (rest == 0) return;
  compare_block(columns + first, n_candidates, rest, n_resources, available, fit);
  done(first, rest, fit);
}

SCHEDCORE_ALWAYS_INLINE void mask_body(const Amount* columns, std::size_t n_candidates, std::size_t n_resources,
                                       const Amount* available, std::uint8_t* mask) {
  for_each_block(columns, n_candidates, n_resources, available,
                 [mask](std::size_t first, std::size_t size, const BlockFlags& fit) {
                   for (std::size_t j = 0; j < size; ++j) mask[first + j] = static_cast<std::uint8_t>(fit[j]);
                   return false;
                 });
}

SCHEDCORE_ALWAYS_INLINE std::size_t first_body(const Amount* columns, std::size_t n_candidates, std::size_t n_resources,
                                               const Amount* available) {
  std::size_t found = kNoCandidate;
  for_each_block(columns, n_candidates, n_resources, available,
                 [&found](std::size_t first, std::size_t size, const BlockFlags& fit) {
                   Amount any = 0;
                   for (std::size_t j = 0; j < size; ++j) any |= fit[j];
                   if (any == 0) return false;
                   found = first + static_cast<std::size_t>(std::find(fit.begin(), fit.end(), 1) - fit.begin());
                   return true;
                 });
  return found;
}

#if SCHEDCORE_X86_DISPATCH
__attribute__((target("avx2"))) void mask_avx2(const Amount* columns, std::size_t n_candidates, std::size_t n_resources,
                                               const Amount* available, std::uint8_t* mask) {
  mask_body(columns, n_candidates, n_resources, available, mask);
}
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) void mask_avx512(const Amount* columns,
                                                                              std::size_t n_candidates,
                                                                              std::size_t n_resources,
                                                                              const Amount* available,
                                                                              std::uint8_t* mask) {
  mask_body(columns, n_candidates, n_resources, available, mask);
}
__attribute__((target("avx2"))) std::size_t first_avx2(const Amount* columns, std::size_t n_candidates,
                                                       std::size_t n_resources, const Amount* available) {
  return first_body(columns, n_candidates, n_resources, available);
}
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) std::size_t first_avx512(const Amount* columns,
                                                                                      std::size_t n_candidates,
                                                                                      std::size_t n_resources,
                                                                                      const Amount* available) {
  return first_body(columns, n_candidates, n_resources, available);
}
#endif

void mask_baseline(const Amount* columns, std::size_t n_candidates, std::size_t n_resources, const Amount* available,
                   std::uint8_t* mask) {
  mask_body(columns, n_candidates, n_resources, available, mask);
}
std::size_t first_baseline(const Amount* columns, std::size_t n_candidates, std::size_t n_resources,
                           const Amount* available) {
  return first_body(columns, n_candidates, n_resources, available);
}

struct Kernels {
  decltype(&mask_baseline) mask = &mask_baseline;
  decltype(&first_baseline) first = &first_baseline;
};

Kernels choose_kernels() {
#if SCHEDCORE_X86_DISPATCH
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return {&mask_avx512, &first_avx512};
  }
  if (__builtin_cpu_supports("avx2")) return {&mask_avx2, &first_avx2};
#endif
  return {};
}

const Kernels& kernels() {
  static const Kernels chosen = choose_kernels();
  return chosen;
}

// Row-major blocks of the usual widths, with the inner loop unrolled.
template <std::size_t kResources, class Visit>
void for_each_row(const Amount* rows, std::size_t n_candidates, const Amount* available, const Visit& visit) {
  for (std::size_t j = 0; j < n_candidates; ++j) {
    if (visit(j, fits(rows + j * kResources, available, kResources))) return;
  }
}

template <class Visit>
void for_each_row(const Amount* rows, std::size_t n_candidates, std::size_t n_resources, const Amount* available,
                  const Visit& visit) {
  switch (n_resources) {
    case 1: return for_each_row<1>(rows, n_candidates, available, visit);
    case 2: return for_each_row<2>(rows, n_candidates, available, visit);
    case 3: return for_each_row<3>(rows, n_candidates, available, visit);
    case 4: return for_each_row<4>(rows, n_candidates, available, visit);
    default:
      for (std::size_t j = 0; j < n_candidates; ++j) {
        if (visit(j, fits(rows + j * n_resources, available, n_resources))) return;
      }
  }
}

}  // namespace

void fits_many_columns(const Amount* columns, std::size_t n_candidates, std::size_t n_resources, const Amount* available,
                       std::uint8_t* mask) noexcept {
  kernels().mask(columns, n_candidates, n_resources, available, mask);
}

void fits_many_rows(const Amount* rows, std::size_t n_candidates, std::size_t n_resources, const Amount* available,
                    std::uint8_t* mask) noexcept {
  for_each_row(rows, n_candidates, n_resources, available, [mask](std::size_t j, bool room) {
    mask[j] = static_cast<std::uint8_t>(room);
    return false;
  });
}

std::size_t first_fitting_column(const Amount* columns, std::size_t n_candidates, std::size_t n_resources,
                                 const Amount* available) noexcept {
  return kernels().first(columns, n_candidates, n_resources, available);
}

std::size_t first_fitting_row(const Amount* rows, std::size_t n_candidates, std::size_t n_resources,
                              const Amount* available) noexcept {
  std::size_t found = kNoCandidate;
  for_each_row(rows, n_candidates, n_resources, available, [&found](std::size_t j, bool room) {
    if (room) found = j;
    return room;
  });
  return found;
}

}  // namespace schedcore
