"""The use cases, in three parts. No HTTP in here, and no queue but as a trigger."""

from __future__ import annotations

from .acting import Acting
from .catalogue import Catalogue
from .jobs import Jobs
from .matches import Matches
from .metrics import Meter
from .reading import Reader
from .seating import Seating
from .settings import Settings
from .sources import Clock, Ids
from .store import Store
from .wake import Hub
from .webhooks import Webhooks


class Service:
    """The use cases over one store."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        jobs: Jobs,
        hub: Hub,
        catalogue: Catalogue,
        clock: Clock,
        ids: Ids,
        meter: Meter,
        webhooks: Webhooks,
    ) -> None:
        self.store = store
        self.jobs = jobs
        self.hub = hub
        self.catalogue = catalogue
        self.meter = meter
        self.webhooks = webhooks
        self.matches = Matches(settings, store, jobs, catalogue, clock, ids, meter)
        self.seating = Seating(self.matches, store, catalogue, clock, ids, meter)
        self.reader = Reader(self.matches, store, hub, catalogue, clock, ids)
        self.acting = Acting(self.matches, store, jobs, clock, ids, meter)

    @property
    def settings(self) -> Settings:
        """What the deployment chose."""
        return self.matches.settings
