"""What is known of a Memcached's children."""


class Known:
    """The children of one Memcached that an index has, less those that the API server was found not to have any more.

    An index never learns of what was deleted between the end of a watch and the next list (nolar/kopf#870). It has
    pairs of UID and child.
    """

    def __init__(self, index, key):
        self.index, self.key, self.gone = index, key, set()

    def __iter__(self):
        return (child for uid, child in self.index.get(self.key, ()) if uid not in self.gone)

    def uids(self):
        return {uid for uid, _ in self.index.get(self.key, ())}


async def check(known, existing):
    """Drops from what is known all whose UID is not among the existing ones, which are awaited."""
    before = [one.uids() for one in known]  # what comes meanwhile is not gone
    there = await existing
    for one, uids in zip(known, before):
        one.gone = (one.gone | uids - there) & one.uids()
