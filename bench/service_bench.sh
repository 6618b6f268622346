#!/bin/sh
# The archive's service beside nginx: GETs of small artifacts, ingest over HTTP,
# memory with 100 clients, and nine reads to each durable batch with 1,000 clients, there also beside
# a registry of containers, whose file driver syncs each file.
#
# usage: bench/service_bench.sh [build folder]
#
# Needs nginx, wrk, curl, python3 and docker-registry (apt-get install nginx-light wrk curl
# docker-registry), and says so where one is missing. Nothing else should run on the machine.
# Prints tables in Markdown. Servers take turns, and each number is the median of
# three rounds, so that a neighbour's minute does not decide.
# SERVICE_BENCH_SECONDS (of a round of GETs) and SERVICE_BENCH_ARTIFACTS make it
# shorter or longer.
set -eu

root="$(cd "$(dirname "$0")/.." && pwd)"
vintage="${1:-$root/build/release}/bin/vintage"
seconds="${SERVICE_BENCH_SECONDS:-5}"
artifacts="${SERVICE_BENCH_ARTIFACTS:-30000}"
batches="${SERVICE_BENCH_BATCHES:-60000}"  # Of the mixed load; none is pushed twice.
PATH="$PATH:/usr/sbin"

for program in nginx wrk curl python3 docker-registry "$vintage"; do
  command -v "$program" >/dev/null || { echo "skipped: $program is missing"; exit 0; }
done

work="$(mktemp -d)"
service="" web="" registry=""
finish() {
  for process in $service $web $registry; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT INT TERM
chmod 755 "$work"  # nginx's workers may run as another user.

python3 "$root/bench/service_contents.py" "$artifacts" "$batches" "$work"

"$vintage" serve --archive "$work/archive" --create --listen 127.0.0.1:0 --access-log none \
  --connections 1100 \
  >"$work/listening" &
service=$!
while ! grep -q listening "$work/listening"; do sleep 0.1; done
url="$(sed -n 's/listening on //p' "$work/listening")"
token="$("$vintage" token add bench --archive "$work/archive" --role push)"

# Each number of clients gets batches of its own: a third of all.
set -- "$work"/batch.*
third=$(($# / 3))
echo "Ingest over HTTP of $artifacts artifacts of about 8 KB, 1,000 a request, over kept"
echo "connections; each request is one durable transaction:"
echo
echo "| clients | artifacts/s |"
echo "| ---: | ---: |"
for clients in 1 2 4; do
  taken=""
  for batch in "$@"; do
    [ "$(echo "$taken" | wc -w)" -lt "$third" ] || break
    taken="$taken $batch"
    shift
  done
  # shellcheck disable=SC2086
  rate="$(python3 "$root/bench/service_ingest.py" "$url" "$token" "$clients" $taken)"
  echo "| $clients | $rate |"
done
echo

cat >"$work/nginx.conf" <<CONF
worker_processes auto;
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 2048; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 100000000;
  types {}
  default_type application/octet-stream;
  client_body_temp_path $work/bodies;
  client_body_buffer_size 64k;
  server {
    listen 127.0.0.1:18731 backlog=4096;
    root $work;
    location /put/ { dav_methods PUT; }
  }
}
CONF
mkdir "$work/put" "$work/bodies"
chmod 777 "$work/put" "$work/bodies"
nginx -c "$work/nginx.conf" -p "$work" &
web=$!
until curl -sf -o /dev/null "http://127.0.0.1:18731/ids.lua"; do sleep 0.1; done

cat >"$work/registry.yml" <<CONF
version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: $work/registry, maxthreads: 1000}}
http: {addr: "127.0.0.1:18732"}
CONF
docker-registry serve "$work/registry.yml" >"$work/registry.log" 2>&1 &
registry=$!
until curl -sf -o /dev/null http://127.0.0.1:18732/v2/; do sleep 0.1; done
python3 - "$work" <<'PYTHON'
import hashlib, http.client, pathlib, sys

connection = http.client.HTTPConnection("127.0.0.1", 18732)
for content in [b"{}", *(each.read_bytes() for each in pathlib.Path(sys.argv[1], "files").iterdir())]:
    connection.request("POST", "/v2/bench/blobs/uploads/")
    begun = connection.getresponse()
    begun.read()
    place = begun.getheader("Location").removeprefix("http://127.0.0.1:18732")
    connection.request("PUT", f"{place}&digest=sha256:{hashlib.sha256(content).hexdigest()}", content,
                       {"Content-Type": "application/octet-stream"})
    kept = connection.getresponse()
    assert kept.status == 201, kept.read()
    kept.read()
PYTHON

cat >"$work/get.lua" <<LUA
dofile("$work/ids.lua")
local next = 0
function init(args) path = args[1] end
function request()
  next = next % #ids + 1
  return wrk.format("GET", path .. ids[next])
end
LUA

