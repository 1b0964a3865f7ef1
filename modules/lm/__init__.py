"""Language models: backends, engines without weights, counting, budgets, repair."""

from __future__ import annotations
