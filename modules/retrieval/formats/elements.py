"""Elements of ``unstructured`` to blocks: headings become sections, furniture is dropped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from modules.retrieval.types import Block, Parsed

if TYPE_CHECKING:
    from unstructured.documents.elements import Element

_FURNITURE = frozenset({"Header", "Footer", "PageBreak", "PageNumber", "Image"})


def parsed(elements: Iterable[Element], title: str = "", *, deepest: int = 9) -> Parsed:
    """Blocks under their nearest heading.

    Without ``title``, a heading that opens the document becomes the title. A heading nested
    deeper than ``deepest`` is taken as text. A heading with nothing under it is kept as a block,
    so that no text is lost.
    """
    blocks: list[Block] = []
    section, bare = "", False
    for element in elements:
        text = (element.text or "").strip()
        if not text or element.category in _FURNITURE:
            continue
        if element.category == "Title" and (element.metadata.category_depth or 0) <= deepest:
            if bare:
                blocks.append(Block(section))
            opens = not blocks and not section
            if opens and not title:
                title = text
            elif not (opens and text == title):
                section, bare = text, True
        else:
            blocks.append(Block(text, section))
            bare = False
    if bare:
        blocks.append(Block(section))
    return Parsed(tuple(blocks), title)
