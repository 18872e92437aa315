"""The vector-fit kernels equal one comparison at a time, in both layouts and for every block remainder."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reference import vector_fit as reference
from schedcore._core.index import first_fitting, first_fitting_column, fits_many, fits_many_columns
from schedcore.errors import InvalidInstanceError

N_CANDIDATES = st.one_of(st.integers(0, 20), st.sampled_from([63, 64, 65, 127, 128, 200]))
N_RESOURCES = st.one_of(st.integers(1, 6), st.sampled_from([20, 32, 33]))
AMOUNTS = st.one_of(st.integers(-2, 3), st.sampled_from([-(2**63), 2**63 - 1, 2**53, 2**53 - 1]))


@given(st.data(), N_CANDIDATES, N_RESOURCES)
def test_many_candidates_equal_one_comparison_at_a_time(
    data: st.DataObject, n_candidates: int, n_resources: int
) -> None:
    fill = st.integers(-2, 2)
    demand = data.draw(hnp.arrays(np.int64, (n_candidates, n_resources), elements=AMOUNTS, fill=fill))
    available = data.draw(hnp.arrays(np.int64, n_resources, elements=AMOUNTS, fill=fill))
    columns = np.ascontiguousarray(demand.T)
    rows, free = demand.tolist(), available.tolist()
    assert fits_many(demand, available).tolist() == reference.fits_many(rows, free)
    assert fits_many_columns(columns, available).tolist() == reference.fits_many(rows, free)
    assert first_fitting(demand, available) == reference.first_fitting(rows, free)
    assert first_fitting_column(columns, available) == reference.first_fitting(rows, free)


def test_a_wrong_shape_is_named() -> None:
    with pytest.raises(InvalidInstanceError, match=r"available must have shape \(2,\)"):
        fits_many([[1, 2]], [1])
    with pytest.raises(InvalidInstanceError, match="demand must have two dimensions"):
        first_fitting_column([1, 2], [1])
