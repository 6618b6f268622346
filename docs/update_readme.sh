#!/bin/sh
# Runs the session that the README shows and puts what it printed there.
#
# usage: docs/update_readme.sh [path of the vintage program]
set -eu

root="$(cd "$(dirname "$0")/.." && pwd)"
vintage="${1:-$root/build/release/bin/vintage}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"

{
  echo '```'
  while IFS= read -r line; do
    echo "\$ vintage $line"
    # Long lines are folded; long answers are cut, and say so.
    eval "\"$vintage\" $line" 2>&1 | fold -s -w 100 >answer || true
    head -n 26 answer
    if [ "$(wc -l <answer)" -gt 26 ]; then echo "…"; fi
    echo
  done <<'COMMANDS'
nightly --archive A
list --archive A --primitive tanh --platform cpu
show --archive A 'tanh_f32[8,8]/cpu'
replay --archive A --primitive cholesky --platform cpu --mode eager
cases --primitive top_k --count
COMMANDS
  echo '```'
} >session

awk -v session="$folder/session" '
  /<!-- session -->/ { print; while ((getline line < session) > 0) print line; skip = 1 }
  /<!-- end of session -->/ { skip = 0 }
  !skip || /<!-- end of session -->/ { if (!/<!-- session -->/) print }
' "$root/README.md" >README.new
cat README.new >"$root/README.md"
