"""The plugins for accelerators that belong to a release, fetched to be asked on any machine; and
libraries that stand in for a vendor's, so that a plugin answers without an accelerator.

ROCm's plugins load only where ROCm's libraries are. Lowerings from before 0.5 ask CUDA's solvers
for sizes of workspaces. Neither the targets of a plugin nor the calls of a lowering depend on these
libraries, so functions that answer 0, the vendors' code for success, serve as well. So they do for
PyTorch's wheels on the package index, which need CUDA's libraries to load.
"""

import ctypes
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

from vintage_jax.describe.targets import plugin_packages
from vintage_python.environment.make import take_package
from vintage_python.environment.uv import Interpreter, Uv
from vintage_python.failure import Failure
from vintage_python.progress import note

# By platform the projects that hold its plugin, the one to be asked first. A release of ROCm's
# may be repeated as a post-release; not every release of JAX has one.
PROJECTS = {
    "cuda": ("jax-cuda12-plugin", "jax-cuda13-plugin"),
    "rocm": ("jax-rocm7-plugin", "jax-rocm60-plugin"),
}


def add_plugins(platforms: Sequence[str], record: dict[str, Any]) -> None:
    """Makes the plugins of an environment's release importable, before JAX is imported. A plugin
    that is not available is noted: the targets of its platform are unknown then."""
    there = {platform for platform, _ in plugin_packages()}
    wanted = [each for each in platforms if each in PROJECTS and each not in there]
    if not wanted:
        return
    uv = Uv(Path(record["path"]).parent.parent.resolve())
    interpreter = Interpreter(f"{record['path']}/bin/python", record["python"]["version"])
    for platform in wanted:
        try:
            content = _take(platform, record["release"], interpreter, uv)
            stand_in_for_vendor(platform, content)
        except Failure as failure:
            note(f"{failure}; what {platform} registers is not known")
            continue
        sys.path.append(str(content))


def _take(platform: str, release: str, interpreter: Interpreter, uv: Uv) -> Path:
    reasons = []
    for project in PROJECTS[platform]:
        kept = uv.root.glob(f"packages/*/content/{project.replace('-', '_')}-{release}.dist-info")
        for information in kept:
            tag = f"Tag: cp{interpreter.python.replace('.', '')}-"
            if tag in (information / "WHEEL").read_text(encoding="utf-8"):
                return information.parent
        try:
            return take_package(uv, project, release, interpreter)[1]
        except Failure as failure:
            reasons.append(str(failure))
    raise Failure(f"there is no plugin of {release} for {platform}: {reasons[0]}")


# CUDA's libraries are opened while lowering, and asked for functions by these names.
_CUDA_LIBRARIES = ("libcublas.so.12", "libcusolver.so.11", "libcusparse.so.12")
_CUDA_FUNCTION = rb"(?:cusolver|cusparse|cublas)[A-Z]\w*"
# ROCm's are needed by the plugin's own.
_ROCM_LIBRARY = rb"lib(?:amd|hip|roc|hsa|MIOpen|rccl)[\w-]*\.so(?:\.\d+)?"
_ROCM_FUNCTION = re.compile(
    r" U ((?:__hip|hip|roc|miopen|rccl|nccl|hsa_|amd_)\w+)@?@?(\w[\w.]*)?$", re.M
)
# Those that PyTorch's libraries name as needed, and what these call.
_TORCH_LIBRARY = re.compile(r"^ *NEEDED +(lib(?:cu|nv|nccl)[\w-]*\.so[.\d]*)$", re.M)
_TORCH_FUNCTION = re.compile(r" [Uw] ((?:__cu|cu|nv|nccl)\w+)@?@?(\w[\w.]*)?$", re.M)
_COMPILE_SECONDS = 300


def stand_in_for_vendor(platform: str, plugin: Path) -> None:
    """Loads them into this process, where the vendor's own are missing."""
    own = sorted(plugin.glob("*/*.so"))
    if platform == "cuda":
        libraries = set(_CUDA_LIBRARIES)
        functions = dict.fromkeys(_strings(own, _CUDA_FUNCTION), "")
    elif platform == "torch":
        libraries = set(_TORCH_LIBRARY.findall(_run([_tool("objdump"), "-p", *map(str, own)])))
        functions = dict(_TORCH_FUNCTION.findall(_undefined(own)))
    else:
        libraries = _strings(own, _ROCM_LIBRARY)
        # A library that was linked without naming HIP asks for its functions without a version.
        functions = dict(sorted(_ROCM_FUNCTION.findall(_undefined(own)), key=lambda each: each[1]))
    missing = sorted(name for name in libraries if not _is_here(name))
    if missing:
        _load(missing, functions)


def _strings(own: Sequence[Path], pattern: bytes) -> set[str]:
    return {
        text.decode()
        for library in own
        for text in library.read_bytes().split(b"\0")
        if re.fullmatch(pattern, text)
    }


def _undefined(own: Sequence[Path]) -> str:
    return _run([_tool("nm"), "-D", "--undefined-only", *map(str, own)])


def _is_here(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _load(libraries: Sequence[str], functions: dict[str, str]) -> None:
    """`functions`: by name the version of its symbol; empty: it has none."""
    source = "".join(f"int {name}(void) {{ return 0; }}\n" for name in sorted(functions))
    # The linker asserts that a symbol has the version under which it is asked for.
    by_version: dict[str, list[str]] = {}
    for name, version in sorted(functions.items()):
        if version:
            by_version.setdefault(version, []).append(name)
    versions = "".join(
        f"{version} {{ global: {'; '.join(names)}; }};\n"
        for version, names in sorted(by_version.items())
    )
    with TemporaryDirectory(prefix="vintage-stand-ins-") as folder:
        place = Path(folder)
        (place / "functions.c").write_text(source)
        (place / "versions").write_text(versions)
        script = [f"-Wl,--version-script={place / 'versions'}"] if versions else []
        for library in libraries:
            _run([_tool("cc"), "-w", "-fno-builtin", "-fPIC", "-shared", *script,
                  f"-Wl,-soname,{library}", "-o", str(place / library),
                  str(place / "functions.c")])  # fmt: skip
            # Later loads of this name find the one that is loaded, and libraries that name none
            # find its functions.
            ctypes.CDLL(str(place / library), mode=ctypes.RTLD_GLOBAL)


def _tool(name: str) -> str:
    found = which(name)
    if found is None:
        raise Failure(f"'{name}' is not here (Debian: gcc), which makes libraries that stand in "
                      "for the vendor's")  # fmt: skip
    return found


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_COMPILE_SECONDS, check=False
    )
    if done.returncode != 0:
        raise Failure(f"{Path(command[0]).name} cannot make stand-ins for the vendor's libraries: "
                      f"{done.stderr.strip()[:300]}")  # fmt: skip
    return done.stdout
