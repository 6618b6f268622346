#!/bin/sh
# usage: fetch.sh [--update]
# Fetches uPlot with npm, checks what came against its hash, and compares the files that lie here
# with it; --update replaces them. It needs a network and npm; a build does not run it.
set -eu
version=1.6.32
integrity="sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw=="

here="$(cd "$(dirname "$0")" && pwd)"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && npm pack --silent "uplot@$version" >/dev/null)
package="$scratch/uplot-$version.tgz"
came="sha512-$(openssl dgst -sha512 -binary "$package" | openssl base64 -A)"
if [ "$came" != "$integrity" ]; then
  echo "uplot $version: $came came, $integrity is expected: it is not what was chosen" >&2
  exit 1
fi
tar -xzf "$package" -C "$scratch"
status=0
for file in LICENSE dist/uPlot.iife.min.js dist/uPlot.min.css; do
  if [ "${1:-}" = --update ]; then
    cp "$scratch/package/$file" "$here/"
  elif ! cmp -s "$scratch/package/$file" "$here/$(basename "$file")"; then
    echo "$(basename "$file") is not the file of uplot $version" >&2
    status=1
  fi
done
[ $status -ne 0 ] || echo "uplot here is $version"
exit $status
