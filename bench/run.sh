#!/bin/sh
# Runs the benchmarks of the release build and writes bench/results.md.
#
# usage: bench/run.sh [build folder]
#
# Nothing else should run on the machine meanwhile. The service's part needs
# nginx-light, wrk and curl (apt-get install), and says so where one is missing.
# VINTAGE_BENCH_MANY=1 adds an archive of ten million artifacts: some GB below the
# current folder, and some minutes.
set -eu

root="$(cd "$(dirname "$0")/.." && pwd)"
build="${1:-$root/build/release}"
corpus="$root/../shared/corpus/stablehlo-testdata/static"
results="$root/bench/results.md"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# The archive whose bytes on disk are measured.
"$build/bin/vintage" nightly --archive "$scratch/set" >/dev/null 2>&1 || true
export VINTAGE_BENCH_SET="$scratch/set"

{
  echo "# Benchmarks"
  echo
  echo "Written by \`bench/run.sh\` on $(date -u +%Y-%m-%d), on $(nproc) cores of" \
       "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)."
  for name in replay archive planning kernels; do
    echo
    echo "## $name"
    echo
    echo '```'
    "$build/bench/${name}_bench" --benchmark_min_time=0.5 2>/dev/null |
      sed -e 's/ *$//' | cut -c1-320
    echo '```'
  done
  if [ -n "${VINTAGE_BENCH_MANY:-}" ]; then
    echo
    echo "## an archive of ten million artifacts"
    echo
    echo '```'
    VINTAGE_BENCH_ARTIFACTS=10000000 "$build/bench/archive_bench" --benchmark_min_time=0.5 \
      --benchmark_filter='Large|Window|StreamAll' 2>/dev/null | sed -e 's/ *$//' | cut -c1-320
    echo '```'
  fi
  echo
  echo "## service"
  echo
  "$root/bench/service_bench.sh" "$build" 2>&1 || echo "it failed"
  echo
  echo "## night"
  echo
  echo '```'
  python3 "$root/bench/nightly_bench.py" "$build" 2>&1 || echo "it missed a limit"
  echo '```'
  if [ -d "$corpus" ]; then
    echo
    echo "## self-checking programs"
    echo
    echo "All programs of the corpus from text, by two child processes:"
    echo
    echo '```'
    start="$(date +%s.%N)"
    "$build/bin/vintage" conform "$corpus" --jobs 2 2>/dev/null | tail -n 1
    end="$(date +%s.%N)"
    echo "$start $end" | awk '{printf "%.2f s\n", $2 - $1}'
    echo '```'
  fi
} >"$results.new"
mv "$results.new" "$results"
