"""The test server in a process of its own, so that it does not share the client's interpreter.

``python -m bench.server LATENCY_S [PLAY]`` prints its address, then, on each line it reads, what
it was asked since: a JSON list of [start, end] in seconds of a monotonic clock. PLAY names who
answers: ``debaters`` (essays) or ``forum`` (discussions).
"""

from __future__ import annotations

import json
import sys

from tests.servers.debaters import debaters
from tests.servers.forum import forum
from tests.servers.lm import LMServer

PLAYS = {"debaters": debaters, "forum": forum}


def main() -> None:
    """Serve until standard input ends."""
    latency = float(sys.argv[1])
    play = PLAYS[sys.argv[2] if len(sys.argv) > 2 else "debaters"]
    with LMServer(play, models=("gpt-4o-mini",), latency_s=latency) as server:
        print(server.base_url, flush=True)
        for _ in sys.stdin:
            print(json.dumps(server.intervals), flush=True)
            server.clear()


if __name__ == "__main__":
    main()
