"""Every option of every group composes, and becomes a typed configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.contract import Tools
from flows.arguments import keys
from flows.config import EssayConfig, typed
from flows.configs import CONFIGS
from signatures.errors import ConfigError, InputError, MootError
from tests.support import ROOT, composed

CONF = ROOT / "conf"
SUBJECT = "subject=We should make museums free"
SHARED = {"experiment", "hydra", "__pycache__"}


ANSWERS = {"basic", "comprehensive", "detailed", "perspectives"}
ESSAYS = {p.stem for p in (CONF / "method").glob("*.yaml")} - ANSWERS
SETTINGS = {"answer": "answer", "debate": "debate", "essay": "essay", "evaluation": "essay"}
MISMATCHED = {
    *(("essay", "method", name) for name in ANSWERS),
    *(("answer", "method", name) for name in ESSAYS),
    *(
        (flow, "settings", other)
        for flow, own in SETTINGS.items()
        for other in {*SETTINGS.values()} - {own}
    ),
}
"""Options of another flow; tests/flows/test_answer.py sees them refused."""


def _words(flow: str, *overrides: str) -> list[str]:
    """The overrides, after a subject where the flow has one."""
    return [SUBJECT, *overrides] if "subject" in keys(flow) else [*overrides]


def _options() -> list[tuple[str, str, str]]:
    found = []
    for flow in sorted(CONFIGS):
        text = (CONF / f"{flow}.yaml").read_text(encoding="utf-8")
        for group in sorted(p for p in CONF.iterdir() if p.is_dir() and p.name not in SHARED):
            if f"- {group.name}:" in text:
                found += [(flow, group.name, p.stem) for p in sorted(group.glob("*.yaml"))]
    for bundle in ("citations", "cited_argument", "turns"):
        found.remove(("score", "metric", bundle))  # score takes one metric
    return [option for option in found if option not in MISMATCHED]


@pytest.mark.parametrize(("flow", "group", "option"), _options())
def test_option_composes_and_validates(flow: str, group: str, option: str, tmp_path: Path) -> None:
    value = f"[{option}]" if group == "metric" else option
    needed = ["metric=self_bleu"] if flow == "score" and group != "metric" else []
    words = _words(flow, f"{group}={value}", f"paths.artifacts={tmp_path}", *needed)
    plain = composed(flow, *words)
    config = typed(CONFIGS[flow], plain)
    assert config.paths.index == tmp_path / "index"


@pytest.mark.parametrize("flow", sorted(CONFIGS))
def test_every_group_in_the_flow_is_a_folder(flow: str) -> None:
    import yaml

    root = yaml.safe_load((CONF / f"{flow}.yaml").read_text(encoding="utf-8"))
    for entry in root["defaults"]:
        if isinstance(entry, dict):
            (name,) = entry
            folder = name.removeprefix("override ").split("@")[0]
            assert (CONF / folder).is_dir(), name


EXPERIMENTS = {
    "answers": ("evaluation",),
    "grid": ("evaluation",),
    "meta": ("meta",),
    "s1": ("essay", "evaluation"),
    "table1": ("evaluation",),
}


def test_every_experiment_is_for_a_flow() -> None:
    assert set(EXPERIMENTS) == {p.stem for p in (CONF / "experiment").glob("*.yaml")}


@pytest.mark.parametrize(
    ("option", "flow"), [(name, flow) for name, flows in EXPERIMENTS.items() for flow in flows]
)
def test_experiment_composes(option: str, flow: str) -> None:
    typed(CONFIGS[flow], composed(flow, *_words(flow, f"experiment={option}")))


def test_a_role_can_have_its_own_backend() -> None:
    plain = composed("essay", SUBJECT, "backend@roles.judge=openai", "roles.judge.model=gpt-4o")
    config = typed(CONFIGS["essay"], plain)
    assert config.roles["judge"].model == "gpt-4o"  # type: ignore[attr-defined]
    assert config.backend.name == "extractive"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["personas.minimum=0"], "personas.minimum"),
        (["personas.minimum=9", "personas.maximum=8"], "minimum must not exceed maximum"),
        (["personas.team_size=9", "personas.maximum=8"], "team_size must not exceed maximum"),
        (["stance=attack"], "stance"),
        (["debate.stop_on_no_novelty=2"], "debate.stop_on_no_novelty"),
        (["personas.values=[fairness,'']"], "personas.values"),
        (["samples=0"], "samples"),
        (["samples_tokens=0"], "samples_tokens"),
        (["method=americano", "method.refinements=9"], "method.refinements"),
        (["+debate.rounds=3"], "unknown option debate.rounds"),
        (["backend=openai", "backend.temperature=5"], "backend.temperature"),
        (["backend=openai", "backend.base_url=https://me:pw@host/v1"], "credentials"),
        (["backend=openai", "+backend.api_key=sk-123"], "unknown option backend.api_key"),
        (["seed=-1"], "seed"),
        (["budget.usd=-1"], "budget.usd"),
        (["backend=openai", "backend.model=new", "budget.usd=1"], "price of 'new' is unknown"),
        (["+roles.painter={_target_: modules.lm.backends.ExtractiveBackend}"], "painter"),
        (["method._target_=nowhere.Method"], "nowhere.Method"),
    ],
)
def test_bad_values_fail_with_one_clear_line(overrides: list[str], said: str) -> None:
    with pytest.raises(MootError) as caught:
        typed(CONFIGS["essay"], composed("essay", SUBJECT, *overrides))
    assert said in caught.value.line()
    assert caught.value.exit_code == 2
    assert "\n" not in caught.value.line()


@pytest.mark.parametrize("subject", ["", "   ", "x" * 3000])
def test_unusable_subjects_are_refused(subject: str) -> None:
    plain = composed("essay", "subject=x") | {"subject": subject}
    with pytest.raises(InputError):
        typed(CONFIGS["essay"], plain)


def test_a_key_never_reaches_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    plain = composed("essay", SUBJECT, "backend=openai")
    config = typed(CONFIGS["essay"], plain)
    assert "sk-very-secret" not in repr(plain) + repr(config)


def test_a_target_of_ones_own_works() -> None:
    target = "tests.conf.own.ShoutingMetric"
    plain = composed("essay", SUBJECT, f"+metrics.shouting={{_target_: {target}}}")
    config = typed(CONFIGS["essay"], plain)
    assert isinstance(config, EssayConfig)
    score = config.metrics["shouting"].score({"essay": "LOUD words"}, Tools())
    assert score.value == 0.5


@pytest.mark.parametrize("path", sorted((CONF / "backend").glob("*.yaml")), ids=lambda p: p.stem)
def test_a_backends_yaml_lists_every_option_it_has(path: Path) -> None:
    import yaml
    from hydra.utils import get_object

    node = yaml.safe_load(path.read_text(encoding="utf-8"))
    fields = set(get_object(node.pop("_target_")).model_fields)
    if path.stem == "extractive":
        return  # nothing about it is an option
    optional = {"adapter"}
    assert set(node) | optional >= fields, f"missing: {sorted(fields - set(node))}"


@pytest.mark.parametrize(
    "option",
    [
        "backend.wire=json", "backend.retries=5", "backend.timeout_s=9", "backend.model=m",
        "backend.base_url=http://h/v1", "recall.background=5", "debate.max_rounds=1",
        "evidence=none", "budget.usd=null", "backend.temperature=0", "backend.top_p=0.9",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["openai", "vllm", "ollama", "llamacpp", "anthropic"])
def test_an_option_that_errors_recommend_composes(option: str, name: str) -> None:
    typed(CONFIGS["essay"], composed("essay", SUBJECT, f"backend={name}", option))


def test_a_method_and_a_backend_of_ones_own_work(tmp_path: Path) -> None:
    plain = composed(
        "essay", SUBJECT, "method._target_=tests.conf.own.ShortMethod",
        "backend._target_=tests.conf.own.OwnBackend", f"paths.artifacts={tmp_path}",
    )  # fmt: skip
    config = typed(EssayConfig, plain)
    assert config.method.name == "short"
    assert config.backend.identity() == "own/own-model"


def test_a_password_in_an_address_is_refused() -> None:
    plain = composed("essay", SUBJECT, "tracking.uri=http://me:secret@host")
    with pytest.raises(ConfigError, match="no password") as caught:
        typed(EssayConfig, plain)
    assert "secret" not in caught.value.line()


def test_a_target_that_is_no_metric_is_refused() -> None:
    plain = composed("essay", SUBJECT, "+metrics.odd={_target_: builtins.dict}")
    with pytest.raises(ConfigError, match=r"metrics\.odd"):
        typed(CONFIGS["essay"], plain)
