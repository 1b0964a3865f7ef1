"""All runs there are, and each as it can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import streamlit as st

from app import frame, jobs, session
from flows import run as runs
from flows.debate_html import text as escaped
from flows.environment import artifacts
from flows.readable import readable
from signatures.errors import MootError

SHOWN = 50


def show() -> None:
    """The list, or the run that ``?run=`` names."""
    name = st.query_params.get("run")
    if name:
        _one(name)
        return
    st.title("Runs", anchor=False)
    words = st.text_input("Search", placeholder="words of the subject").casefold()
    rows = [row(p) for p in reversed(runs.every(artifacts() / "runs"))]
    rows = [r for r in rows if words in r["subject"].casefold()]
    if not rows:
        st.info("There are no runs yet.", icon=":material/folder_open:")
    for r in rows[:SHOWN]:
        page = "debate" if r["flow"] == "debate" else "runs"
        frame.html(
            f'<article><a href="{page}?run={escaped(r["id"])}" target="_self">'
            f"{escaped(r['subject'] or r['id'])}</a> "
            f'<span class="stance">{escaped(r["flow"])}</span> '
            f'<span class="small">{escaped(r["status"])} · {escaped(r["id"][:15])}</span></article>'
        )
    if len(rows) > SHOWN:
        st.caption(f"The newest {SHOWN} of {len(rows)} are shown; search for others.")


def row(folder: Path) -> dict[str, str]:
    """What a list says of a run."""
    flow, plain = runs.load(folder)
    done = "finished" if jobs.finished(folder) else "unfinished"
    subject = " ".join(str(plain.get("subject") or "").split())
    return {"id": folder.name, "flow": flow, "subject": subject, "status": done}


def document(folder: Path) -> dict[str, Any] | None:
    """A run's result, or None."""
    path = folder / runs.RESULT_FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def as_text(folder: Path) -> None:
    """A run as the command line shows it, as text."""
    flow, _ = runs.load(folder)
    found = document(folder)
    if found is None:
        st.info(
            "This run has no result: it is under way, or was interrupted.",
            icon=":material/hourglass:",
        )
        return
    shown = escaped(readable(flow, found))
    frame.html(f'<div style="white-space:pre-wrap;overflow-wrap:anywhere">{shown}</div>')


def _one(name: str) -> None:
    try:
        folder = session.find(name)
    except MootError as error:
        frame.fault(error)
        return
    st.header(frame.plain(row(folder)["subject"]), anchor=False)
    found = document(folder)
    if found is not None:
        st.download_button(
            "JSON", json.dumps(found, ensure_ascii=False, indent=2), f"{name}.json",
            "application/json", icon=":material/download:", on_click="ignore",
        )  # fmt: skip
    as_text(folder)


__all__ = ["as_text", "document", "row", "show"]
