"""The other program: it changes a state under its lock, as Entire does.

`hold` takes the lock and keeps it until its input ends. `revive` takes it, waits for a line with an owner, and writes that the session goes on with it.
`count` raises its own number a hundred times; an ended session it revives, and notes that it has seen that end. `reap` removes the lock file again and again.
"""

import fcntl
import json
import os
import random
import sys
import time

how, common, session_id, me = sys.argv[1:]
path = f"{common}/entire-sessions/{session_id}.json"
lock_path = f"{common}/entire-session-locks/{session_id}.lock"


def lock(flags=fcntl.LOCK_EX):
    while True:
        os.makedirs(os.path.dirname(lock_path), 0o750, exist_ok=True)
        fd = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        fcntl.flock(fd, flags)
        try:
            named, held = os.lstat(lock_path), os.fstat(fd)
            if (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino):
                return fd
        except FileNotFoundError:
            pass
        os.close(fd)


def change(edit):
    with open(path) as f:
        state = json.load(f)
    if edit(state) is False:
        return
    temp = f"{path}.{random.randbytes(8).hex()}.tmp"
    with open(temp, "x") as f:
        f.write(json.dumps(state, indent=2) + "\n")
        f.flush()
        os.fsync(f.fileno())
    os.chmod(temp, 0o600)
    os.replace(temp, path)


def revive(state, owner=None):
    state["phase"] = "active"
    state.pop("ended_at", None)
    state.pop("fully_condensed", None)
    if owner:
        state["owner"] = owner


def count():
    made, seen, is_told = 0, 0, False
    os.set_blocking(0, False)
    while not is_told:
        fd = lock()

        def edit(state):
            nonlocal made, seen
            has_ended = state["phase"] == "ended"
            if made == 100 and not has_ended:
                return False
            if has_ended:
                seen += 1
                state["ends"] = state.get("ends", 0) + 1
                revive(state)
            if made < 100:
                made += 1
                state[me] = state.get(me, 0) + 1

        change(edit)
        os.close(fd)
        time.sleep(random.random() * 0.02)
        is_told = made == 100 and sys.stdin.readline() != ""
    print(json.dumps({"made": made, "seen": seen}), flush=True)


def reap():
    reaped = 0
    os.set_blocking(0, False)
    while sys.stdin.readline() == "":
        try:
            fd = lock(fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(lock_path)
            os.close(fd)
            reaped += 1
        except (BlockingIOError, FileNotFoundError):
            pass
        time.sleep(0.005)
    print(json.dumps({"reaped": reaped}), flush=True)


if how == "hold":
    fd = lock()
    print("held", flush=True)
    sys.stdin.read()
elif how == "revive":
    fd = lock()
    print("held", flush=True)
    owner = json.loads(sys.stdin.readline())
    change(lambda state: revive(state, owner))
    os.close(fd)
    print("revived", flush=True)
else:
    print("ready", flush=True)
    sys.stdin.readline()
    count() if how == "count" else reap()
