"""The persona sidebar: who sits at the table, in the order of their turns."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import streamlit as st

from app import frame, jobs, session
from flows.debate_events import Scene
from flows.debate_html import SIGNS, colour
from flows.debate_result import STANCES
from signatures.errors import MootError
from signatures.table import PersonaInput

MOST = 12


def show(folder: Path, now: Scene) -> None:
    """The seats, and the buttons that go on with the debate."""
    st.subheader("Personas", anchor=False)
    busy = jobs.running(folder)
    seated = session.seats(folder)
    if not busy:
        seated = _as_typed(folder, seated)
    if not seated:
        st.caption("They are being created …" if busy else "There are none yet.")
    for place in range(len(seated)):
        _seat(folder, seated, place, busy)
    if seated:
        _balance(seated)
        _add(folder, seated, now, busy)
    _go_on(folder, seated, now, busy)
    if st.button("New debate", icon=":material/home:", width="stretch"):
        st.query_params.clear()
        st.rerun()


def _seat(folder: Path, seated: list[PersonaInput], place: int, busy: bool) -> None:
    persona = seated[place]
    key = f"{folder.name}-{persona.id}"
    with st.container(key=f"seat-{persona.id}"):
        st.html(f"<style>.st-key-seat-{persona.id}{{--shade:{colour(persona.id or '')}}}</style>")
        label = f"{persona.emoji} {frame.plain(persona.title)} · {SIGNS[persona.stance]}"
        with st.expander(label, key=f"open-{key}"):
            _fields(persona, key, busy)
            with st.container(horizontal=True, gap="small"):
                _moves(folder, seated, place, busy)


def _moves(folder: Path, seated: list[PersonaInput], place: int, busy: bool) -> None:
    """The buttons that move a persona, or take it off the table."""
    persona, last = seated[place], len(seated) - 1
    key = f"{folder.name}-{persona.id}"
    if st.button(
        "Earlier", icon=":material/arrow_upward:", key=f"up-{key}", help="Speak earlier",
        disabled=busy or place == 0,
    ):  # fmt: skip
        _swap(folder, seated, place, place - 1)
    if st.button(
        "Later", icon=":material/arrow_downward:", key=f"down-{key}", help="Speak later",
        disabled=busy or place == last,
    ):  # fmt: skip
        _swap(folder, seated, place, place + 1)
    if st.button(
        "Delete", icon=":material/delete:", key=f"gone-{key}",
        help=f"Delete {frame.plain(persona.title)}", disabled=busy or last < 2,
    ):  # fmt: skip
        session.arrange(folder, [*seated[:place], *seated[place + 1 :]])
        st.rerun()


def _as_typed(folder: Path, seated: list[PersonaInput]) -> list[PersonaInput]:
    """The seats as their fields say now.

    They are read before anything is drawn: whoever leaves a field by pressing a button does both
    at once, and a rerun in between would lose the button.
    """
    typed = [_typed(p, f"{folder.name}-{p.id}") for p in seated]
    if typed != seated:
        session.arrange(folder, typed)
    return typed


def _typed(persona: PersonaInput, key: str) -> PersonaInput:
    """The persona as its fields say; an empty title or emoji keeps the old one."""
    names = ("title", "description", "claim", "emoji", "stance")
    said = {n: str(st.session_state.get(f"{n}-{key}", getattr(persona, n))).strip() for n in names}
    said["title"] = said["title"] or persona.title
    said["emoji"] = said["emoji"] or persona.emoji
    return persona.model_copy(update=said)


def _fields(persona: PersonaInput, key: str, busy: bool) -> None:
    st.text_input("Title", persona.title, key=f"title-{key}", max_chars=120, disabled=busy)
    st.text_area(
        "Background",
        persona.description,
        key=f"description-{key}",
        max_chars=1000,
        disabled=busy,
    )
    st.text_area(
        "Claim", persona.claim, key=f"claim-{key}", max_chars=500, disabled=busy, height=80
    )
    st.selectbox(
        "Stance",
        STANCES,
        STANCES.index(persona.stance),
        key=f"stance-{key}",
        format_func=lambda s: SIGNS[s],
        disabled=busy,
    )
    st.text_input("Emoji", persona.emoji, key=f"emoji-{key}", max_chars=16, disabled=busy)


def _swap(folder: Path, seated: list[PersonaInput], one: int, other: int) -> None:
    order = list(seated)
    order[one], order[other] = order[other], order[one]
    session.arrange(folder, order)
    st.rerun()


def _balance(seated: list[PersonaInput]) -> None:
    counts = {s: sum(p.stance == s for p in seated) for s in SIGNS}
    st.caption(" · ".join(f"{SIGNS[s]} {n}" for s, n in counts.items()))
    if not counts["for"] or not counts["against"]:
        st.warning("One side has no voice at this table.", icon=":material/balance:")


def _add(folder: Path, seated: list[PersonaInput], now: Scene, busy: bool) -> None:
    full = busy or len(seated) >= MOST
    if st.button(
        "Add a generated persona", icon=":material/auto_awesome:", disabled=full, width="stretch"
    ):
        _begin(folder, len(now.rounds()), more=1)
    if st.button("Add my own persona", icon=":material/edit:", disabled=full, width="stretch"):
        fresh = PersonaInput(
            id=session.next_id(folder, seated), title="Custom title", emoji="🙂",
            description="Custom background",
        )  # fmt: skip
        session.arrange(folder, [*seated, fresh])
        st.rerun()


def _go_on(folder: Path, seated: list[PersonaInput], now: Scene, busy: bool) -> None:
    held = len(now.rounds())
    if busy:
        st.button("Debating …", disabled=True, width="stretch")
    elif not jobs.finished(folder):
        resume(folder, "Resume", "stretch")
    elif len(seated) >= 2:
        start(folder, held, "stretch")


def resume(folder: Path, label: str, width: Literal["stretch", "content"] = "content") -> None:
    """The button that goes on where the debate stood."""
    key = f"resume-{folder.name}-{width}"
    if st.button(label, type="primary", icon=":material/play_arrow:", key=key, width=width):
        try:
            session.resume(folder)
        except MootError as error:
            frame.fault(error)
        else:
            st.rerun()


def start(folder: Path, held: int, width: Literal["stretch", "content"] = "content") -> None:
    """The button that begins the next round; it stands at the seats and where one has read on."""
    label = "Start next round" if held else "Start debate"
    if st.button(
        label, type="primary", icon=":material/play_arrow:", width=width,
        key=f"start-{folder.name}-{width}",
    ):  # fmt: skip
        _begin(folder, held + 1)


def _begin(folder: Path, rounds: int, more: int = 0) -> None:
    _as_typed(folder, session.seats(folder))
    try:
        session.go_on(folder, rounds=rounds, more=more)
    except MootError as error:
        frame.fault(error)
        return
    st.session_state.pop(f"view-{folder.name}", None)
    st.rerun()


__all__ = ["resume", "show", "start"]
