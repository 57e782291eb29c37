from typing import Any

import numpy as np
import pytest

from assay.core.errors import EvidenceError
from assay.evidence.blocks import as_blocks
from assay.hypotheses.many_models import friedman


class TestAsBlocks:
    def test_frames_and_mappings(self) -> None:
        import pandas as pd
        import polars as pl

        columns: dict[str, Any] = {"A": [0.1, 0.5, 0.3], "B": [0.2, 0.6, 0.1], "C": [0.9, 0.4, 0.2]}
        expected = friedman(columns)
        named = {"dataset": ["x", "y", "z"], **columns}
        assert friedman(pd.DataFrame(named)) == expected
        assert friedman(pl.DataFrame(named)) == expected
        assert friedman(pl.LazyFrame(named)) == expected
        assert friedman(np.column_stack(list(columns.values()))).p_value == expected.p_value
        with pytest.raises(EvidenceError, match=r"1 missing.*y of A"):
            friedman(pd.DataFrame({**named, "A": [0.1, None, 0.3]}))
        folds = {**named, "fold": ["p", "q", "r"]}  # known for what they are, and averaged over
        assert friedman(pd.DataFrame(folds)).p_value == expected.p_value
        with pytest.raises(EvidenceError, match=r"set, remark are not numbers.*pivot"):
            as_blocks(pd.DataFrame({"set": ["x", "y"], "remark": ["p", "q"], "A": [1, 2]}))

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="A has 2, B has 3"):
            friedman({"A": [1, 2], "B": [1, 2, 3]})
        with pytest.raises(EvidenceError, match="table of numbers"):
            friedman([1, 2, 3])
        with pytest.raises(EvidenceError, match="at least one block and 2 models; got 3 x 1"):
            friedman([[1], [2], [3]])

    def test_names_are_kept(self) -> None:
        import pandas as pd

        table = as_blocks(pd.DataFrame({"set": ["x", "y"], "A": [1, 2], "B": [2.5, 1]}))
        assert table.models == ("A", "B")
        assert table.names == ("x", "y")
        assert table.values.tolist() == [[1.0, 2.5], [2.0, 1.0]]
        assert as_blocks(table) is table
        assert as_blocks([[1, 2, 3]]).models == ("model 1", "model 2", "model 3")

    def test_missing_cells_where_allowed(self) -> None:
        table = as_blocks([[1, None], [2, 3]], missing=True)
        assert np.isnan(table.values[0, 1])
        with pytest.raises(EvidenceError, match="1 missing or infinite"):
            as_blocks([[1, np.inf], [2, 3]], missing=True)
