"""The debate window: rounds as they happen, votes, the summary, figures and downloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from app import figures, frame, graph, jobs, seats, session, summary
from flows import debate_html as html
from flows.debate_events import LiveTurn, Scene, scene
from flows.debate_files import vote, votes
from signatures.table import Vote
from signatures.types import Persona

PERIOD_S = 0.3
BALLOT = (
    ("up", "Agree", ":material/thumb_up:"),
    ("down", "Disagree", ":material/thumb_down:"),
)
DOING = {
    "speaking": "is thinking",
    "text": "is speaking",
    "spoken": "sources are being looked for",
}


def show(folder: Path) -> None:
    """The window; it follows the run while there is one."""
    live = jobs.running(folder)
    st.fragment(_window, run_every=PERIOD_S if live else None)(folder, live)


def _window(folder: Path, live: bool) -> None:
    now = scene(folder)
    busy = jobs.running(folder)
    if live and not busy:
        st.rerun()  # the run has ended: the seats and buttons change too
    _status(folder, now, busy)
    views = _views(folder, now)
    if not views:
        if not busy and not now.error:
            st.info(
                "The personas sit in the sidebar. Change them as you like, then start.",
                icon=":material/groups:",
            )
            _next(folder, now)
        return
    chosen = _chosen(folder, now, list(views))
    views[chosen]()


def _status(folder: Path, now: Scene, busy: bool) -> None:
    """Where the debate stands, in one line for people and screen readers."""
    done = sum(t.content is not None for t in now.turns.values())
    if busy:
        text, share = _progress(now)
        st.progress(share, text=text)
    elif now.error is not None or (jobs.error(folder) and not jobs.finished(folder)):
        _failed(folder, now)
        seats.resume(folder, "Go on")
    elif now.status == "running":
        st.warning("The debate was interrupted; nothing is lost.", icon=":material/pause:")
        seats.resume(folder, "Go on")
    elif done:
        rounds = len(now.rounds())
        st.caption(f"{rounds} round{'s' * (rounds > 1)}, {done} turns.")


def _progress(now: Scene) -> tuple[str, float]:
    if not now.personas:
        return "Creating personas …", 0.0
    seated = sum(p.selected for p in now.personas) or len(now.personas)
    rounds = now.rounds()
    current = max(rounds, default=0)
    turns = rounds.get(current, [])
    steps = sum({"done": 1.0, "spoken": 0.6}.get(t.state, 0.3) for t in turns)
    if not turns:
        return "The table is being set …", 0.0
    if all(t.state == "done" for t in turns) and len(turns) >= seated:
        return "Closing the debate …", 1.0
    return f"Debating round {current}: turn {len(turns)} of {seated} …", min(1.0, steps / seated)


def _failed(folder: Path, now: Scene) -> None:
    event = now.error or {}
    parts = [event.get("message"), event.get("remedy")]
    said = "; ".join(str(part) for part in parts if part) or jobs.error(folder) or "It failed"
    frame.fault(said)


def _next(folder: Path, now: Scene) -> None:
    """The button for the next round, where a debate waits for its reader."""
    ready = jobs.finished(folder) and not jobs.running(folder)
    if ready and len(session.seats(folder)) >= 2:
        seats.start(folder, len(now.rounds()))


def _views(folder: Path, now: Scene) -> dict[str, Callable[[], None]]:
    """The tabs, by name, in order."""
    shades = html.colours(now.personas)
    people = {p.id: p for p in now.personas}
    found: dict[str, Callable[[], None]] = {}
    for number, turns in now.rounds().items():

        def show_round(number: int = number, turns: list[LiveTurn] = turns) -> None:
            _round(folder, now, number, turns, people, shades)

        found[f"Round {number}"] = show_round
    if found:
        found["Summary"] = lambda: summary.show(folder, now, people, shades)
        found["Graph"] = lambda: graph.show(now, people, shades)
        found["Figures"] = lambda: figures.show(folder, now)
        found["Save and share"] = lambda: figures.share(folder)
    return found


def _chosen(folder: Path, now: Scene, names: list[str]) -> str:
    """The tab that is open: the newest round when it begins, else the reader's choice."""
    key, seen = f"view-{folder.name}", f"rounds-{folder.name}"
    rounds = len(now.rounds())
    if st.session_state.get(seen) != rounds or st.session_state.get(key) not in names:
        st.session_state[seen] = rounds
        st.session_state[key] = f"Round {max(now.rounds())}"
    chosen = st.segmented_control("View", names, key=key, label_visibility="collapsed")
    return chosen or f"Round {max(now.rounds())}"


def _round(
    folder: Path,
    now: Scene,
    number: int,
    turns: list[LiveTurn],
    people: Mapping[str, Persona],
    shades: Mapping[str, str],
) -> None:
    cast = votes(folder)
    for t in turns:
        who, shade = people[t.speaker], shades[t.speaker]
        if t.content is None:
            doing = DOING["text" if t.text and t.state == "speaking" else t.state]
            frame.html(
                html.live(
                    t.text, who, shade, f"{who.title} {doing}" if t.state != "spoken" else doing
                )
            )
            continue
        frame.html(html.turn(t.content, who, shade, cast.get(t.id), frame.local(folder)))
        ballot(folder, t.id, who, cast.get(t.id))
    if number in now.moderation:
        frame.html(html.note(now.moderation[number]))
    if number == max(now.rounds()):
        if now.closing is not None:
            frame.html(html.closing(now.closing))
        if now.recommendation is not None:
            frame.html(html.recommendation(now.recommendation))
        _next(folder, now)


def ballot(folder: Path, turn: str, who: Persona, cast: Vote | None) -> None:
    """The two buttons under a turn; pressing the one that holds takes the vote back."""
    with st.container(horizontal=True, key=f"ballot-{folder.name}-{turn}"):
        for value, label, icon in BALLOT:
            held = cast == value
            if st.button(
                label,
                key=f"vote-{folder.name}-{turn}-{value}",
                type="primary" if held else "secondary",
                icon=icon,
                help="Take the vote back" if held else f"{label} with {frame.plain(who.title)}",
            ):
                vote(folder, turn, None if held else value)  # type: ignore[arg-type]  # the two literals above
                st.rerun(scope="fragment")


__all__ = ["ballot", "show"]
