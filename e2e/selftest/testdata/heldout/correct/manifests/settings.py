"""What this operator sets otherwise than Kopf does by itself."""
import logging

import kopf

from backoffs import LONGEST, Backoffs
from plan import MANAGED_BY, MANAGER


@kopf.on.startup()
async def configure(settings, **_):
    settings.peering.standalone = True
    settings.watching.server_timeout = 600  # as in Kopf's documentation; inactivity_timeout, 70 s, is its default
    settings.watching.connect_timeout = 60
    for children in ("deployments.apps", "pods"):
        settings.watching.label_selectors[children] = f"{MANAGED_BY}={MANAGER}"
    settings.networking.request_timeout = 30  # Kopf waits for 5 minutes
    settings.networking.error_backoffs = Backoffs()
    settings.queueing.error_delays = Backoffs()
    settings.execution.default_backoff = LONGEST
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)  # else a line for each event of each pod
