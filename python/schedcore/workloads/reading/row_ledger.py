"""Which rows of a source become jobs, and how much work the others take with them.

Each row is dropped for one reason, the first that applies. Work is demand times processing time, by resource: a reader
that knows it of rows it drops says so in the end, and the ledger tells what share of all work is lost for which reason.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.workloads.reading.needed_choice import ChoiceNeededError
from schedcore.workloads.reading.option_spelling import spelled

__all__ = ["N_EXAMPLES", "RowLedger", "Tally", "WorkColumns", "listed_rows", "tallied", "way_past_bad_rows"]

WorkColumns = FloatArray  # (n_rows, n_resources)
Tally = FloatArray  # (2, n_resources), see `tallied`

N_EXAMPLES = 5


def tallied(work: WorkColumns) -> FloatArray:
    """Return work in a form in which rows add up, although it is not known of all.

    Parameters
    ----------
    work : (n_rows, n_resources) float64
        NaN where it is not known.

    Returns
    -------
    (n_rows, 2, n_resources) float64
        Work, 0 where it is not known; and 1 where neither that of this resource nor of any before it is known, so that
        the last number of a sum over rows says of how many the work in no resource is known. This holds for the first
        few resources, too.
    """
    unknown = np.isnan(work)
    tally: FloatArray = np.stack(
        [np.where(unknown, 0.0, work), np.logical_and.accumulate(unknown, axis=1)], axis=1
    )
    return tally


def listed_rows(n_rows: int, first_places: Iterable[object], line_word: str = "line") -> str:
    """Return ``"6 rows (line 5, 9, 12, 13, 20, ...)"`` for a number of rows, of which some are told."""
    places = list(map(str, first_places))
    more = ["..."] if n_rows > len(places) else []
    return f"{n_rows:,} row{'s' * (n_rows != 1)} ({line_word} {', '.join(places + more)})"


def way_past_bad_rows() -> str:
    """Return the end of a message about bad rows: how to go on without them."""
    return f"{spelled('on_bad_row', 'skip')} leaves such rows out"


class RowLedger:
    """Which rows of a source survive, and the account of those that do not.

    Parameters
    ----------
    n_rows : int
        Rows read; all survive at first.
    places : callable
        Maps row indices (intp array) to the source's own numbers, for the first few rows of each reason.
    more_follow : bool
        Whether these are the rows of one part of the source and not of the last: counts in messages say so.

    Attributes
    ----------
    kept : (n_rows,) bool
        Which rows survive.
    n_read : int
        Rows of the source, with those that are no rows here any more.

    Notes
    -----
    A source that is read part by part has a ledger for each part, and one for the rows that are kept of all parts,
    which carries the account of the parts over. Of a row that is gone only what adds up remains: a few numbers for
    each reason, whatever the number of rows.
    """

    def __init__(
        self,
        n_rows: int,
        places: Callable[[NDArray[np.intp]], IntArray],
        *,
        more_follow: bool = False,
    ) -> None:
        self.kept: BoolArray = np.ones(n_rows, dtype=np.bool_)
        self.n_read = n_rows
        self.dropped: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self.not_modelled: Counter[str] = Counter()
        self.meaning: dict[str, str] = {}
        self.lines: dict[str, tuple[int | str, ...]] = {}
        self.remedy: dict[str, str] = {}
        self._places = places
        self._more_follow = more_follow
        self._loss_reasons: list[str] = []
        self._loss_code: NDArray[np.int8] = np.zeros(
            n_rows, dtype=np.int8
        )  # 1 + index of the reason; 0: no loss
        self._losses_of_gone: dict[str, Tally] = {}
        self._never_seen: Counter[str] = Counter()  # rows that are gone, of which no work is known

    def carry_over(self, part: "RowLedger", work: WorkColumns | None = None) -> None:
        """Take over the account of a part of the source, of whose rows only the kept ones are rows here.

        `work` is that of all rows of the part, as `lost_shares` takes it, in at least as many resources as it will be
        asked for; without it, nothing is known of what the dropped rows had.
        """
        self.n_read += part.n_read - int(np.count_nonzero(part.kept))
        self.dropped.update(part.dropped)
        self.repaired.update(part.repaired)
        self.not_modelled.update(part.not_modelled)
        self.meaning.update(part.meaning)
        self.remedy.update(part.remedy)
        for reason, places in part.lines.items():
            self.lines[reason] = (*self.lines.get(reason, ()), *places)[:N_EXAMPLES]
        self._never_seen.update(part._never_seen)
        if work is None:
            for code, reason in enumerate(part._loss_reasons, start=1):
                self._never_seen[reason] += int(np.count_nonzero(part._loss_code == code))
        for reason, loss in (part._losses_of_gone if work is None else part._losses(work)).items():
            self.lose(reason, loss)

    def leave_out(
        self,
        reason: str,
        meaning: str,
        n_rows: int,
        places: Sequence[int | str],
        *,
        lost: bool = True,
        remedy: str = "",
    ) -> None:
        """Enter rows that were read and dropped before they came here; if their work is lost, nobody knows how much."""
        if not n_rows:
            return
        self.n_read += n_rows
        self.dropped[reason] += n_rows
        self.meaning[reason] = meaning
        self.lines[reason] = (*self.lines.get(reason, ()), *places)[:N_EXAMPLES]
        if lost:
            self._never_seen[reason] += n_rows
        if remedy:
            self.remedy[reason] = remedy

    def lose(self, reason: str, loss: Tally) -> None:
        """Count the work of rows that are gone as lost; they were dropped without that, ``lost=False``."""
        self._losses_of_gone[reason] = self._losses_of_gone.get(reason, 0.0) + loss

    def drop(
        self,
        reason: str,
        meaning: str,
        rows: BoolArray,
        *,
        lost: BoolArray | bool = True,
        remedy: str = "",
    ) -> None:
        """Drop those of `rows` that survived so far.

        `lost` says whether, or of which rows, the work is lost: not where another row has the same work, and not where
        the caller asked for a part of the source. `remedy` tells how to keep the rows.
        """
        dropped = rows & self.kept
        self._count(self.dropped, reason, meaning, dropped)
        self.kept &= ~rows
        if not dropped.any():
            return
        if reason not in self._loss_reasons:
            self._loss_reasons.append(reason)
        self._loss_code[dropped & lost] = 1 + self._loss_reasons.index(reason)
        if remedy:
            self.remedy[reason] = remedy

    def drop_bad(
        self, source: str, reason: str, meaning: str, bad: BoolArray, on_bad_row: str, *, remedy: str = ""
    ) -> None:
        """Drop those `bad` rows that survived so far if `on_bad_row` is "skip", else raise an error that names them."""
        bad = bad & self.kept
        if bad.any() and on_bad_row != "skip":
            raise ChoiceNeededError(
                f"{source}: {self.describe(bad)}: {meaning}; {way_past_bad_rows()}", (("on_bad_row", "skip"),)
            )
        self.drop(reason, meaning, bad, remedy=remedy)

    def repair(self, reason: str, meaning: str, rows: BoolArray) -> None:
        """Count those of `rows` that survived so far as repaired; the caller repairs them."""
        self._count(self.repaired, reason, meaning, rows & self.kept)

    def note(self, reason: str, meaning: str, rows: BoolArray) -> None:
        """Count those of `rows` that survived so far as having something that an instance cannot express."""
        self._count(self.not_modelled, reason, meaning, rows & self.kept)

    def lost_shares(
        self, work: WorkColumns, clipped: Mapping[str, WorkColumns] | None = None
    ) -> tuple[dict[str, FloatArray], Counter[str]]:
        """Return reason -> share of all work lost for it, where there is any, and how many rows had unknown work.

        Parameters
        ----------
        work : (n_rows, n_resources) float64
            Of kept rows what their jobs have, of dropped rows the same; NaN where it is not known.
        clipped : mapping of str
            Repair word -> work that rows had beyond what their jobs have; counts where the row survived.

        Returns
        -------
        shares : dict
            Reason -> (n_resources,) float64.
        unknown : Counter
            Reason -> rows of which the work in no resource is known.
        """
        losses = self._losses(work)
        lost = {reason: known for reason, (known, _) in losses.items()}
        unknown = Counter({reason: int(missing[-1]) for reason, (_, missing) in losses.items()})
        unknown.update(self._never_seen)
        for reason, excess in (clipped or {}).items():
            lost[reason] = excess[self.kept].sum(axis=0)
        total = work[self.kept].sum(axis=0) + sum(lost.values())
        shares = {
            reason: np.divide(amount, total, out=np.zeros_like(amount), where=total > 0)
            for reason, amount in lost.items()
        }
        return {reason: share for reason, share in shares.items() if (share > 0).any()}, +unknown

    def _losses(self, work: WorkColumns) -> dict[str, Tally]:
        """Return reason -> the sum of what was lost for it, of rows that are here and of those that are gone."""
        n_resources = work.shape[1]
        losses = {reason: loss[:, :n_resources] for reason, loss in self._losses_of_gone.items()}
        for code, reason in enumerate(self._loss_reasons, start=1):
            losses[reason] = losses.get(reason, 0.0) + tallied(work[self._loss_code == code]).sum(axis=0)
        return losses

    def refuse_empty(self, source: str) -> None:
        """Raise an `InvalidInstanceError` with the counts of the reasons if no row is left."""
        if not self.kept.any():
            reasons = ", ".join(f"{reason} {count}" for reason, count in self.dropped.items())
            remedies = "".join(f"; {self.remedy[reason]}" for reason in self.dropped if reason in self.remedy)
            raise InvalidInstanceError(f"{source}: no job is left ({reasons or 'it has no rows'}){remedies}")

    def describe(self, rows: BoolArray, line_word: str = "line") -> str:
        """Return ``"3 rows (line 5, 9, 12)"`` for an error message."""
        at_least = "at least " if self._more_follow else ""
        return at_least + listed_rows(int(np.count_nonzero(rows)), self.first_places(rows), line_word)

    def first_places(self, rows: BoolArray) -> tuple[int | str, ...]:
        """Return the source's own numbers of the first few `rows`."""
        return tuple(self._places(np.flatnonzero(rows)[:N_EXAMPLES]).tolist())

    def _count(self, account: Counter[str], reason: str, meaning: str, rows: BoolArray) -> None:
        count = int(np.count_nonzero(rows))
        if count:
            account[reason] += count
            self.meaning[reason] = meaning
            self.lines.setdefault(reason, self.first_places(rows))
