"""Pushes the batches of bench/service_contents.py and prints artifacts per second.

usage: service_ingest.py URL TOKEN CLIENTS BATCH...

Each client keeps one connection and sends one batch after another; the batches
are read before the clock starts.
"""

import http.client
import json
import sys
import threading
import time
import urllib.parse

url, token, clients, batches = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
address = urllib.parse.urlsplit(url).netloc
bodies = [open(path, "rb").read() for path in batches]
headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/vnd.vintage.frames"}
kept, failed = [0] * clients, []


def push(client):
    connection = http.client.HTTPConnection(address)
    for body in bodies[client::clients]:
        connection.request("POST", "/v1/push", body, headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status != 200:
            failed.append(answer[:300])
            return
        kept[client] += json.loads(answer)["artifacts"]


threads = [threading.Thread(target=push, args=(client,)) for client in range(clients)]
start = time.monotonic()
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
seconds = time.monotonic() - start
if failed:
    sys.exit(f"a push failed: {failed[0]}")
print(f"{sum(kept) / seconds:.0f}")
