#!/bin/sh
# Runs the session of docs/tutorial/bare_debian.md on a Debian 12 with nothing but Python, and writes it
# there with the time of each command.
#
# usage: docs/tutorial/bare_debian.sh WHEEL [folder of an installed Debian, made with debootstrap without it
#                                   [the page to write instead]]
#
# Takes root, debootstrap and a network, and 5 minutes.
set -eu

root="$(cd "$(dirname "$0")/../.." && pwd)"
wheel="$(realpath "$1")"
debian="${2:-$(mktemp -d)}"
work="$(mktemp -d)"
# Unmount first: rm must not reach the mounted file systems.
trap 'umount --lazy "$debian/proc" 2>/dev/null || true
  rm -rf "$work"
  [ -n "${2:-}" ] || rm -rf --one-file-system "$debian"' EXIT

if [ ! -x "$debian/usr/bin/python3" ]; then
  debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$debian" \
    >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
fi
cp /etc/resolv.conf "$debian/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/"
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$debian/etc/"
rm -rf "$debian/root/session"
mkdir -p "$debian/root/session"
cp "$wheel" "$root/docs/examples/models.py" "$debian/root/session/"
mountpoint -q "$debian/proc" || mount -t proc proc "$debian/proc"

# Runs a line in the session's folder and environment; prints it, what it printed, and its time.
cut_after=10
session() {
  echo "\$ $1"
  started="$(date +%s.%N)"
  status=0
  chroot "$debian" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c 'cd /root/session; [ ! -f venv/bin/activate ] || . venv/bin/activate; '"$1" \
    >"$work/answer" 2>&1 || status=$?
  fold -s -w 100 <"$work/answer" >"$work/folded"
  head -n "$cut_after" "$work/folded"
  [ "$(wc -l <"$work/folded")" -le "$cut_after" ] || echo "…"
  seconds="$(echo "$started $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')"
  echo "# $seconds s$([ "$status" = 0 ] || echo ", exit status $status")"
  echo
}

{
  echo '# On a bare Debian 12'
  echo
  echo 'Debian 12 with `python3`, `python3-venv` and `ca-certificates`, and nothing else: what the commands'
  echo 'printed, and how long they took. `docs/tutorial/bare_debian.sh` ran them and wrote this page;'
  echo '[models.py](../examples/models.py) keeps a network and a solver.'
  echo
  echo '```console not-run: takes root and debootstrap; lane package of the tests runs the script'
  session 'python3 -m venv venv'
  session 'pip install --quiet ./vintage_archive-*.whl jax==0.5.0'
  session 'python models.py'
  session 'vintage builds add --archive models --jax 0.5.3 0.6.0 0.7.2'
  session 'python -c "
import vintage
for release in \"0.5.3\", \"0.6.0\", \"0.7.2\":
    print(vintage.check(\"models\", f\"jax-{release}\"))"'
  session 'vintage explain solver --build jax-0.6.0 --archive models'
  session 'vintage diff solver --build jax-0.5.3 --archive models'
  session 'vintage serve --archive models --listen 127.0.0.1:8700 & sleep 2; python -c "
import urllib.request as u
page = u.urlopen(\"http://127.0.0.1:8700/\").read().decode()
print(page[page.index(\"<title>\") : page.index(\"</title>\") + 8], len(page), \"bytes\")"; kill $!'
  echo '```'
} >"$work/page"
cat "$work/page" >"${3:-$root/docs/tutorial/bare_debian.md}"
