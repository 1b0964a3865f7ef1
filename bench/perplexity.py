"""P.D.: CPU seconds, accuracy and memory against the released script's maths.

A random GPT-2 small, answers of 420 tokens, three to five partial answers of about 150. The
script's maths reads prompt and partial answer together for every pair, padded to a batch, with
logits for every token; its second, unused loss is left out. Ours reads the prompt once. Each way
runs in a process of its own: CPU seconds without imports and loading, and the peak of resident
memory over what the loaded model takes. bfloat16 is compared with the script's maths at float32.

``--rows N`` reads N answers (8 by default), each ``--repeats`` times (2): the best repeat counts.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from modules.perplexity import LocalEvaluatorSpec

END = "<end>"
ANSWER, PART, PARTS = 420, 150, (3, 4, 5)
WAYS = ("script float32", "ours float32", "ours bfloat16")


class Row(NamedTuple):
    """An answer and its partial answers, as texts of one token per character."""

    answer: str
    parts: list[str]


class Measured(NamedTuple):
    """Mean NLL per token of each partial answer, CPU seconds, and bytes over the model."""

    nll: list[float]
    cpu_s: float
    peak: int


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="bench.perplexity")
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_known_args()[0]
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        build(Path(folder))
        found = {way: _apart(way, folder, options) for way in WAYS}
    told = found["script float32"]
    print(f"{options.rows} answers of {ANSWER} tokens, {len(told.nll)} partial answers")
    for way, one in found.items():
        worst = max(abs(a - b) for a, b in zip(one.nll, told.nll, strict=True))
        print(
            f"{way:<15} {one.cpu_s:8.2f} CPU s  x{told.cpu_s / one.cpu_s:5.2f}  "
            f"peak over the model {one.peak / 2**20:7.0f} MiB ({one.peak / told.peak:.2f})  "
            f"largest NLL difference {worst:.1e}"
        )


def build(folder: Path) -> None:
    """A random GPT-2 small, with a tokenizer of one token per byte."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE(vocab={t: n for n, t in enumerate([END, *alphabet])}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    PreTrainedTokenizerFast(tokenizer_object=raw, eos_token=END).save_pretrained(folder)
    torch.manual_seed(0)
    GPT2LMHeadModel(GPT2Config()).save_pretrained(folder)


def rows(count: int) -> list[Row]:
    """The texts to read; the last two tokens of each prompt are the template's."""
    rng = random.Random(0)

    def text(length: int) -> str:
        return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz     ,.", k=length))

    return [
        Row(
            text(ANSWER - 2),
            [text(PART + rng.randint(-10, 10)) for _ in range(PARTS[n % len(PARTS)])],
        )
        for n in range(count)
    ]


def _apart(way: str, folder: str, options: argparse.Namespace) -> Measured:
    """One way in a process of its own."""
    code = (
        f"from bench.perplexity import measure; measure({way!r}, {folder!r}, "
        f"{options.rows}, {options.repeats})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return Measured(*json.loads(done.stdout.splitlines()[-1]))


def measure(way: str, folder: str, count: int, repeats: int) -> None:
    """Print what one way of reading finds and takes, as JSON."""
    kind, dtype = way.split()
    read: Any = _script(folder) if kind == "script" else _ours(folder, dtype)
    texts = rows(count)
    read(Row("a", ["ab"]))  # loads
    before = _resident(reset=True)
    best, found = float("inf"), []
    for _ in range(repeats):
        start = time.process_time()
        found = [nll for row in texts for nll in read(row)]
        best = min(best, time.process_time() - start)
    print(json.dumps(Measured(found, best, _peak() - before)))


def _ours(folder: str, dtype: str) -> Any:
    evaluator = LocalEvaluatorSpec.model_validate({"model": folder, "dtype": dtype}).open()
    return lambda row: [part.mean for part in evaluator.read(row.answer, row.parts).parts]


def _script(folder: str) -> Any:
    """The released script's maths, with the loss averaged over the partial answer alone."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, pad_token=END)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32").eval()

    def read(row: Row) -> list[float]:
        prompt = f"{row.answer}\n\n"
        batch = tokenizer([prompt + p for p in row.parts], return_tensors="pt", padding=True)
        labels = batch["input_ids"].clone()
        labels[:, : len(prompt)] = -100
        with torch.no_grad():
            logits = model(**batch).logits
        shifted = logits[:, :-1, :].contiguous()
        mask = batch["attention_mask"][:, 1:].contiguous()
        loss = torch.nn.functional.cross_entropy(
            shifted.view(-1, shifted.size(-1)), labels[:, 1:].reshape(-1), reduction="none"
        ).view(mask.shape)
        summed = (loss * mask).double().sum(dim=1)
        return [float(s) / len(p) for s, p in zip(summed, row.parts, strict=True)]

    return read


def _resident(*, reset: bool) -> int:
    """Bytes of this process in memory; ``reset`` lets the peak begin here."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


if __name__ == "__main__":
    main()
