"""Rows on a cluster: a Spark data frame that is asked in SQL, where the data are.

Labels are counted on the cluster and only the distinct rows come back; what needs every row
(scores, losses) is brought to the driver once, in one piece, because such a frame promises no order
between two runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from assay.core.arrays import FloatArray, IntArray
from assay.core.errors import EvidenceError
from assay.evidence.rows import Key
from assay.evidence.rows_memory import Array, MemoryRows
from assay.evidence.rows_sql import Dialect, Fetched, SqlRows, columns_of_types

MAX_BROUGHT = 500_000_000
"""Cells that are brought from the cluster to the driver."""

SPARK = Dialect(
    wide="decimal(38, 0)",
    number="if(rtrim({0}) rlike '[dDfF]$', null, try_cast({0} as double))",  # 1d is one
    finite="(abs({0}) < cast('infinity' as double))",  # NaN is above infinity
    whole="{0} = rint({0})",
    hashed="xxhash64({0})",
    row="struct",
    values="if(count(*) > count({0}), array_append(collect_set({0}), null), collect_set({0}))",
    records="count(distinct {0})",
    kept="",
    before="({items} over (partition by {leaf} order by {score}) "
    "- {items} over (partition by {leaf}, {score}))",
    quotes=(("\\", "\\\\"), ("'", "\\'"), ("{", "{{"), ("}", "}}")),
)


@dataclass(frozen=True, slots=True)
class ClusterQueries:
    """Runs SQL on a cluster; data frames stand in it as ``{name}``."""

    frames: Mapping[str, Any]

    def frame(self, sql: str) -> Any:
        """The answer as a data frame of the same session, which has not run yet."""
        return next(iter(self.frames.values())).sparkSession.sql(sql, **self.frames)

    def __call__(self, sql: str) -> Fetched:
        import narwhals as nw

        found = nw.from_native(self.frame(sql)).collect()
        return Fetched(found.rows, lambda: _arrays(found))


def _arrays(frame: Any) -> dict[str, Array]:
    """The columns of a frame in memory; whole numbers with gaps would become fractions."""
    from assay.evidence.readers.objects import as_array

    found = {}
    for name in frame.columns:
        column = frame[name]
        gaps = column.null_count() and not column.dtype.is_float()
        found[name] = as_array(column.to_list() if gaps else column, name)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class ClusterRows(SqlRows):
    """The rows of a data frame on a cluster."""

    dialect: ClassVar[Dialect] = SPARK
    brought: list[MemoryRows] = field(default_factory=list, init=False, repr=False)
    """Every row, where one had to be seen; other columns or rows are brought anew."""

    @classmethod
    def of(cls, frame: Any, title: str) -> Self:
        """A frame of Spark; its columns are named anew, since a dot in a name would mean a field."""
        own = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
        columns = columns_of_types(title, frame.columns, own.dtypes)
        return cls(ClusterQueries({"rows": own}), "{rows}", columns, (title,))

    def coded(self, keys: Sequence[Key]) -> list[tuple[IntArray, tuple[Any, ...]]]:
        return self._here().coded(keys)

    def numbers(self, names: Sequence[str]) -> list[FloatArray]:
        return self._here().numbers(names)

    def place(self, name: str, wrong: Callable[[Any], bool]) -> tuple[str, Any]:
        values = (value for (value,) in self.ask(f"distinct {self.raw(name)}"))
        return "a row", next((value for value in values if wrong(value)), None)

    def _proved(self, names: Sequence[str]) -> tuple[int, int] | None:  # noqa: ARG002
        return None

    def _here(self) -> MemoryRows:
        """Every row on the driver, fetched once."""
        if not self.brought:
            cells = self.size() * len(self.columns)
            if cells > MAX_BROUGHT:
                raise EvidenceError(
                    f"{', '.join(self.sources)} has {cells:,} cells, and this measure needs every row "
                    f"on the driver, which takes up to {MAX_BROUGHT:,}. Label measures are counted on "
                    "the cluster; for scores, select the columns in use or a sample of the rows first"
                )
            arrays = self._fetch(list(map(self.raw, self.columns)))
            origins = {name: column.origin for name, column in self.columns.items()}
            named = dict(zip(self.columns, arrays, strict=True))
            self.brought.append(MemoryRows(named, self.sources, origins))
        return self.brought[0]
