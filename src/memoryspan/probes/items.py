"""From item tables to totals per cluster: what every summary of a probe starts from."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memoryspan.language_model import Floats


@dataclass(frozen=True)
class ClusterTotals:
    """Totals of K distances in C clusters.

    Attributes:
        distances: int64 [K], ascending.
        totals: float64 [C, K].
        counts: int64 [C], items per cluster (the same items at every distance).
    """

    distances: NDArray[np.int64]
    totals: Floats
    counts: NDArray[np.int64]


def cluster_totals(items: pd.DataFrame, values: "pd.Series[float]") -> ClusterTotals:
    """Sum values by cluster and distance.

    Args:
        items: an item table of *one* model and condition, with the columns item, cluster and
            distance; every item has every distance once.
        values: one per row.

    Raises:
        ValueError: an item lacks a distance or has one twice.
    """
    keys = [items["cluster"].to_numpy(), items["distance"].to_numpy(dtype=np.int64)]
    grouped = values.groupby(keys)
    sizes = grouped.size().unstack(fill_value=0)
    if (
        not (sizes.to_numpy() == sizes.to_numpy()[:, :1]).all()
        or items.duplicated(["item", "distance"]).any()
    ):
        raise ValueError("every item must have every distance exactly once")
    return ClusterTotals(
        sizes.columns.to_numpy(dtype=np.int64),
        grouped.sum().unstack().to_numpy(dtype=np.float64),
        sizes.iloc[:, 0].to_numpy(dtype=np.int64),
    )
