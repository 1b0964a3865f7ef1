"""Two runs side by side."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import history
from flows import run as runs
from flows.environment import artifacts


def show() -> None:
    """Two choices, two columns."""
    st.title("Compare", anchor=False)
    known = {p.name: p for p in reversed(runs.every(artifacts() / "runs"))}
    known = {name: p for name, p in known.items() if (p / runs.RESULT_FILE).exists()}
    if len(known) < 2:
        st.info("Two finished runs are needed.", icon=":material/compare:")
        return
    for place, column in enumerate(st.columns(2)):
        with column:
            name = st.selectbox(
                ("Left", "Right")[place],
                list(known),
                index=place,
                format_func=lambda n: _label(known[n]),
                key=f"compare-{place}",
            )
            history.as_text(known[name])


def _label(folder: Path) -> str:
    row = history.row(folder)
    return f"{row['flow']}: {row['subject'][:60]} ({row['id'][:15]})"


__all__ = ["show"]
