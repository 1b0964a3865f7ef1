"""A debate as HTML: one file to mail, without scripts, and the fragments that the page shows.

Every text of a model, a document or a person is escaped; links are http(s) only and show their
domain. Markup comes from this file alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import urlsplit

from flows.debate_style import STYLE
from flows.debate_text import OPINION
from modules.markup import one_line, visible
from signatures.results import DebateResult
from signatures.table import Closing, Recommendation, RoundNote, TableTurn
from signatures.types import Citation, Persona

COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8800FF",
    "#773311", "#444455", "#99BB66", "#BB55FF",
)  # fmt: skip
"""Seven of Okabe and Ito's, then five searched for: any two differ by 15 or more (CIE 1976) with
any kind of colour vision."""

SIGNS = {"for": "▲ for", "against": "▼ against", "neutral": "◆ neutral"}
"""A stance by shape and word, so that colour is never the only sign."""

VERDICTS = {
    "supported": "✓ bears it out",
    "weak": "~ bears it out in part",
    "unsupported": "✗ does not bear it out",
}

MARKER = re.compile(r" ?\[(\d+)\]")


def page(result: DebateResult) -> str:
    """The whole debate as one self-contained document."""
    title = text(one_line(result.topic))
    shades = colours(result.personas)
    people = {p.id: p for p in result.personas}
    notes = {note.round: note for note in result.moderation}
    body = [f"<h1>{title}</h1>", personas(result.personas, shades)]
    for number, turns in enumerate(result.rounds, start=1):
        body.append(f"<h2>Round {number}</h2>")
        for t in turns:
            body.append(turn(t, people[t.speaker], shades[t.speaker], result.votes.get(t.id)))
        if number in notes:
            body.append(note(notes[number]))
    if result.closing is not None:
        body.append(closing(result.closing))
    if result.recommendation is not None:
        body.append(recommendation(result.recommendation))
    body += [f'<p class="small">{text(line)}</p>' for line in result.notes]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f'<title>{title}</title><style>{STYLE}</style></head><body class="moot">\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def text(value: str) -> str:
    """Text as text: escaped, without what a reader cannot see."""
    return escape(visible(value, joiners=True), quote=True)


def colours(people: Sequence[Persona]) -> dict[str, str]:
    """Persona id -> colour."""
    return {p.id: colour(p.id) for p in people}


def colour(id: str) -> str:
    """A persona's colour by the number in its id: it stays whoever comes, goes or moves."""
    digits = re.sub(r"\D", "", id)[:6]
    return COLOURS[(int(digits or 1) - 1) % len(COLOURS)]


def personas(people: Sequence[Persona], shades: Mapping[str, str]) -> str:
    """The table's seats as a list."""
    rows = [
        f'<li style="--shade:{shades[p.id]}"><b>{_emoji(p)}{text(p.title)}</b> '
        f'<span class="stance">{SIGNS[p.stance]}</span><br>{text(p.description)} '
        f"<i>{text(p.claim)}</i></li>"
        for p in people
    ]
    return f'<ul class="people">{"".join(rows)}</ul>'


def turn(t: TableTurn, who: Persona, shade: str, vote: str | None = None, local: str = "") -> str:
    """A finished turn with its references.

    Args:
        t: The turn.
        who: Its speaker.
        shade: The speaker's colour.
        vote: The reader's vote.
        local: Where the page shows sources that are no web pages, with ``{}`` for the chunk.
    """
    answer = ""
    if t.replies_to and t.relation != "none":
        answer = f'<span class="small"> · {t.relation}s {text(t.replies_to)}</span>'
    cut = '<span class="small"> · cut at the word limit</span>' if t.length == "cut" else ""
    voted = {
        "up": '<span class="small">👍 agreed</span>',
        "down": '<span class="small">👎 disagreed</span>',
    }
    head = (
        f'<h3>{_emoji(who)}{text(who.title)} <span class="stance">{SIGNS[who.stance]}</span> '
        f'<span class="small">{text(t.id)} · {t.words} words</span>{answer}{cut} '
        f"{voted.get(vote or '', '')}</h3>"
    )
    body = paragraphs(t.text, t.id, t.citations, local)
    inside = f"{head}{body}{sources(t, local)}"
    return f'<article id="{text(t.id)}" style="--shade:{shade}">{inside}</article>'


def live(text_so_far: str, who: Persona, shade: str, doing: str) -> str:
    """A turn that is still being made."""
    head = (
        f'<h3>{_emoji(who)}{text(who.title)} <span class="stance">{SIGNS[who.stance]}</span></h3>'
    )
    body = paragraphs(text_so_far, "", [], "")
    return (
        f'<article style="--shade:{shade}">{head}{body}'
        f'<p class="small doing">{text(doing)}</p></article>'
    )


