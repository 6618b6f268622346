#!/bin/sh
# The archive's service beside nginx: GETs of small artifacts, ingest over HTTP,
# memory with 100 clients.
#
# usage: bench/service_bench.sh [build folder]
#
# Needs nginx, wrk, curl and python3 (apt-get install nginx-light wrk curl), and
# says so where one is missing. Nothing else should run on the machine.
# SERVICE_BENCH_SECONDS and SERVICE_BENCH_ARTIFACTS make it shorter or longer.
set -eu

root="$(cd "$(dirname "$0")/.." && pwd)"
vintage="${1:-$root/build/release}/bin/vintage"
seconds="${SERVICE_BENCH_SECONDS:-10}"
artifacts="${SERVICE_BENCH_ARTIFACTS:-20000}"
PATH="$PATH:/usr/sbin"

for program in nginx wrk curl python3 "$vintage"; do
  command -v "$program" >/dev/null || { echo "skipped: $program is missing"; exit 0; }
done

work="$(mktemp -d)"
service="" web=""
finish() {
  for process in $service $web; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT INT TERM
chmod 755 "$work"  # nginx's workers may run as another user.

python3 "$root/bench/service_contents.py" "$artifacts" "$work"

"$vintage" serve --archive "$work/archive" --create --listen 127.0.0.1:0 --access-log none \
  >"$work/listening" &
service=$!
while ! grep -q listening "$work/listening"; do sleep 0.1; done
url="$(sed -n 's/listening on //p' "$work/listening")"
token="$("$vintage" token add bench --archive "$work/archive" --role push)"

echo "Ingest of $artifacts artifacts of about 8 KB, 1,000 a request, one client:"
start="$(date +%s.%N)"
for batch in "$work"/batch.*; do
  curl -sf -o "$work/answer" -H "Authorization: Bearer $token" -H "Expect:" \
    -H "Content-Type: application/vnd.vintage.frames" --data-binary @"$batch" "$url/v1/push"
done
end="$(date +%s.%N)"
echo "$start $end $artifacts" | awk '{printf "  %.0f artifacts/s\n\n", $3 / ($2 - $1)}'

cat >"$work/nginx.conf" <<CONF
worker_processes auto;
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 100000000;
  types {}
  default_type application/octet-stream;
  server { listen 127.0.0.1:18731; root $work; }
}
CONF
nginx -c "$work/nginx.conf" -p "$work" &
web=$!
until curl -sf -o /dev/null "http://127.0.0.1:18731/ids.lua"; do sleep 0.1; done

cat >"$work/get.lua" <<LUA
dofile("$work/ids.lua")
local next = 0
function init(args) path = args[1] end
function request()
  next = next % #ids + 1
  return wrk.format("GET", path .. ids[next])
end
LUA

measure() { # name, address, path, further arguments of wrk
  name="$1" address="$2" path="$3"
  shift 3
  for clients in 16 100; do
    wrk -t2 -c"$clients" -d"${seconds}s" --latency -s "$work/get.lua" "$@" "$address" -- "$path" \
      >"$work/wrk.$name.$clients"
    awk -v name="$name" -v clients="$clients" '
      /50%/ { p50 = $2 } /99%/ { p99 = $2 } /Requests\/sec/ { rate = $2 } /Non-2xx/ { bad = $0 }
      END { printf "  %-8s %4d clients  %9.0f GET/s  p50 %8s  p99 %8s %s\n", name, clients, rate, p50, p99, bad }
    ' "$work/wrk.$name.$clients"
  done
}
echo "GET of 2,000 different contents of about 8 KB over kept connections (wrk, ${seconds} s each):"
measure nginx http://127.0.0.1:18731 /files/
measure vintage "$url" /v1/blobs/ -H "Authorization: Bearer $token"
echo
echo "Memory of the service after that, with 100 clients connected (resident, highest):"
awk '/VmRSS|VmHWM/ { printf "  %s %.0f MB\n", $1, $2 / 1024 }' "/proc/$service/status"
