"""The parts of an optimization that need no flow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.contract import Tools
from evals.coverage import PovCoverage
from evals.diversity import SelfEmb
from evals.metrics import CitationPrecision, CitationRecall
from evals.optimizing.compiled import apply, compiled, read, restore, state_of
from evals.optimizing.diff import diff
from evals.optimizing.ended import SearchBudget, SearchEnded, SearchLedger, searching
from evals.optimizing.feedback import feedback
from evals.optimizing.labels import weighted_kappa
from evals.optimizing.objective import Norm, Objective, ObjectiveSettings, Scored, norm
from evals.optimizing.promotion import verdict
from evals.optimizing.reflection import AskedComponents
from evals.optimizing.replicates import copied, figures, written
from evals.optimizing.split import Shares, group_of, split
from evals.optimizing.targets import EssayTarget, judges_of
from evals.optimizing.trials import Trials
from modules.essay import EndToEnd, EssaySettings
from modules.evidence import NoEvidence
from modules.lm.ask import Ask
from modules.lm.ledger import Budget
from signatures.debate import MakePlan
from signatures.errors import BudgetReached, ConfigError, InputError
from signatures.essay import WriteEssay
from signatures.types import Record
from tests.evals.angles import Angles

METRICS = {"citation_recall": CitationRecall(), "citation_precision": CitationPrecision()}


class Question(Record):
    id: str
    text: str
    topic: str | None = None


# --- the split ----------------------------------------------------------------


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(0, 5))
def test_a_split_leaks_nothing(topics: list[int], seed: int) -> None:
    items = [Question(id=str(n), text=f"q{n}", topic=f"t{t}") for n, t in enumerate(topics)]
    if len(set(topics)) < 6:
        with pytest.raises(InputError, match="at least 6"):
            split(items, Shares(), seed)
        return
    parts = split(items, Shares(), seed)
    sides = [parts.train, parts.val, parts.holdout]
    assert sorted(i for side in sides for i in side) == sorted(item.id for item in items)
    groups = [{parts.groups[i] for i in side} for side in sides]
    assert all(len(g) >= 2 for g in groups)
    assert not (groups[0] & groups[1] | groups[0] & groups[2] | groups[1] & groups[2])
    assert split(items, Shares(), seed) == parts


def test_one_question_in_other_letters_is_one_question() -> None:
    one, other = Question(id="1", text="Free museums?"), Question(id="2", text="free  MUSEUMS")
    assert group_of(one) == group_of(other)


# --- the objective ------------------------------------------------------------


def test_the_untuned_program_stands_at_a_half_and_a_deviation_is_an_eighth() -> None:
    found = norm(CitationRecall(), [0.2, 0.4])
    objective = Objective(ObjectiveSettings(primary="citation_recall"), {"citation_recall": found})
    values = [objective.of(Scored(values={"citation_recall": v})) for v in (0.3, 0.4, 0.1)]
    assert values == pytest.approx([0.5, 0.625, 0.25])


def test_noise_in_a_vectors_last_digits_is_no_difference() -> None:
    norms = {"citation_recall": Norm(mean=0.5, sd=0.1, sign=1)}
    objective = Objective(ObjectiveSettings(primary="citation_recall"), norms)
    values = [objective.of(Scored(values={"citation_recall": v})) for v in (0.6, 0.6 + 1e-8)]
    assert values[0] == values[1]


def test_equal_values_are_set_against_the_range() -> None:
    assert norm(CitationRecall(), [0.5, 0.5]).sd == pytest.approx(0.125)


def test_no_primary_value_is_no_score_and_another_missing_one_is_usual() -> None:
    settings = ObjectiveSettings(
        primary="citation_recall", weights={"citation_recall": 1, "citation_precision": 3}
    )
    norms = {name: Norm(mean=0.5, sd=0.1, sign=1) for name in METRICS}
    objective = Objective(settings, norms)
    assert objective.of(Scored(values={"citation_precision": 1.0})) is None
    assert objective.of(Scored(values={"citation_recall": 0.9})) == pytest.approx(0.5 + 1 / 8)


def test_a_metric_that_cannot_tell_sides_does_not_decide() -> None:
    settings = ObjectiveSettings(primary="pov_coverage")
    settings.check({"pov_coverage": PovCoverage()})
    with pytest.raises(ConfigError, match="cannot be the primary objective"):
        settings.check({"pov_coverage": PovCoverage(by="cosine")})


def test_feedback_names_what_is_wrong_and_scores_alone_do_not() -> None:
    row = {
        "uncited": ["Fees keep families away."],
        "dispute_acknowledged": False,
        "citations": [{"verdict": "unsupported", "sentence": "All love fees [1]."}],
    }
    scored = Scored(
        values={"citation_recall": 0.5}, said={"citation_recall": "missing: the taxpayers"}
    )
    told = {}
    for kind in ("full", "scores"):
        settings = ObjectiveSettings.model_validate(
            {"primary": "citation_recall", "feedback": kind}
        )
        norms = {"citation_recall": Norm(mean=0.5, sd=0.1, sign=1)}
        told[kind] = feedback(Objective(settings, norms), scored, [row], METRICS)
    for said in ("the taxpayers", "Fees keep families away.", "All love fees", "disputed"):
        assert said in told["full"]
    assert told["scores"] == "citation_recall is 0.5 (higher is better)"


def test_weighted_kappa_is_cohens() -> None:
    ratings, labels = [1, 2, 3, 3, 5], [1, 3, 3, 2, 4]
    # By the definition: weights (i - j)**2 over the table of pairs, against its margins' product.
    observed = sum((r - k) ** 2 for r, k in zip(ratings, labels, strict=True)) / 5
    expected = sum(
        (i - j) ** 2 * ratings.count(i) / 5 * labels.count(j) / 5
        for i in range(1, 6)
        for j in range(1, 6)
    )
    assert weighted_kappa(ratings, labels) == pytest.approx(1 - observed / expected)
    assert weighted_kappa([3, 3], [3, 3]) is None


# --- promotion ----------------------------------------------------------------


def _verdict(
    before: Mapping[str, tuple[float | None, float]],
    after: Mapping[str, tuple[float | None, float]],
    **guards: float,
) -> Any:
    def scored(rows: Mapping[str, tuple[float | None, float]]) -> dict[str, Scored]:
        return {
            i: Scored(values={"citation_recall": r, "citation_precision": p})
            for i, (r, p) in rows.items()
        }

    settings = ObjectiveSettings(primary="citation_recall", guards=guards)
    groups = {i: i for i in before}
    return verdict(
        scored(before), scored(after), groups, METRICS, settings, seed=0, max_failed=0.25
    )


OLD = {str(n): (0.3 + n / 100, 0.9) for n in range(6)}


def test_only_what_is_surely_better_and_guarded_is_promoted() -> None:
    better = {i: (r + 0.2 + int(i) / 50, p) for i, (r, p) in OLD.items()}
    assert _verdict(OLD, better, citation_precision=0.0).promoted
    mixed = {i: (r + (0.3 if int(i) % 2 else -0.25), p) for i, (r, p) in OLD.items()}
    assert "not all of it is above 0" in _verdict(OLD, mixed).reason
    costly = {i: (r, p - 0.2) for i, (r, p) in better.items()}
    found = _verdict(OLD, costly, citation_precision=0.1)
    assert not found.promoted
    assert "citation_precision changes by -0.2, more than 0.1" in found.reason
    silent = {i: (None if int(i) < 2 else r, p) for i, (r, p) in better.items()}
    assert "2 of 6 held-out texts lost their citation_recall" in _verdict(OLD, silent).reason


# --- compiled programs --------------------------------------------------------


def _changed() -> Ask:
    program = Ask(WriteEssay)
    predictor = program.predict
    predictor.signature = predictor.signature.with_instructions("Write it ```well```.")
    predictor.demos = [dspy.Example(proposition="P", essay="E [1].", augmented=True)]
    return program


def test_a_compiled_program_comes_back_as_it_was(tmp_path: Path) -> None:
    made = compiled(_changed(), "essay", "e2e")
    path = tmp_path / "program.json"
    path.write_text(made.text())
    fresh = apply(read(path), Ask(WriteEssay), source="here")
    assert state_of(fresh) == made.program
    assert compiled(fresh, "essay", "e2e").text() == made.text()
    shown = diff(state_of(Ask(WriteEssay)), made.program)
    assert "Demonstrations: 0 before, 1 after." in shown
    assert "````diff" in shown


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: s["goal"].update(type="another"), "the field 'goal' has another type"),
        (lambda s: s.pop("goal"), "the field 'goal' is new"),
        (lambda s: s.update(extra=s["goal"]), "the field 'extra' is no longer there"),
    ],
)
def test_a_changed_signature_is_refused_with_its_field(change: Any, said: str) -> None:
    made = compiled(_changed(), "essay", "e2e")
    plain = made.model_dump(mode="json")
    (shape,) = plain["signatures"].values()
    change(shape)
    with pytest.raises(ConfigError, match=said):
        apply(
            type(compiled(_changed(), "a", "b")).model_validate(plain), Ask(WriteEssay), source="x"
        )


# --- trials and budgets -------------------------------------------------------


def _trials(folder: Path) -> tuple[Trials, Any]:
    original = state_of(Ask(WriteEssay))
    objective = Objective(
        ObjectiveSettings(primary="citation_recall"),
        {"citation_recall": Norm(mean=0.5, sd=0.1, sign=1)},
    )
    trials = Trials(
        ["a", "b"], original, objective.parts, lambda: (7, 0.1), folder, most_failed=0.25
    )

    def note(name: str, *values: float | None) -> None:
        program = restore(original, Ask(WriteEssay))
        state = state_of(program)
        for item, value in zip("ab", values, strict=True):
            scored = Scored(values={"citation_recall": value})
            trials.note(name, state, item, scored, objective.of(scored))

    return trials, note


def test_the_best_so_far_is_on_disk_after_every_trial(tmp_path: Path) -> None:
    trials, note = _trials(tmp_path)
    for name, values, best in (
        ("first", (0.5, 0.5), "first"),
        ("equal", (0.5, 0.5), "first"),
        ("better", (0.6, 0.5), "better"),
        ("silent", (None, 0.9), "better"),
    ):
        note(name, *values)
        kept = json.loads((tmp_path / "best.json").read_text())
        assert kept["digest"] == best
    assert len((tmp_path / "trials.jsonl").read_text().splitlines()) == 4
    chosen = trials.best()
    assert chosen is not None
    assert chosen.digest == "better"
    assert [t.n_abstained for t in trials.done] == [0, 0, 0, 1]
    # A search that is resumed meets its first candidates again: the best stays.
    _, again = _trials(tmp_path)
    again("first", 0.5, 0.5)
    assert json.loads((tmp_path / "best.json").read_text())["digest"] == "better"


def test_a_search_ends_at_its_budget_and_the_run_at_its_own(tmp_path: Path) -> None:
    ledger = SearchLedger(tmp_path / "ledger.jsonl", Budget(calls=5), SearchBudget(calls=2))
    with searching():
        ledger.check()
        ledger.record("call", role="writer", model="m")
        ledger.record("cached", role="writer", model="m")
        with pytest.raises(SearchEnded, match="its budget of 2 calls is used up"):
            ledger.check()
    for _ in range(4):  # one of the five calls was the search's, the cached one cost nothing
        ledger.check()
        ledger.record("call", role="writer", model="m")
    with pytest.raises(BudgetReached):
        ledger.check()


def test_what_ends_a_search_passes_through_handlers_of_exceptions() -> None:
    assert not issubclass(SearchEnded, Exception)


def test_reflection_passes_over_components_that_were_not_asked() -> None:
    class Two(dspy.Module):
        def __init__(self) -> None:
            super().__init__()
            self.write, self.plan = Ask(WriteEssay), Ask(MakePlan)

    choose = AskedComponents(cast(Any, SimpleNamespace(target=SimpleNamespace(program=Two))))
    names = ["program.plan.predict", "program.write.predict"]
    state = SimpleNamespace(
        list_of_named_predictors=names, named_predictor_id_to_update_next_for_program_candidate=[0]
    )
    written: list[Any] = [{"trace": [(Ask(WriteEssay).predict, {}, None)]}]
    both = [{"trace": [*written[0]["trace"], (Ask(MakePlan).predict, {}, None)]}]
    chosen = [choose(state, given, [], 0, {})[0] for given in (written, both, both, written)]
    assert chosen == [names[1], names[0], names[1], names[1]]


# --- what judges is not tuned with what it judges -------------------------------------------------


def test_a_citation_judge_is_closed_to_tuning() -> None:
    settings = EssaySettings.model_validate({"citations": {"by": "judge"}})
    bound: list[Any] = []

    def bind(program: Any) -> Any:
        bound.append(program)
        return program

    target = EssayTarget(
        EndToEnd(), settings, NoEvidence(), Angles(), bind, stance="refute", writer="w"
    )
    program = target.program()
    assert bound == judges_of(program) != []
    named = {p.signature.__name__ for _, p in program.named_predictors()}
    assert named == {"WriteOutright"}
    # A flow whose judge is open takes what was tuned, and keeps its judge's own prompt.
    flow = EndToEnd().program(settings, NoEvidence(), Angles())
    apply(compiled(program, "essay", "e2e"), flow, source="here")
    assert any(p.signature.__name__ == "JudgeCitations" for _, p in flow.named_predictors())


def test_replicates_are_rollouts_of_their_own_and_their_steps_are_the_programs() -> None:
    class Target(EssayTarget):
        def row(self, program: Any, item: Any) -> dict[str, Any]:
            reply = program(subject=item.text)
            return {"generation": reply.answer, "question": item.text}

        def program(self) -> Any:
            return Asked()

    class Asked(dspy.Module):
        def __init__(self) -> None:
            super().__init__()
            self.ask = dspy.Predict("subject -> answer")

        def forward(self, *, subject: str) -> Any:
            return self.ask(subject=subject)

    program = Asked()
    program.ask.lm = dspy.utils.DummyLM([{"answer": f"{n}"} for n in range(3)])
    program.ask.demos = [dspy.Example(subject="a", answer="b")]
    target = Target(
        EndToEnd(),
        EssaySettings(),
        NoEvidence(),
        Angles(),
        lambda p: p,
        stance="refute",
        writer="w",
    )
    with dspy.context(trace=[]):
        rows = written(target, program, Question(id="1", text="Q"), 3)
        steps = dspy.settings.trace
    assert [row["generation"] for row in rows] == ["0", "1", "2"]
    assert [step[0] for step in steps] == [program.ask] * 3
    copies = [copied(target, program, n).ask for n in (1, 2)]
    assert len({one.lm.kwargs["rollout_id"] for one in copies}) == 2
    assert all(one.demos == program.ask.demos for one in copies)
    metric = SelfEmb()
    found = figures(rows, "generation", {"self_emb": metric, **METRICS}, Tools(Angles()))
    assert found.values["self_emb"] is not None
    assert sorted(found.failed) == sorted(METRICS)  # these rows cite nothing that could be read
