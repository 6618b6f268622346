#!/bin/sh
# Runs the sessions that the README and docs/howto/mirroring.md show and puts what they printed
# there, and the README's picture: the dashboard of its first session.
#
# usage: docs/update_readme.sh [--only-models] [folder of the programs]
#
# --only-models runs the first session alone, which takes Python and a network.
#
# The sessions follow each other in one folder, and later ones use what earlier
# ones made. Long lines are folded; long answers are cut, and say so.
set -eu

with_others=yes
[ "${1:-}" != --only-models ] || { with_others=no; shift; }
root="$(cd "$(dirname "$0")/.." && pwd)"
programs="${1:-$root/build/release/bin}"
folder="$(mktemp -d)"
trap 'kill "$(cat serve.pid 2>/dev/null)" 2>/dev/null || true; rm -rf "$folder"' EXIT
mkdir "$folder/work" "$folder/sessions"
cd "$folder/work"

# session NAME LINES [MARK]: its commands stand on standard input, one a line. MARK is that of
# tests/documents/run_commands.py.
session() {
  {
    echo "\`\`\`console${3:+ $3}"
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

first_session() {
# An environment with the wheel, whose programs the session runs. pip is given a folder, so that
# the line that is shown is the one that a user types.
wheel="$(find "$(dirname "$programs")/wheel" -name 'vintage_archive-*.whl' 2>/dev/null | head -n 1)"
[ -n "$wheel" ] || { echo "there is no wheel: make wheel" >&2; exit 3; }
python3 -m venv ../venv
saved="$PATH"
PATH="$folder/venv/bin:$PATH"
export PIP_FIND_LINKS="$(dirname "$wheel") ${PIP_FIND_LINKS:-}"
cp "$root/docs/examples/models.py" .
session models 22 'not-run: takes the wheel and a network; lane package of the tests has the like' <<'COMMANDS'
pip install --quiet vintage-archive jax==0.5.0
python models.py
vintage builds add --archive models --jax 0.5.3 0.6.0 0.8.1 latest | cut -c1-40
python -c "import vintage; print(vintage.check('models', 'jax-0.6.0'))"
vintage window --archive models --scope cpu backward --beyond all | head -n 7
vintage report --archive models --html dashboard
COMMANDS
if command -v chromium >/dev/null; then
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=760,390 \
    --virtual-time-budget=5000 --screenshot="$folder/dashboard.png" \
    "file://$PWD/dashboard/index.html#/matrix" >/dev/null 2>&1
  cp "$folder/dashboard.png" "$root/docs/dashboard.png"
fi
PATH="$saved"
}

first_session
PATH="$programs:$PATH"

[ "$with_others" = no ] || session nightly 9 <<'COMMANDS'
vintage nightly --archive A | tail -n 4
vintage show --archive A 'tanh_f32[8,8]/cpu' | tail -n 6
vintage replay --archive A --primitive cholesky --platform cpu --mode eager
COMMANDS

[ "$with_others" = no ] || session gate 12 'exits: 1' <<'COMMANDS'
vintage-worker --describe > old.json
sed 's/lapack_dpotrf_ffi/lapack_dpotrf2_ffi/' old.json > new.json
vintage gate --old old.json --new new.json --archive A
COMMANDS

[ "$with_others" = no ] || session tables 9 <<'COMMANDS'
vintage tables --archive A -o tables
sed -n '/^| Primitive/,/^| and /p' tables/limitations.md | cut -c1-100
vintage limitations reconcile --archive A
COMMANDS

# Four builds of four days; the last two damage the tangent.
[ "$with_others" = no ] || session bisect 14 'exits: 1' <<'COMMANDS'
for day in 01 08; do vintage builds add --archive A --name "demo $day" --date 2026-03-$day -- vintage-worker; done | cut -c1-40
for day in 15 22; do vintage builds add --archive A --name "demo $day" --date 2026-03-$day -- env VINTAGE_SEEDED_FAULT=tan_in_binary32 vintage-worker-faults; done | cut -c1-40
vintage bisect --archive A --case 'tan_f64[8,8]' --bad 'demo 22' --localize
COMMANDS

# The service ends with the session, whatever happens before.
[ "$with_others" = no ] || session share 14 <<'COMMANDS'
vintage token add nightly --archive A --role push --days 90 > token
vintage serve --archive A --listen 127.0.0.1:8700 > serve.log 2>&1 & echo $! > serve.pid
sleep 1; cat serve.log
vintage pull http://127.0.0.1:8700 C --token-file token --primitive tanh
vintage prove --archive C http://127.0.0.1:8700 --token-file token
vintage fsck --archive C --read-data --repair --from http://127.0.0.1:8700 --token-file token
kill $(cat serve.pid)
COMMANDS

for page in README.md docs/howto/mirroring.md; do
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
  ' "$root/$page" >"$folder/page.new"
  cat "$folder/page.new" >"$root/$page"
done
