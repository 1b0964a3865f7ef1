"""Embeddings, asked with OpenAI's client."""

from __future__ import annotations

import openai
import pytest

from .lm import LMServer, Reply, embedding


def test_embeddings(server: LMServer, client: openai.OpenAI) -> None:
    texts = ["the same words", "the same words", "something else"]
    for encoding in ("float", "base64"):
        made = client.embeddings.create(
            model="test-model", input=texts, encoding_format=encoding, dimensions=24
        )
        vectors = [item.embedding for item in made.data]
        if encoding == "float":
            assert vectors[0] == embedding(texts[0], 24)
            assert sum(x * x for x in vectors[0]) == pytest.approx(1)
            assert vectors[0] == vectors[1] != vectors[2]
    # without a wish the client asks for base64 and unpacks it itself
    single = client.embeddings.create(model="test-model", input="one text").data[0].embedding
    assert single == pytest.approx(embedding("one text", 32), abs=1e-6)
    assert server.embedded == [texts, texts, ["one text"]]
    server.script_embeddings(Reply(status=429))
    with pytest.raises(openai.RateLimitError):
        client.embeddings.create(model="test-model", input="one text")
    with pytest.raises(openai.BadRequestError):
        client.embeddings.create(model="test-model", input=[])
