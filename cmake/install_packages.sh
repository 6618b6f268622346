#!/bin/sh
# Installs the Debian packages that the build needs and that are missing; with
# --tests also the programs by others that tests are run against, with --jax what
# fetches real releases of JAX.
#
# Says what it installs. As another user than root it goes through sudo.
set -eu

folder="$(dirname "$0")"
packages="$(cat "$folder/packages.txt")"
for option in "$@"; do
  packages="$packages $(cat "$folder/${option#--}_packages.txt")"
done
missing=""
for package in $packages; do
  status="$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)"
  case "$status" in
    ii*) ;;
    *) missing="$missing $package" ;;
  esac
done

if [ -z "$missing" ]; then
  exit 0
fi

echo "Installing with apt:$missing"
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing and neither root nor sudo is at hand;" >&2
    echo "as root, run: apt-get install$missing" >&2
    exit 3
  fi
  as_root="sudo"
fi
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
