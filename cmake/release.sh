#!/bin/sh
# Makes a release of this checkout: the version, the tag, the packages, their checksums, the notes.
#
# usage: cmake/release.sh [--without-packages] VERSION        (cmake/release.sh 0.2.0)
#
# It writes the version and the day into CMakeLists.txt, the Python package and CHANGELOG.md, commits
# that, and tags it vVERSION with the notes. The packages lie below build/release/dist. Nothing is
# pushed: the last lines say what to type. Exit status: 0 done, 2 refused and nothing changed.
set -eu
cd "$(dirname "$0")/.."

refuse() {
  echo "release.sh: $1" >&2
  exit 2
}

packages=yes
if [ "${1:-}" = --without-packages ]; then
  packages=no
  shift
fi
[ $# = 1 ] || refuse "one version is needed, as in: cmake/release.sh 0.2.0"
version=$1
echo "$version" | grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+' ||
  refuse "'$version' is not a version; three numbers are, as in 0.2.0"
old=$(sed -n 's/^project(vintage VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
newest=$(printf '%s\n%s\n' "$old" "$version" | sort -V | tail -n 1)
[ "$version" != "$old" ] && [ "$newest" = "$version" ] ||
  refuse "$version is not newer than $old, the version of CMakeLists.txt"
[ -z "$(git status --porcelain)" ] || refuse "the checkout has changes; commit or stash them first"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || refuse "the tag v$version exists"
notes=$(sed -n '/^## Not released$/,/^## [0-9]/{/^## /d;p;}' CHANGELOG.md)
[ -n "$(printf %s "$notes" | tr -d '[:space:]')" ] ||
  refuse "CHANGELOG.md has nothing below '## Not released'; write there what users notice"

sed -i "s/^project(vintage VERSION $old/project(vintage VERSION $version/" CMakeLists.txt
sed -i "s/^version = \"$old\"$/version = \"$version\"/" harness/python_package/pyproject.toml
sed -i "s/^## Not released$/## Not released\n\n## $version, $(date -u +%F)/" CHANGELOG.md
git commit -qam "Version $version"
# Headings of the notes begin with '#', a comment to git unless it is said otherwise.
printf 'Vintage %s\n\n%s\n' "$version" "$notes" | git tag -a --cleanup=verbatim -F - "v$version"

if [ $packages = yes ]; then
  make package wheel
  dist=build/release/dist
  rm -rf "$dist"
  mkdir -p "$dist"
  cp build/release/package/*.deb build/release/wheel/*.whl "$dist"
  printf '%s\n' "$notes" >"$dist/notes.md"
  (cd "$dist" && sha256sum ./*.deb ./*.whl >SHA256SUMS)
  ls "$dist"
fi
echo "v$version is made. To publish it: git push --follow-tags"
