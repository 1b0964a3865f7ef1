"""The library ``unstructured`` without the network: the only place that prepares it."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language


@functools.cache
def prepare() -> None:
    """Stop telemetry and advertisement (on stdout!), and replace the spaCy model.

    The partitioners would download ``en_core_web_sm`` at first use, to label paragraphs by
    their number of sentences and whether they hold a verb. Those labels are not used here, only
    headings are. So the model is always replaced, even where it is installed: every machine
    gives the same blocks, and hostile text cannot stall spaCy's tokenizer.
    """
    os.environ["DO_NOT_TRACK"] = "1"
    os.environ["SCARF_NO_ANALYTICS"] = "true"
    os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
    from unstructured.nlp import tokenize

    tokenize._load_spacy_model = _light_pipeline
    tokenize._get_nlp.cache_clear()


def _light_pipeline() -> Language:
    """A blank English pipeline that splits words at spaces and sentences at full stops."""
    import spacy
    from spacy.tokens import Doc

    pipeline = spacy.blank("en")
    # The default tokenizer takes minutes over 50 kB of "<".
    pipeline.tokenizer = lambda text: Doc(pipeline.vocab, words=text.split() or [""])
    pipeline.add_pipe("sentencizer")
    return pipeline
