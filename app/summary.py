"""What the reader agreed and disagreed with (S0 section 4.1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from app import frame
from flows import debate_html as html
from flows.debate_events import Scene
from flows.debate_files import vote, votes
from signatures.types import Persona

HEADS = (("up", "👍 Agreed"), ("down", "👎 Disagreed"))


def show(
    folder: Path, now: Scene, people: Mapping[str, Persona], shades: Mapping[str, str]
) -> None:
    """Two columns of turns, each removable."""
    cast = votes(folder)
    if not cast:
        st.info(
            "Press 👍 or 👎 under a turn, and it is listed here.", icon=":material/how_to_vote:"
        )
    for column, (value, head) in zip(st.columns(2), HEADS, strict=True):
        with column:
            st.subheader(head, anchor=False)
            for name, turn in now.turns.items():
                if cast.get(name) != value or turn.content is None:
                    continue
                who = people[turn.speaker]
                frame.html(
                    html.turn(turn.content, who, shades[turn.speaker], None, frame.local(folder))
                )
                if st.button("Remove", key=f"remove-{folder.name}-{name}", icon=":material/close:"):
                    vote(folder, name, None)
                    st.rerun(scope="fragment")


__all__ = ["show"]
