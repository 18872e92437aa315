# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Vector fit and knapsack for compiled code: cimport the C functions, or call the wrappers on contiguous arrays.

The wrappers check what they are given and never copy; `schedcore.knapsack` is the one for everyday use.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t

import operator

import numpy as np

from schedcore.errors import InvalidInstanceError, UnsupportedError


cdef extern from "schedcore/index/fit.hpp" namespace "schedcore" nogil:
    bint cpp_fits "schedcore::fits"(const int64_t*, const int64_t*, size_t) noexcept
    void cpp_fits_many_rows "schedcore::fits_many_rows"(const int64_t*, size_t, size_t, const int64_t*, uint8_t*) noexcept
    size_t cpp_first_fitting_row "schedcore::first_fitting_row"(const int64_t*, size_t, size_t, const int64_t*) noexcept
    const size_t no_candidate "schedcore::kNoCandidate"


cdef extern from "packing/knapsack_call.hpp" namespace "schedcore::python" nogil:
    int64_t knapsack_call(const int64_t*, const int64_t*, size_t, int64_t, int, int64_t, int64_t, uint64_t,
                          int64_t*) noexcept


cdef bint fits(const int64_t* demand, const int64_t* available, size_t n_resources) noexcept nogil:
    return cpp_fits(demand, available, n_resources)


cdef void fits_many(const int64_t* rows, size_t n_candidates, size_t n_resources, const int64_t* available,
                    uint8_t* mask) noexcept nogil:
    cpp_fits_many_rows(rows, n_candidates, n_resources, available, mask)


cdef int64_t first_fitting(const int64_t* rows, size_t n_candidates, size_t n_resources,
                           const int64_t* available) noexcept nogil:
    cdef size_t candidate = cpp_first_fitting_row(rows, n_candidates, n_resources, available)
    return -1 if candidate == no_candidate else <int64_t>candidate


cdef int64_t knapsack(const int64_t* weight, const int64_t* size, size_t n_items, int64_t capacity, int method,
                      int64_t epsilon_numerator, int64_t epsilon_denominator, uint64_t memory_limit,
                      int64_t* chosen) noexcept nogil:
    return knapsack_call(weight, size, n_items, capacity, method, epsilon_numerator, epsilon_denominator, memory_limit,
                         chosen)


cdef const int64_t* data_of(const int64_t[::1] values) noexcept nogil:
    return &values[0] if values.shape[0] > 0 else NULL


def vector_fits(const int64_t[::1] demand, const int64_t[::1] available):
    """Whether ``demand <= available`` in every resource."""
    check_lengths("demand", demand.shape[0], "available", available.shape[0])
    return bool(fits(data_of(demand), data_of(available), <size_t>demand.shape[0]))


def vector_fits_many(const int64_t[:, ::1] demand, const int64_t[::1] available):
    """Return a boolean mask over the rows of `demand`: which of them fit into `available`."""
    check_lengths("demand", demand.shape[1], "available", available.shape[0])
    result = np.ones(demand.shape[0], dtype=np.bool_)
    cdef uint8_t[::1] mask = result.view(np.uint8)
    if demand.shape[0] > 0 and demand.shape[1] > 0:
        with nogil:
            fits_many(&demand[0, 0], <size_t>demand.shape[0], <size_t>demand.shape[1], &available[0], &mask[0])
    return result


def vector_first_fitting(const int64_t[:, ::1] demand, const int64_t[::1] available):
    """Return the lowest row of `demand` that fits into `available`, or -1."""
    check_lengths("demand", demand.shape[1], "available", available.shape[0])
    if demand.shape[0] == 0:
        return -1
    if demand.shape[1] == 0:
        return 0
    cdef int64_t row
    with nogil:
        row = first_fitting(&demand[0, 0], <size_t>demand.shape[0], <size_t>demand.shape[1], &available[0])
    return row


def knapsack_items(const int64_t[::1] weight, const int64_t[::1] size, capacity,
                   method=KnapsackMethod.EXACT, epsilon=(1, 10), memory_limit=1 << 30):
    """Return the ascending indices of the chosen items; `epsilon` is a pair of integers, read by CADP alone.

    Requires weight > 0, size >= 0, capacity >= 0 and 0 < epsilon < 1.
    """
    check_lengths("weight", weight.shape[0], "size", size.shape[0])
    numerator, denominator = epsilon
    numerator = checked_integer("epsilon", numerator, 1, 2**63 - 2)
    denominator = checked_integer("epsilon", denominator, numerator + 1, 2**63 - 1)
    cdef int64_t room = checked_integer("capacity", capacity, 0, 2**63 - 1)
    cdef uint64_t limit = checked_integer("memory_limit", memory_limit, 0, 2**64 - 1)
    cdef int64_t epsilon_numerator = numerator
    cdef int64_t epsilon_denominator = denominator
    cdef int how = checked_integer("method", method, 0, 4)
    cdef Py_ssize_t item
    for item in range(weight.shape[0]):
        if weight[item] <= 0 or size[item] < 0:
            raise InvalidInstanceError(f"item {item} has weight {weight[item]} and size {size[item]}; the weight must be "
                                       "above 0, the size at least 0")
    cdef int64_t count
    cdef size_t n_items = <size_t>weight.shape[0]
    result = np.empty(weight.shape[0], dtype=np.int64)
    cdef int64_t[::1] chosen = result
    if n_items == 0:
        return result
    with nogil:
        count = knapsack(&weight[0], &size[0], n_items, room, how, epsilon_numerator, epsilon_denominator, limit,
                         &chosen[0])
    if count == -1:
        raise UnsupportedError(f"knapsack of {n_items} items exceeds memory_limit = {memory_limit} bytes")
    if count < 0:
        raise MemoryError
    return result[:count]


cdef object checked_integer(str name, value, low, high):
    number = operator.index(value)
    if not low <= number <= high:
        raise InvalidInstanceError(f"{name} = {number} must lie between {low} and {high}")
    return number


cdef int check_lengths(str one, Py_ssize_t length, str other, Py_ssize_t other_length) except -1:
    if length != other_length:
        raise InvalidInstanceError(f"{one} has {length} entries in its last dimension, {other} has {other_length}")
    return 0
