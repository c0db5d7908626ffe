"""``python -m parlour_worker bots|clock|webhooks``: one worker process."""

import sys

from .run import QUEUES, run

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in QUEUES:
        sys.exit(f"usage: python -m parlour_worker {'|'.join(QUEUES)}")
    run(sys.argv[1])
