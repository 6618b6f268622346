#!/bin/sh
# Runs the sessions that the README shows and puts what they printed there.
#
# usage: docs/update_readme.sh [--without-jax] [folder of the programs]
#
# --without-jax leaves the session with real JAX as it stands in the README.
#
# The sessions follow each other in one folder, and later ones use what earlier
# ones made. Long lines are folded; long answers are cut, and say so.
set -eu

with_jax=yes
if [ "${1:-}" = --without-jax ]; then with_jax=no; shift; fi
root="$(cd "$(dirname "$0")/.." && pwd)"
PATH="${1:-$root/build/release/bin}:$PATH"
folder="$(mktemp -d)"
trap 'kill "$(cat serve.pid 2>/dev/null)" 2>/dev/null || true; rm -rf "$folder"' EXIT
mkdir "$folder/work" "$folder/sessions"
cd "$folder/work"

# session NAME LINES: its commands stand on standard input, one a line.
session() {
  {
    echo '```'
    while IFS= read -r line; do
      echo "\$ $line"
      sh -c "$line" 2>&1 | fold -s -w 100 >../answer || true
      head -n "$2" ../answer
      if [ "$(wc -l <../answer)" -gt "$2" ]; then echo "…"; fi
      echo
    done
    echo '```'
  } >"../sessions/$1"
}

session nightly 27 <<'COMMANDS'
vintage nightly --archive A
vintage show --archive A 'tanh_f32[8,8]/cpu'
vintage replay --archive A --primitive cholesky --platform cpu --mode eager
vintage window --archive A --scope cpu backward
COMMANDS

session gate 40 <<'COMMANDS'
vintage-worker --describe > old.json
sed 's/lapack_dpotrf_ffi/lapack_dpotrf2_ffi/' old.json > new.json
vintage gate --old old.json --new new.json --archive A
COMMANDS

session tables 24 <<'COMMANDS'
vintage tables --archive A -o tables
sed -n '/^| Primitive/,/^| and /p' tables/limitations.md
vintage tables --archive A -o tables --check
vintage limitations reconcile --archive A
vintage accuracy --archive A --platform cpu --primitive tanh --dtype f32 f64
COMMANDS

# Four builds of four days; the last two damage the tangent.
session bisect 40 <<'COMMANDS'
vintage builds add --archive A --name 'demo 1' --date 2026-03-01 -- vintage-worker
vintage builds add --archive A --name 'demo 2' --date 2026-03-08 -- vintage-worker
vintage builds add --archive A --name 'demo 3' --date 2026-03-15 -- env VINTAGE_SEEDED_FAULT=tan_in_binary32 vintage-worker-faults
vintage builds add --archive A --name 'demo 4' --date 2026-03-22 -- env VINTAGE_SEEDED_FAULT=tan_in_binary32 vintage-worker-faults
vintage bisect --archive A --case 'tan_f64[8,8]' --bad 'demo 4' --localize
COMMANDS

# Takes 20 minutes, Python and a network.
[ "$with_jax" = no ] || session jax 40 <<'COMMANDS'
vintage nightly --archive J --jax latest
vintage builds list --archive J
COMMANDS

session archive 16 <<'COMMANDS'
vintage fsck --archive A --read-data
vintage mirror A B --primitive tanh
vintage retention --archive A --dry-run
COMMANDS

# The service ends with the session, whatever happens before.
session share 14 <<'COMMANDS'
vintage token add nightly --archive A --role push --days 90 > token
vintage serve --archive A --listen 127.0.0.1:8700 > serve.log 2>&1 & echo $! > serve.pid
sleep 1; cat serve.log
vintage pull http://127.0.0.1:8700 C --token-file token --primitive tanh
vintage prove --archive C http://127.0.0.1:8700 --token-file token
vintage fsck --archive C --read-data --repair --from http://127.0.0.1:8700 --token-file token
kill $(cat serve.pid)
COMMANDS

awk -v sessions="$folder/sessions" '
  /^<!-- session [a-z]+ -->$/ {
    print
    file = sessions "/" $3
    skip = 0
    while ((getline line < file) > 0) { print line; skip = 1 }
    close(file)
    next
  }
  /^<!-- end of session -->$/ { skip = 0 }
  !skip { print }
' "$root/README.md" >"$folder/README.new"
cat "$folder/README.new" >"$root/README.md"