def paragraphs(value: str, id: str, citations: Sequence[Citation], local: str) -> str:
    """Paragraphs and points, with markers as links that say what they cite."""
    found: dict[int, Citation] = {}
    for citation in citations:
        found.setdefault(citation.marker, citation)
    parts: list[str] = []
    for line in filter(None, (line.strip() for line in value.split("\n"))):
        body = _marked(text(line.removeprefix("- ")), id, found, local)
        if not line.startswith("- "):
            parts.append(f"<p>{body}</p>")
        elif parts and parts[-1].endswith("</ul>"):
            parts[-1] = f"{parts[-1].removesuffix('</ul>')}<li>{body}</li></ul>"
        else:
            parts.append(f"<ul><li>{body}</li></ul>")
    return "".join(parts)


def sources(t: TableTurn, local: str = "") -> str:
    """The references of a turn: where each leads, what it says, whether it bears the words out."""
    rows: dict[int, str] = {}
    for c in t.citations:
        if c.marker not in rows:
            rows[c.marker] = (
                f'<li id="{text(t.id)}-{c.marker}" value="{c.marker}">{_where(c, local)}'
            )
        said = f"“{text(one_line(c.quote))}” " if c.quote else ""
        rows[c.marker] += f'<p class="small">{said}<b>{VERDICTS[c.verdict]}</b></p>'
    if not rows:
        return ""
    listed = "".join(f"{rows[n]}</li>" for n in sorted(rows))
    return f'<details class="refs" open><summary>References</summary><ol>{listed}</ol></details>'


def note(n: RoundNote) -> str:
    """What the moderator says of a round."""
    question = f"<p><b>{text(n.question)}</b></p>" if n.question else ""
    return f'<article class="chair"><h3>Moderator</h3><p>{text(n.summary)}</p>{question}</article>'


def closing(c: Closing) -> str:
    """Where the table agrees and where it does not."""
    issues = "".join(
        f"<li><b>{text(issue.issue)}</b><ul>"
        + "".join(
            f"<li>{text(', '.join(p.speakers) or 'Some')}: {text(p.view)}</li>"
            for p in issue.positions
        )
        + "</ul></li>"
        for issue in c.disagreements
    )
    return (
        '<article class="chair"><h3>Where the table agrees</h3>'
        f"{_list(c.agreements) or '<p>On nothing stated.</p>'}"
        f"<h3>Where it does not</h3><ul>{issues or '<li>Nowhere stated.</li>'}</ul>"
        + (f"<h3>Open questions</h3>{_list(c.open_questions)}" if c.open_questions else "")
        + "</article>"
    )


def recommendation(r: Recommendation) -> str:
    """Advice, under its label."""
    return (
        f'<article class="chair"><h3>Recommendation</h3><p class="small">{OPINION}</p>'
        f"<p>{text(r.advice)}</p>{_list(r.reasons)}<p>Against it: {text(r.against)}</p>"
        + (f"<p>It depends on:</p>{_list(r.depends_on)}" if r.depends_on else "")
        + "</article>"
    )


def link(source: str) -> str | None:
    """The source as an address one may follow: http(s) with a host; None for anything else."""
    try:
        parts = urlsplit(source.strip())
        host = parts.hostname
    except ValueError:
        return None
    return source.strip() if parts.scheme in ("http", "https") and host else None


def domain(address: str) -> str:
    """The host of an address, as a reader should see it before following."""
    host = urlsplit(address).hostname or ""
    return host.encode("idna").decode() if not host.isascii() and len(host) < 60 else host


def _marked(escaped: str, id: str, found: Mapping[int, Citation], local: str) -> str:
    def mark(match: re.Match[str]) -> str:
        citation = found.get(int(match[1])) if len(match[1]) < 6 else None
        if citation is None:
            return match.group()
        address = link(citation.source)
        target, where = f"#{text(id)}-{citation.marker}", one_line(citation.source)
        if address is not None:
            target, where = text(address), domain(address)
        elif local:
            target = text(local.format(citation.chunk_id))
        hover = text(f"{one_line(citation.title)} ({where}): {one_line(citation.quote)}")
        out = "" if target.startswith("#") else ' target="_blank" rel="noopener noreferrer"'
        return f'<sup><a href="{target}" title="{hover}"{out}>[{citation.marker}]</a></sup>'

    return MARKER.sub(mark, escaped)


def _where(c: Citation, local: str) -> str:
    title, address = text(one_line(c.title) or c.source), link(c.source)
    outside = 'target="_blank" rel="noopener noreferrer"'
    if address is not None:
        return f'<a href="{text(address)}" {outside}>{title}</a> ({text(domain(address))})'
    if local:
        title = f'<a href="{text(local.format(c.chunk_id))}" {outside}>{title}</a>'
    return f"{title} ({text(one_line(c.source))})"


def _emoji(who: Persona) -> str:
    return f'<span aria-hidden="true">{text(one_line(who.emoji, joiners=True))}</span> '


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{text(line)}</li>' for line in lines)}</ul>" if lines else ""


__all__ = [
    "COLOURS", "SIGNS", "closing", "colour", "colours", "domain", "link", "live", "note", "page",
    "paragraphs", "personas", "recommendation", "sources", "text", "turn",
]  # fmt: skip
