"""What all parts of the page share: set-up, style, errors, the choice of a backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import streamlit as st

from flows.compose import options
from flows.debate_style import STYLE
from flows.environment import artifacts, prepare
from modules.markup import one_line
from signatures.errors import MootError

PAGE_STYLE = """
.block-container{padding-top:3.5rem;max-width:70rem}
.mt{font-size:1rem}
.mt a{color:inherit}
[class*="st-key-seat-"]{border-left:5px solid var(--shade,gray);padding-left:.4rem;gap:.3rem}
a:focus-visible,button:focus-visible,summary:focus-visible,[role=radio]:focus-visible{
outline:3px solid currentColor!important;outline-offset:2px}
@media (max-width:640px){.block-container{padding-left:.8rem;padding-right:.8rem}
h1{font-size:1.5rem!important}}
"""


@st.cache_resource(show_spinner="Starting …")
def ready() -> bool:
    """Set up the process, once."""
    prepare(artifacts())
    from app import jobs
    from flows.runtime import in_background

    in_background(jobs.warm)
    return True


def style(extra: str = "") -> None:
    """The look of everything."""
    st.html(f"<style>{STYLE}{PAGE_STYLE}{extra}</style>")


def html(fragment: str) -> None:
    """Markup made by :mod:`flows.debate_html`, which escapes all texts."""
    st.html(f'<div class="mt">{fragment}</div>')


def plain(text: str) -> str:
    """A text of a model or a person as Streamlit's Markdown shows it: as it reads."""
    return "".join(
        f"\\{c}" if c in "\\`*_{}[]()#+-.!|<>~$:" else c for c in one_line(text, joiners=True)
    )


def local(run: Path) -> str:
    """Where the page shows a source that a run cites, with ``{}`` for the chunk."""
    return f"source?run={quote(run.name)}&chunk={{}}"


def fault(error: MootError | str) -> None:
    """An error in its own words, with what to do."""
    st.error(plain(error if isinstance(error, str) else error.line()), icon=":material/error:")


def backend() -> dict[str, Any]:
    """Which models answer: the overrides for it."""
    known = options("backend")
    names = ["extractive", *(name for name in known if name != "extractive")]
    name = st.selectbox(
        "Backend",
        names,
        help="Who answers. “extractive” needs no key and no model: it joins sentences of the "
        "evidence, as a baseline. Keys are read from the server's environment, never typed here.",
        format_func=lambda n: f"{n}: {known[n].split('.')[0]}" if known[n] else n,
    )
    chosen: dict[str, Any] = {"backend": name}
    if name == "extractive":
        return chosen
    model = st.text_input("Model", placeholder="as configured", max_chars=200)
    address = st.text_input("Server", placeholder="as configured, such as http://localhost:8000/v1")
    if model.strip():
        chosen["backend.model"] = model.strip()
    if address.strip():
        chosen["backend.base_url"] = address.strip()
    return chosen


def spent(usage: Any) -> str:
    """A run's cost in a line."""
    money = "price unknown" if usage.usd is None else f"${usage.usd:.4f}"
    return (
        f"{usage.calls} calls, {usage.cached_calls} from the cache, "
        f"{usage.input_tokens + usage.output_tokens:,} tokens, {money}"
    )


__all__ = ["backend", "fault", "html", "local", "plain", "ready", "spent", "style"]
