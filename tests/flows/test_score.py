"""``moot score``: hand-computed values, bad rows, abstention, a judge over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows.readable import readable
from flows.run import load
from signatures.errors import ConfigError, InputError, TooManyFailures
from signatures.schemas import rendered
from tests.servers.lm import LMRequest, LMServer, Reply, answer, requested_fields
from tests.support import composed, document, moot

pytestmark = pytest.mark.usefixtures("prefect_server")

# By hand, over these tokens: "a b c d e f" against its copy is 100; "a b c d" against
# "a b c d e f" has all its n-grams, and a brevity penalty of exp(1 - 6/4); the other way round
# the precisions are 4/6, 3/5, 2/4, 1/3, whose product is 1/15.
SHORT = 100 * 2.718281828459045 ** (1 - 6 / 4)
LONG = 100 * (1 / 15) ** 0.25
ROWS: list[Any] = [
    {"id": "copy", "input": "P", "outputs": ["a b c d e f", "a b c d e f"]},
    {"id": "part", "input": "Q", "outputs": ["a b c d", "a b c d e f"]},
]
BAD: list[Any] = [
    {"id": "one", "input": "Q", "outputs": ["alone"]},
    {"id": "none", "input": "Q"},
    {"id": "number", "input": "Q", "outputs": ["a", 7]},
    [1, 2],
]


def _file(tmp_path: Path, rows: list[Any]) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _score(home: Path, path: Path, *overrides: str, folder: str | None = None) -> dict[str, Any]:
    from flows.score import score

    words = ["subject=x", f"paths.artifacts={home}", "tracking=none", *overrides]
    plain = composed("score", *words)
    return score({**plain, "subject": str(path)}, folder)


def test_a_hand_computed_value_comes_out(home: Path, tmp_path: Path) -> None:
    result = _score(home, _file(tmp_path, ROWS), "metric=self_bleu")
    items = {item["id"]: item["value"] for item in result["items"]}
    assert items == pytest.approx({"copy": 100, "part": (SHORT + LONG) / 2})
    assert result["value"] == pytest.approx((100 + (SHORT + LONG) / 2) / 2)
    assert result["ci"] == pytest.approx([items["part"], 100])
    assert (result["range"], result["direction"], result["level"]) == ([0, 100], "lower", "item")
    assert [result[f"n_{kind}"] for kind in ("scored", "failed", "abstained")] == [2, 0, 0]
    assert (result["usage"]["calls"], result["run"]["models"]) == (0, {})
    Draft202012Validator(json.loads(rendered("score"))).validate(result)
    folder = Path(result["run"]["dir"])
    assert json.loads((folder / "result.json").read_text()) == result
    assert load(folder)[0] == "score"


def test_bad_rows_are_counted_named_and_never_scored(home: Path, tmp_path: Path) -> None:
    result = _score(home, _file(tmp_path, [*ROWS, *BAD]), "metric=self_bleu", "max_failed=0.7")
    assert [result[f"n_{kind}"] for kind in ("scored", "failed", "abstained")] == [2, 4, 0]
    failed = {i["id"]: i["explanation"] for i in result["items"] if i["status"] == "failed"}
    assert list(failed) == ["one", "none", "number", "line 6"]
    assert "got 1" in failed["one"] and "no outputs" in failed["none"]
    assert "not a text" in failed["number"] and "no JSON object" in failed["line 6"]
    assert result["value"] == _score(home, _file(tmp_path, ROWS), "metric=self_bleu")["value"]
    assert result["incomplete"] is None
    text = readable("score", result)
    assert "4 failed of 6 rows" in text
    assert text.index("  copy  ") < text.index("  part  ") < text.index("  one  ")


def test_nothing_scored_is_null(home: Path, tmp_path: Path) -> None:
    result = _score(home, _file(tmp_path, BAD), "metric=self_bleu", "max_failed=1")
    assert (result["value"], result["ci"], result["n_failed"]) == (None, None, 4)


def test_rows_of_one_subject_are_one_cluster(home: Path, tmp_path: Path) -> None:
    rows = [{**row, "input": "P"} for row in ROWS]
    result = _score(home, _file(tmp_path, rows), "metric=self_bleu")
    assert result["ci"] is None
    assert any("no interval" in note for note in result["notes"])


def test_the_extractive_engine_abstains_and_is_not_averaged(home: Path, tmp_path: Path) -> None:
    result = _score(home, _file(tmp_path, ROWS), "metric=quality")
    assert [result[f"n_{kind}"] for kind in ("scored", "failed", "abstained")] == [0, 0, 2]
    assert result["value"] is None
    assert "the judge is the extractive baseline" in result["notes"][0]


def test_a_dataset_says_what_rows_are_about(home: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.jsonl"
    known.write_text('{"id": "x1", "proposition": "P"}\n', encoding="utf-8")
    rows = [{"id": "x1", "generation": "E"}, {"id": "x2", "generation": "E"}]
    result = _score(
        home, _file(tmp_path, rows), "metric=quality", "dataset=jsonl", f"dataset.path={known}",
        "max_failed=1",
    )  # fmt: skip
    assert [item["status"] for item in result["items"]] == ["abstained", "failed"]


# --- a judge over HTTP --------------------------------------------------------------------------

ESSAYS = [
    {
        "id": f"e{n}",
        "proposition": f"P{n}",
        "essay": f"Essay {'abcde'[n]}",
        "writer": "openai/other",
    }
    for n in range(5)
]


def _judge(request: LMRequest) -> Reply | str:
    """Rates Essay a 1, Essay b 2, ...; has no rating for d, and no sense for e."""
    assert "quality" in requested_fields(request)
    letter = request.user.split("Essay ")[1][0]
    if letter == "e":
        return "I would rather not."
    quality = None if letter == "d" else "abc".index(letter) + 1
    return answer(request, {"explanation": f"because of {letter}", "quality": quality})


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(_judge, models=("gpt-4o-mini",)) as server:
        yield server


def _judged(home: Path, path: Path, server: LMServer, *overrides: str, **kwargs: Any) -> Any:
    words = ["metric=quality", "backend=openai", f"backend.base_url={server.base_url}"]
    return _score(home, path, *words, *overrides, **kwargs)


def test_a_judge_rates_abstains_and_fails(home: Path, tmp_path: Path, judge: LMServer) -> None:
    path = _file(tmp_path, ESSAYS)
    result = _judged(home, path, judge, "max_failed=0.2")
    assert [item["value"] for item in result["items"]] == [1, 2, 3, None, None]
    assert [item["status"] for item in result["items"]] == 3 * ["scored"] + ["abstained", "failed"]
    assert result["items"][0]["explanation"] == "because of a"
    assert "no usable reply" in result["items"][4]["explanation"]
    assert result["value"] == 2
    assert result["run"]["models"] == {"judge": next(iter(result["run"]["models"].values()))}
    asked = len(judge.requests)
    again = _judged(home, path, judge, "max_failed=0.2")
    free = {"run", "usage", "seconds"}
    assert {k: v for k, v in again.items() if k not in free} == {
        k: v for k, v in result.items() if k not in free
    }
    # Only the row without a usable reply is a unit again, and its replies come from the cache.
    assert again["usage"]["units_reused"] == 4
    assert len(judge.requests) == asked


def test_too_many_failures_stop_and_resume_repeats_no_call(
    home: Path, tmp_path: Path, judge: LMServer
) -> None:
    path, folder = _file(tmp_path, ESSAYS), str(tmp_path / "run")
    with pytest.raises(TooManyFailures, match="max_failed"):
        _judged(home, path, judge, "seed=1", folder=folder)
    kept = (Path(folder) / "failures.jsonl").read_text(encoding="utf-8")
    assert json.loads(kept)["id"] == "e4"
    asked = len(judge.requests)
    result = _judged(home, path, judge, "seed=1", "max_failed=0.2", folder=folder)
    assert (result["value"], len(judge.requests)) == (2, asked)


def test_the_judge_does_not_judge_itself(home: Path, tmp_path: Path, judge: LMServer) -> None:
    rows = [{**ESSAYS[0], "writer": "openai/gpt-4o-mini@elsewhere:443-chat1"}, ESSAYS[1]]
    path = _file(tmp_path, rows)
    with pytest.raises(ConfigError, match=r"wrote 1 of 2 rows itself.*self_judging=warn"):
        _judged(home, path, judge)
    assert not judge.requests
    result = _judged(home, path, judge, "self_judging=warn")
    assert result["value"] == 1.5
    assert any("wrote 1 of 2 rows itself" in note for note in result["notes"])


def test_a_dead_judge_is_no_score(home: Path, tmp_path: Path, judge: LMServer) -> None:
    path = _file(tmp_path, ESSAYS[:2])
    judge.close()
    with pytest.raises(TooManyFailures, match="cannot be reached"):
        _score(
            home, path, "metric=quality", "backend=openai", "backend.base_url=http://127.0.0.1:9/v1",
            "backend.retries=0", "runner.retries=0", "seed=2",
        )  # fmt: skip


# --- configuration and the command ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ([], r"exactly one is wanted.*there are .*self_bleu"),
        (["metric=citations"], "exactly one is wanted.*got citation_precision, citation_recall"),
        (["metric=self_bleu", "max_failed=2"], "max_failed"),
        (["metric=self_bleu", "bootstrap.level=1"], r"bootstrap\.level"),
        (["metric=opinion_diversity", "metrics.opinion_diversity.points=x"], "points"),
    ],
)
def test_bad_options_are_one_line(overrides: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=said):
        _score(tmp_path, _file(tmp_path, ROWS), *overrides)


def test_a_file_that_is_not_there_is_refused(home: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        _score(home, tmp_path / "nowhere.jsonl", "metric=self_bleu")


def test_the_command_sweeps_prints_lines_and_exits_by_failures(home: Path, tmp_path: Path) -> None:
    path = _file(tmp_path, [*ROWS, BAD[0]])
    words = [str(path), "-m", "metric=self_bleu", "max_failed=0.5,0", "tracking=none"]
    done = moot("score", *words, "output=json", artifacts=home)
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first["n_failed"] == second["n_failed"] == 1
    assert (first["incomplete"], done.returncode) == (None, 1)
    assert second["incomplete"] in done.stderr
    unknown = moot("score", str(path), "metric=self_blue", "output=json", artifacts=home)
    assert unknown.returncode == 2
    assert "did you mean self_bleu" in document(unknown)["error"]["remedy"]
