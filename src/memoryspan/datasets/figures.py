"""Figures: a PNG for people and MLflow, an SVG beside it for the report."""

import base64
from pathlib import Path
from typing import TYPE_CHECKING

from kedro_datasets._typing import ImagePreview

from memoryspan.atomic import replaced
from memoryspan.datasets.atomic import AtomicFileDataset

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class FigureDataset(AtomicFileDataset["Figure", str]):
    """Saves a matplotlib figure as PNG (the file named) and SVG (beside it); loads the SVG text."""

    def write(self, path: Path, data: "Figure") -> None:
        """Write the SVG first: the PNG, renamed by the caller, marks both as complete."""
        from memoryspan.reporting.figure_style import svg_text

        with replaced(self._filepath.with_suffix(".svg")) as svg:
            svg.write_text(svg_text(data), encoding="utf-8")
        data.savefig(path, format="png", dpi=120)

    def read(self, path: Path) -> str:
        """The SVG text."""
        return path.with_suffix(".svg").read_text(encoding="utf-8")

    def preview(self) -> ImagePreview:
        """The PNG, base64, for kedro-viz."""
        return ImagePreview(base64.b64encode(self._filepath.read_bytes()).decode("ascii"))
