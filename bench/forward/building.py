"""Vintage's own verbs: builds that register, export and run."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_ANSWERS = (0, 1, 3, 4)  # A build that breaks is a result as well; 2 is a wrong call.
OF_EACH_PRIMITIVE = ("--cases", "harnesses", "--one-of-each", "dtype", "--filter",
                     "name=jax:*float32*", "--platform", "cpu", "tpu", "cuda")  # fmt: skip
KERNEL = "kernel:add_f32"  # The sum of two arrays.
KERNELS = ("--cases", "kernels", "--platform", "tpu", "cuda", "--filter", f"name={KERNEL}/*")
_MODELS = ("attention", "call_module_over_variables")  # Nightly builds save these.
_SECONDS = "900"  # For one artifact: a busy machine is no consumer's fault.


def add_options(parser: argparse.ArgumentParser) -> None:
    """The program, what register() registers, and whether a page is only written."""
    parser.add_argument("--vintage", type=Path, help="the program")
    parser.add_argument("--work", type=Path, help="a folder for the archive")
    parser.add_argument("--jax", nargs="+", default=[], help="releases that export")
    parser.add_argument("--libtpu", default="", help="0.0.30..")
    parser.add_argument("--cuda", default="", help="0.9..0.12")
    parser.add_argument("--every", type=int, default=1, help="days between builds of a range")
    parser.add_argument("--cuda-tools", type=Path, help="the folder that has bin/ptxas and nvvm")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--write", action="store_true", help="only write the page")
    parser.add_argument("--check", action="store_true", help="only look whether it is fresh")


class Vintage:
    def __init__(
        self, program: Path, archive: Path, cases: tuple[str, ...], options: tuple[str, ...] = ()
    ) -> None:
        """`cases`: what a release of JAX exports; `options`: with which a compiler is registered"""
        self._program, self._archive, self._cases = program, archive, cases
        self._options = options

    def _run(self, verb: str, *words: str) -> str:
        command = [str(self._program), *verb.split(), "--archive", str(self._archive), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in _ANSWERS:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: "
                             f"{(done.stderr or done.stdout)[-1000:]}")  # fmt: skip
        if done.stderr:
            print(done.stderr[-500:], file=sys.stderr)
        return done.stdout

    def register(self, options: argparse.Namespace) -> None:
        self._archive.parent.mkdir(parents=True, exist_ok=True)
        known = {build["name"] for build in self.builds()} if self._archive.exists() else set()
        if missing := [v for v in options.jax if f"jax-{v}" not in known]:
            self._run("builds add", "--jax", *missing)
        every = ["--every", str(options.every)]
        if options.tensorflow_nightly:
            self._run("builds add", "--tensorflow-nightly", *options.tensorflow_nightly, *every)
        if options.libtpu:
            self._run("builds add", "--libtpu", options.libtpu, *every, *self._options)
        if options.cuda:
            tools = options.cuda_tools
            self._run("builds add", "--cuda", options.cuda, *every, *self._options, "--environment",
                      f"PATH={tools}/bin:/usr/bin:/bin", "--environment",
                      f"XLA_FLAGS=--xla_gpu_cuda_data_dir={tools}")  # fmt: skip

    def builds(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = json.loads(self._run("builds list", "--format", "json"))
        return listed

    def produced(self, build: dict[str, Any]) -> bool:
        return self._done(build).exists()

    def _done(self, build: dict[str, Any]) -> Path:
        return self._archive.with_name(f"{build['name']}.produced")

    def produce(self, build: dict[str, Any]) -> None:
        """Exports what the archive lacks, once."""
        if self.produced(build):
            return
        name = build["name"]
        if name.startswith("jax-"):
            self._run("produce", "--build", name, *self._cases)
        else:
            self._run("produce", "--build", name, "--format", "saved-model", "--filter",
                      *(f"name={model}" for model in _MODELS))  # fmt: skip
        self._done(build).touch()

    def replay(
        self, producers: list[dict[str, Any]], consumer: dict[str, Any], *choice: str
    ) -> list[dict[str, Any]]:
        """Each artifact that was made on their days, with its outcome."""
        days = sorted(producer["build_date"] for producer in producers)
        made = ["--built-from", days[0], "--built-until", days[-1], *choice]
        mode = "compiled" if "compiled" in consumer["modes"] else "compile-only"
        platform = consumer["platforms"][0]
        pairs = self._pairs(consumer["name"], mode, *made, "--platform", platform)
        artifacts = {each["id"]: each for each in self._list(made)} if pairs else {}
        return [artifacts[pair["artifact"]] | pair for pair in pairs]

    def produce_by_jax2tf(self, saved_by: str, jax: str) -> dict[str, Any] | None:
        """The report; None: it was done before."""
        done = self._done({"name": f"{saved_by}-{jax}"})
        if done.exists():
            return None
        report: dict[str, Any] = json.loads(self._run(
            "produce", "--build", saved_by, "--jax2tf", jax, "--format", "json"))  # fmt: skip
        done.touch()
        return report

    def replay_models(self, saved_by: str, build: str, mode: str) -> list[dict[str, Any]]:
        return self._pairs(build, mode, "--producer", " ".join(saved_by.rsplit("-", 1)))

    def _pairs(self, build: str, mode: str, *choice: str) -> list[dict[str, Any]]:
        """None where the build does not start: the next call tries it again."""
        text = self._run("replay", "--build", build, "--mode", mode, *choice, "--workers", "1",
                         "--timeout", _SECONDS, "--format", "json")  # fmt: skip
        answer = json.loads(text) if text.strip() else {}
        if "error" in answer:
            print(f"{build}: {answer['error']}", file=sys.stderr)
        pairs: list[dict[str, Any]] = answer.get("pairs", [])
        return pairs

    def _list(self, made: list[str]) -> list[dict[str, Any]]:
        artifacts: list[dict[str, Any]] = json.loads(self._run("list", *made, "--format", "json"))
        return artifacts