# Each thread and each round has batches of its own.
cat >"$work/mixed_requests.lua" <<LUA
dofile("$work/ids.lua")
dofile("$work/mixed.lua")
local threads, next, asked = 0, 0, 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end
function init(args)
  server, path, round = args[1], args[2], tonumber(args[3])
  begins = server == "registry" and manifests or mixed
  file = io.open(server == "registry" and "$work/manifests" or "$work/mixed", "rb")
  local share = math.floor((#begins - 1) / 6)
  batch = (2 * (round - 1) + number) * share
  last = batch + share
end
function request()
  asked = asked + 1
  if asked % 10 ~= 0 then
    next = next % #ids + 1
    return wrk.format("GET", path .. ids[next])
  end
  batch = batch + 1
  if batch > last then error("all batches are pushed; SERVICE_BENCH_BATCHES says how many") end
  file:seek("set", begins[batch])
  local body = file:read(begins[batch + 1] - begins[batch])
  if server == "nginx" then return wrk.format("PUT", "/put/" .. batch, nil, body) end
  if server == "registry" then
    return wrk.format("PUT", "/v2/bench/manifests/sha256:" .. digests[batch],
                      {["Content-Type"] = "application/vnd.oci.image.manifest.v1+json"}, body)
  end
  local headers = {["Content-Type"] = "application/vnd.vintage.frames"}
  for name, value in pairs(wrk.headers) do headers[name] = value end
  return wrk.format("POST", "/v1/push", headers, body)
end
LUA

measure() { # name, clients, round, address, path, further arguments of wrk
  name="$1" clients="$2" round="$3" address="$4" path="$5"
  shift 5
  wrk -t2 -c"$clients" -d"${seconds}s" --latency -s "$work/get.lua" "$@" "$address" -- "$path" \
    >"$work/wrk.$name.$clients.$round"
}
# Microseconds, and requests a second, of one run of wrk.
summary() {
  awk 'function us(text) {
         return text ~ /us$/ ? text + 0 : text ~ /ms$/ ? text * 1000 : text * 1000000
       }
       $1 == "50%" { p50 = us($2) } $1 == "99%" { p99 = us($2) }
       /Requests\/sec/ { rate = $2 } /Non-2xx|Socket errors/ { bad = "!" }
       END { print rate, p50, p99, bad }' "$1"
}
median() { # name, clients, field
  for round in 1 2 3; do summary "$work/wrk.$1.$2.$round" | cut -d' ' -f"$3"; done |
    sort -g | sed -n 2p
}
echo "GET of 2,000 different contents of about 8 KB over kept connections (wrk, three rounds of"
echo "${seconds} s each, in turns):"
echo
for clients in 16 100; do
  for round in 1 2 3; do
    measure nginx "$clients" "$round" http://127.0.0.1:18731 /files/
    # Its memory while they are connected.
    (sleep "$(((seconds + 1) / 2))"; cp "/proc/$service/status" "$work/status.$clients") &
    measure vintage "$clients" "$round" "$url" /v1/blobs/ -H "Authorization: Bearer $token"
  done
done
echo "| clients | server | GET/s | p50 | p99 | GET/s beside nginx |"
echo "| ---: | --- | ---: | ---: | ---: | ---: |"
for clients in 16 100; do
  base="$(median nginx "$clients" 1)"
  for name in nginx vintage; do
    echo "$clients $name $(median "$name" "$clients" 1) $(median "$name" "$clients" 2)" \
         "$(median "$name" "$clients" 3) $base" |
      awk '{ printf "| %d | %s | %.0f | %.0f µs | %.0f µs | %.2f |\n", $1, $2, $3, $4, $5, $3 / $6 }'
  done
done

ticks() { # process: its processor time and its children's
  for each in "$1" $(pgrep -P "$1" || true); do cat "/proc/$each/stat"; done |
    awk '{ sum += $14 + $15 } END { print sum }'
}
mixed() { # name, process, round, address, path, further arguments of wrk
  name="$1" process="$2" round="$3" address="$4" path="$5"
  shift 5
  before="$(ticks "$process")"
  wrk -t2 -c1000 -d"${seconds}s" --timeout 10s --latency -s "$work/mixed_requests.lua" "$@" \
    "$address" -- "$name" "$path" "$round" >"$work/wrk.$name.mixed.$round"
  after="$(ticks "$process")"
  awk -v ticks="$((after - before))" -v second="$(getconf CLK_TCK)" \
    '/ requests in / { printf "%.1f\n", ticks / second / $1 * 1000000 }' \
    "$work/wrk.$name.mixed.$round" >"$work/processor.$name.$round"
}
echo
echo "Nine GETs to one batch of ten new artifacts of about 800 bytes, 1,000 clients. The service makes"
echo "each batch durable; nginx puts its bytes in a file and syncs nothing; docker-registry keeps it as one"
echo "manifest, and syncs its files:"
echo
for round in 1 2 3; do
  mixed nginx "$web" "$round" http://127.0.0.1:18731 /files/
  mixed vintage "$service" "$round" "$url" /v1/blobs/ -H "Authorization: Bearer $token"
  mixed registry "$registry" "$round" http://127.0.0.1:18732 /v2/bench/blobs/sha256:
done
cp "/proc/$service/status" "$work/status.mixed"
echo "| server | requests/s | p50 | p99 | processor time of a request | requests/s beside nginx |"
echo "| --- | ---: | ---: | ---: | ---: | ---: |"
base="$(median nginx mixed 1)"
for name in nginx vintage registry; do
  echo "$name $(median "$name" mixed 1) $(median "$name" mixed 2) $(median "$name" mixed 3)" \
       "$(cat "$work/processor.$name".* | sort -g | sed -n 2p) $base" |
    awk '{ printf "| %s | %.0f | %.1f ms | %.1f ms | %.0f µs | %.2f |\n",
           $1, $2, $3 / 1000, $4 / 1000, $5, $2 / $6 }'
done
if cat "$work"/wrk.* | grep -E 'Non-2xx|Socket errors'; then
  echo "Some of the requests failed: these numbers mean nothing."
fi
echo
for clients in 100 mixed; do
  if [ "$clients" = mixed ]; then echo "After the mixed load of 1,000 clients:"; else
    echo "Memory of the service with 100 clients connected:"; fi
  awk '/VmRSS/ { printf "%.0f MB resident", $2 / 1024 } /VmHWM/ { printf "%.0f MB at most so far, ", $2 / 1024 }' \
    "$work/status.$clients"
  echo "."
done
