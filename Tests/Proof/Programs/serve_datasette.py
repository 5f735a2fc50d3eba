"""Serves a store with Datasette on a free port, and prints the page of each path that it is told on its standard input.

Each page is one line of JSON: the status, and the content as JSON or as text. It ends with an empty path, or with its input.
"""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request


def main(path):
    server = subprocess.Popen(
        [sys.executable, "-m", "datasette", "serve", path, "--host", "127.0.0.1", "--port", "0"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        address = wait(server)
        for line in iter(sys.stdin.readline, ""):
            if not line.strip():
                break
            print(json.dumps(page(address + line.strip())), flush=True)
    finally:
        # The parent may have other signals blocked, and a server that only reads has nothing to finish.
        server.kill()
        server.communicate()


def wait(server):
    """The address, as the server prints it when it is ready."""
    said = []
    for line in server.stderr:
        said.append(line)
        found = re.search(r"running on (http://\S+:\d+)", line)
        if found:
            return found.group(1)
    raise SystemExit("Datasette did not start: " + "".join(said))


def page(address):
    try:
        with urllib.request.urlopen(address, timeout=60) as response:
            text = response.read().decode()
            return {"status": response.status, "content": content(text, response.headers.get_content_type())}
    except urllib.error.HTTPError as error:
        return {"status": error.code, "content": error.read().decode()}


def content(text, kind):
    return json.loads(text) if kind == "application/json" else text


main(sys.argv[1])
