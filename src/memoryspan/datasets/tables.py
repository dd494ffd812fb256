"""Tables, JSON and text: what people open by hand."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from kedro_datasets._typing import JSONPreview, TablePreview

from memoryspan.datasets.atomic import AtomicFileDataset

PREVIEW_ROWS = 40


class TableDataset(AtomicFileDataset[pd.DataFrame, pd.DataFrame]):
    """A table as ``.csv`` or ``.parquet``, by its suffix.

    In CSV only empty fields are missing values: the words ``nan``, ``null`` and ``None`` of a
    text stay words.

    Args:
        filepath: as in ``AtomicFileDataset``.
        columns: those that a table must have to be one of this kind; checked when it is read.
        metadata: as in ``AtomicFileDataset``.
    """

    def __init__(
        self,
        *,
        filepath: str,
        columns: Sequence[str] = (),
        metadata: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(filepath=filepath, metadata=metadata)
        self._columns = tuple(columns)

    def write(self, path: Path, data: pd.DataFrame) -> None:
        """Write without the index."""
        if path.suffix == ".parquet":
            data.to_parquet(path, index=False)
        else:
            data.to_csv(path, index=False)

    def read(self, path: Path) -> pd.DataFrame:
        """Read the whole table.

        Raises:
            ValueError: if columns are missing or there is no row.
        """
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = pd.read_csv(path, keep_default_na=False, na_values=[""])
        missing = [column for column in self._columns if column not in table]
        if missing or (self._columns and table.empty):
            raise ValueError(f"no column {', '.join(missing)}" if missing else "no rows")
        return table

    def preview(self) -> TablePreview:
        """The first rows, for kedro-viz."""
        rows = self._first_rows().head(PREVIEW_ROWS)
        texts = {
            column: rows[column].str.slice(0, 200)
            for column in rows.columns
            if rows[column].dtype == "str"
        }
        return TablePreview(json.loads(rows.assign(**texts).to_json(orient="split")))

    def _first_rows(self) -> pd.DataFrame:
        if self._filepath.suffix != ".parquet":
            return pd.read_csv(
                self._filepath, keep_default_na=False, na_values=[""], nrows=PREVIEW_ROWS
            )
        import pyarrow.parquet as pq

        batches = pq.ParquetFile(self._filepath).iter_batches(batch_size=PREVIEW_ROWS)
        first = next(batches, None)
        return pd.DataFrame() if first is None else first.to_pandas()


class JsonDataset(AtomicFileDataset[Any, Any]):
    """Anything JSON can say."""

    def write(self, path: Path, data: Any) -> None:
        """Write indented UTF-8."""
        path.write_text(json.dumps(data, ensure_ascii=False, indent=2), encoding="utf-8")

    def read(self, path: Path) -> Any:
        """Read it back."""
        return json.loads(path.read_text(encoding="utf-8"))

    def preview(self) -> JSONPreview:
        """The whole value, for kedro-viz."""
        return JSONPreview(json.dumps(self.load(), ensure_ascii=False))


class TextDataset(AtomicFileDataset[str, str]):
    """A text file in UTF-8 (the report page)."""

    def write(self, path: Path, data: str) -> None:
        """Write with the line ends as they are."""
        path.write_bytes(data.encode("utf-8"))

    def read(self, path: Path) -> str:
        """Read it back."""
        return path.read_bytes().decode("utf-8")
