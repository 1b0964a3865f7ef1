"""The library ``unstructured`` without the network: the only place that prepares it."""

from __future__ import annotations

import functools
import logging
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

_log = logging.getLogger(__name__)


@functools.cache
def prepare() -> None:
    """Stop telemetry and advertisement, and stand in for the spaCy model it would download at first use.

    Its partitioners use ``en_core_web_sm`` only to count sentences and to look for a verb when
    they label a paragraph. Those labels are not used here, only headings are, so a blank English
    pipeline with a rule-based sentence splitter gives the same blocks.
    """
    os.environ["DO_NOT_TRACK"] = "1"
    os.environ["SCARF_NO_ANALYTICS"] = "true"
    os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
    import spacy.util
    from unstructured.nlp import tokenize

    if not spacy.util.is_package("en_core_web_sm"):
        _log.debug("spaCy model en_core_web_sm is absent; using a blank English pipeline")
        tokenize._load_spacy_model = _blank_english
        tokenize._get_nlp.cache_clear()


def _blank_english() -> Language:
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    return pipeline
