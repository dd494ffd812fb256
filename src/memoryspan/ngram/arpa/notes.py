"""What is odd in a file and was accepted nevertheless."""

import numpy as np


class Notes:
    """Remarks in the order in which they first came up, with how often they did."""

    def __init__(self) -> None:
        self._times: dict[str, int | None] = {}

    def add(self, remark: str) -> None:
        """Something about the file as a whole."""
        self._times[remark] = None

    def count(self, remark: str, times: int | np.integer) -> None:
        """Something that was seen a number of times (perhaps zero) in a part of the file."""
        if times:
            self._times[remark] = (self._times.get(remark) or 0) + int(times)

    def lines(self) -> tuple[str, ...]:
        """One line for each remark."""
        return tuple(
            remark if times is None else f"{remark}: {times}"
            for remark, times in self._times.items()
        )
