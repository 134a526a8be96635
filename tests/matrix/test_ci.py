"""Scheduled runs are rendered from one plan, and are documents that their engines accept."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import Any

import pytest
import yaml

from matrix.catalog import ROOT
from matrix.ci import PROVIDERS, Settings, render, write
from matrix.cli import main
from matrix.errors import UsageError
from matrix.selection import Selection

GITHUB, GITLAB, KUBERNETES, SLURM = (PROVIDERS[name] for name in ("github", "gitlab", "kubernetes", "slurm"))
FEW = Settings(
    selection=Selection(torch=("1.8.0", "2.0.1"), cases=("affine_grid-2d",)), flags=("--torch", "1.8.0,2.0.1")
)


def schema(name: str) -> Any:
    folder = resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("provider", "jobs"), [(GITHUB, 24), (GITLAB, 8)], ids=["github", "gitlab"])
def test_the_committed_workflow_is_what_the_template_gives(provider: Any, jobs: int) -> None:
    assert (ROOT / provider.path).read_text(encoding="utf-8") == render(provider, Settings(jobs=jobs))


@pytest.mark.parametrize(("provider", "name"), [(GITHUB, "github-workflows"), (GITLAB, "gitlab-ci")])
def test_the_workflow_follows_its_schema(provider: Any, name: str) -> None:
    import jsonschema

    document = yaml.load(render(provider, Settings(jobs=8)), Loader=yaml.BaseLoader)  # `on` and numbers stay text
    complaints = [
        error.message
        for error in jsonschema.validators.validator_for(schema(name))(schema(name)).iter_errors(_typed(document))
    ]
    assert complaints == []


def _typed(value: Any) -> Any:
    """Numbers and booleans as such; keys stay text (`on` is no boolean)."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return yaml.safe_load(value) if re.fullmatch(r"\d+|true|false", value) else value


def test_github_asks_for_the_plan_when_it_runs_and_never_puts_an_input_into_a_script() -> None:
    text = render(GITHUB, Settings(jobs=256, runners=("self-hosted", "a100")))
    assert "runs-on: [self-hosted, a100]" in text
    assert "shards --jobs 256 --json $ARGUMENTS" in text
    scripts = [
        step.get("run", "") for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]
    ]  # fmt: skip
    assert not any("${{" in script for script in scripts)


def test_the_others_are_told_how_many_shards_are_worth_having() -> None:
    job = yaml.safe_load(render(KUBERNETES, FEW))
    assert job["spec"]["completions"] == 2
    command = job["spec"]["template"]["spec"]["containers"][0]["args"][0]
    assert '--shard "$((JOB_COMPLETION_INDEX + 1))/2"' in command
    assert "--torch 1.8.0,2.0.1" in command
    assert "#SBATCH --array=1-2%8" in render(SLURM, FEW)


def test_kubernetes_accepts_the_job() -> None:
    import kubernetes_validate

    kubernetes_validate.validate(yaml.safe_load(render(KUBERNETES, FEW)), "1.30", strict=True)


def test_a_machine_without_a_gpu_asks_for_none() -> None:
    settings = Settings(gpus=0, selection=FEW.selection)
    assert "gpu" not in render(KUBERNETES, settings)
    assert "gpu" not in render(SLURM, settings)


def test_words_of_the_selection_are_quoted_for_the_shell() -> None:
    settings = Settings(selection=FEW.selection, flags=("--case", "grid_sample-*; rm -rf /"))
    assert "--case 'grid_sample-*; rm -rf /'" in render(SLURM, settings)


@pytest.mark.parametrize(
    ("provider", "settings", "complaint"),
    [
        (GITHUB, Settings(jobs=257), "1 to 256 jobs"),
        (SLURM, Settings(jobs=0), "1 to 1000 jobs"),
        (GITHUB, Settings(flags=("--torch", "1.8.0")), "when they are started"),
    ],
)
def test_what_an_engine_cannot_do_is_said(provider: Any, settings: Settings, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        render(provider, settings)


def test_only_the_engines_with_a_place_are_written(tmp_path: Any) -> None:
    assert write(GITHUB, "text", tmp_path) == tmp_path / ".github" / "workflows" / "matrix.yml"
    with pytest.raises(UsageError, match="no fixed place"):
        write(SLURM, "text", tmp_path)


def test_the_command_prints_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ci", "--provider", "slurm", "--torch", "1.8.0", "--case", "affine_grid-2d"]) == 0
    assert capsys.readouterr().out.startswith("#!/bin/bash")
