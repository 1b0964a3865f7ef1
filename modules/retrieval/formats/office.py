"""Word files and slides, through ``unstructured``."""

from __future__ import annotations

import io

from modules.retrieval.formats.elements import parsed
from modules.retrieval.formats.offline import prepare
from modules.retrieval.types import Parsed


def read_docx(raw: bytes) -> Parsed:
    """Paragraphs, lists and tables under their headings; page headers and footers dropped."""
    prepare()
    from unstructured.partition.docx import partition_docx

    return parsed(partition_docx(file=io.BytesIO(raw), languages=[""]))


def read_pptx(raw: bytes) -> Parsed:
    """Slides; a slide's title is its section (deeper "titles" are short lines of text)."""
    prepare()
    from unstructured.partition.pptx import partition_pptx

    return parsed(partition_pptx(file=io.BytesIO(raw), languages=[""]), deepest=0)
