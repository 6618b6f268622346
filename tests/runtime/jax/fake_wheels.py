"""Small wheels of our own, so that bad ones can be had without a network."""

import base64
import hashlib
import sys
import zipfile

TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"
PLACE = "manylinux2014_x86_64"


def digest(text):
    value = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def write_wheel(folder, name, version, files, binary=False, needs=(), programs=()):
    tag = f"{TAG}-{TAG}-{PLACE}" if binary else "py3-none-any"
    info = f"{name}-{version}.dist-info"
    requirements = "".join(f"Requires-Dist: {each}\n" for each in needs)
    everything = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
                            f"{requirements}",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\n"
                         f"Tag: {tag}\n",
    }  # fmt: skip
    record = "".join(f"{path},{digest(text)},\n" for path, text in everything.items())
    everything[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in everything.items():
            stored = zipfile.ZipInfo(member, (2026, 3, 4, 0, 0, 0))
            stored.external_attr = (0o100755 if member in programs else 0o100644) << 16
            archive.writestr(stored, text)
    return path


def promise(folder):
    """Lists all wheels of a folder, as sha256sum does."""
    lines = [f"{hashlib.sha256(wheel.read_bytes()).hexdigest()}  {wheel.name}\n"
             for wheel in sorted(folder.glob("*.whl"))]  # fmt: skip
    (folder / "SHA256SUMS").write_text("".join(lines))


def write_release(folder, version, jax="", **options):
    """jax, jaxlib and what else is asked for, as a folder of wheels."""
    write_wheel(folder, "jax", version, {"jax/__init__.py": jax}, **options)
    write_wheel(folder, "jaxlib", version, {"jaxlib/__init__.py": ""}, binary=True)
    for name in ("flatbuffers", "absl_py"):
        write_wheel(folder, name, "1.0", {f"{name}.py": ""})
