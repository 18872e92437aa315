# Kernels for Cython code of others: `from schedcore.kernels cimport fits, knapsack`.
#
# Every function runs without the GIL, raises nothing and checks nothing: the C++ headers beside this package
# (schedcore.get_include(), "schedcore/index/fit.hpp" and "schedcore/packing/knapsack.hpp") state what each requires,
# promises and costs.
from libc.stdint cimport int64_t, uint8_t, uint64_t

# Values of `method` below.
cpdef enum KnapsackMethod:
    EXACT = 0
    CADP = 1
    GREEDY = 2
    GREEDY_UNION = 3
    GREEDY_PREFIX = 4

# Whether demand[l] <= available[l] for every resource l.
cdef bint fits(const int64_t* demand, const int64_t* available, size_t n_resources) noexcept nogil

# mask[j] = 1 where candidate j fits, otherwise 0; `rows` is (n_candidates, n_resources), row-major.
cdef void fits_many(const int64_t* rows, size_t n_candidates, size_t n_resources, const int64_t* available,
                    uint8_t* mask) noexcept nogil

# The lowest candidate that fits, or -1.
cdef int64_t first_fitting(const int64_t* rows, size_t n_candidates, size_t n_resources,
                           const int64_t* available) noexcept nogil

# Writes the ascending indices of the chosen items to `chosen` (room for n_items) and returns their number; -1 if the
# dynamic program would exceed memory_limit, -2 if memory ran out.
cdef int64_t knapsack(const int64_t* weight, const int64_t* size, size_t n_items, int64_t capacity, int method,
                      int64_t epsilon_numerator, int64_t epsilon_denominator, uint64_t memory_limit,
                      int64_t* chosen) noexcept nogil
