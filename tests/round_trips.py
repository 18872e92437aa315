"""What survives being written and read: pickles, Arrow tables, and the frames of pandas and Polars."""

import pickle

from schedcore.model.arrow import Columnar


def check_round_trips(record: Columnar) -> None:
    """Fail unless every copy equals the record, content hash included."""
    kind = type(record)
    copies = [
        pickle.loads(pickle.dumps(record, 2)),
        pickle.loads(pickle.dumps(record)),
        *(kind.from_arrow(table) for table in (record.to_arrow(), record.to_pandas(), record.to_polars())),
    ]
    for restored in copies:
        assert restored == record
        assert restored.content_hash() == record.content_hash()
