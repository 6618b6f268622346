"""How a release of JAX writes Pallas kernels: by each backend one kernel, as jit lowers it and as
an export does.

    PYTHON bench/forward/kernel_formats.py

prints it for the JAX of its interpreter; `of_all` asks each release of a root.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGES = Path(__file__).resolve().parents[2] / "harness/runtimes/python"
BACKENDS = ("mosaic", "triton", "mosaic_gpu")
MODES = ("ignore_forward_compatibility", "default")  # As jit lowers, and as an export does.
FIRST = (0, 4, 30)


def of_all(root: Path) -> list[dict[str, Any]]:
    """Each release that lies there: its name, its day, and how it writes."""
    rows = []
    for place in sorted(root.glob("environments/jax-*"), key=_version):
        if _version(place) >= FIRST:
            released = json.loads((place / "environment.json").read_text()).get("released", "")
            rows.append({"release": _release(place), "released": released, "formats": _ask(place)})
            print(f"{place.name}: {rows[-1]}", file=sys.stderr, flush=True)
    return rows


def _release(place: Path) -> str:
    return place.name.split("-")[1]


def _version(place: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in _release(place).split("."))


def _ask(place: Path) -> dict[str, str]:
    """By backend and mode, how the release writes; or why it does not."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGES), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([place / "bin/python", __file__], env=environment, capture_output=True,
                          check=False, text=True)  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(f"{place}: {done.stderr[-2000:]}")
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


# In the process of a release:


def formats_of_this_release() -> dict[str, str]:
    from vintage_jax.release import load_jax

    load_jax()
    from vintage_jax.produce.export import exported_as, ignore_forward_compatibility
    from vintage_jax.produce.kernels.elementwise import cases

    found = {}
    by_name = {case.name: case for case in cases()}
    for backend in BACKENDS:
        case = by_name[f"kernel:add_f32/{backend}"]
        for mode in MODES:
            if not ignore_forward_compatibility(mode != "default"):
                continue
            try:
                module, _ = exported_as(case.prepare(), case.platforms[0], text)
            except Exception as problem:
                found[f"{backend} {mode}"] = f"not written: {first_line(problem)}"
                continue
            try:
                found[f"{backend} {mode}"] = format_of(module)
            except Exception as problem:
                found[f"{backend} {mode}"] = f"written, and not read here: {first_line(problem)}"
    return found


def first_line(problem: BaseException) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0][:200]


def text(exported: Any) -> Any:
    module = exported.mlir_module
    return module() if callable(module) else module


def format_of(module: str) -> str:
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir

    with mlir.make_ir_context():
        parsed = ir.Module.parse(module)
        configured = ((call, configuration(call, ir)) for call in calls_in(parsed.operation))
        call, config = next(pair for pair in configured if pair[1])
        target = ir.StringAttr(call.attributes["call_target_name"]).value
        payload = payload_of(config)
        kind = "bytecode" if payload.startswith(b"ML\xefR") else "text"
        return f"{target}: {kind}{version_of(payload, ir)}"


def calls_in(operation: Any) -> Iterator[Any]:
    for region in operation.regions:
        for block in region.blocks:
            for each in block.operations:
                if each.operation.name == "stablehlo.custom_call":
                    yield each.operation
                yield from calls_in(each.operation)


def configuration(call: Any, ir: Any) -> Any:
    """The attributes of the call: a dictionary, JSON, or bytes."""
    for name in ("mhlo.backend_config", "backend_config"):
        if name in call.attributes:
            value = call.attributes[name]
            try:
                return {each.name: each.attr for each in ir.DictAttr(value)}
            except (TypeError, ValueError):
                return ir.StringAttr(value).value_bytes
    return None


def payload_of(config: Any) -> bytes:
    if isinstance(config, bytes):
        if not config.startswith(b"{"):
            return config[32:]  # Behind a hash.
        return base64.b64decode(json.loads(config)["custom_call_config"]["body"])
    key = "ir" if "ir" in config else "module"
    from jax._src.lib.mlir import ir

    return ir.StringAttr(config[key]).value_bytes


def version_of(payload: bytes, ir: Any) -> str:
    """The version that the kernel's module states, if it states one."""
    from jax._src.interpreters import mlir

    with mlir.make_ir_context() as context:
        context.allow_unregistered_dialects = True
        with contextlib.suppress(ImportError, AttributeError):
            from jax._src.lib import tpu

            tpu.register_dialect(context)
        with contextlib.suppress(ImportError, AttributeError):
            from jax._src.lib import mosaic_gpu_dialect

            mosaic_gpu_dialect.register_dialect(context)
        if payload.startswith(b"ML\xefR"):
            producer = payload[5 : payload.index(b"\0", 5)].decode(errors="replace")
            known = payload.find(b"stable_mosaic")
            if known < 0:
                return f" of {producer}, no version"
        elif stated := re.search(rb"stable_mosaic\w*\.version = (\d+)", payload):
            return f", version {int(stated[1])}"
        module = ir.Module.parse(payload)
        for name in ("stable_mosaic.version", "stable_mosaic_gpu.version"):
            if name in module.operation.attributes:
                return f", version {ir.IntegerAttr(module.operation.attributes[name]).value}"
    return ", no version"


if __name__ == "__main__":
    print(json.dumps(formats_of_this_release()))
