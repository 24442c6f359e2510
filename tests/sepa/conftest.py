"""`driver` runs in the environment of SEPA's own Python client, which this one does not have."""

from __future__ import annotations

collect_ignore = ["driver.py"]
