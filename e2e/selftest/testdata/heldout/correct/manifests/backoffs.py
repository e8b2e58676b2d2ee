"""How long it is until the next try."""
import itertools

LONGEST = 10  # seconds between two tries


class Backoffs:
    """From 0.1 s on, twice as long each time, LONGEST at most, without end."""

    def __iter__(self):
        return (min(LONGEST, 0.1 * 2**n) for n in itertools.count())
