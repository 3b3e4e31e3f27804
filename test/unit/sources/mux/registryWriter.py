"""Another program that writes the registry: `locked` as its own program does, `transactions` in the database only."""

import fcntl
import json
import os
import random
import sqlite3
import sys
import tempfile
import time

import yaml

how, path, me, row_count, raises, pause = sys.argv[1:]
db = os.path.splitext(path)[0] + ".db"


def raised(row):
    row[me] = row.get(me, 0) + 1
    row["all"] = row.get("all", 0) + 1


def raise_in_yaml(name):
    with open(path) as f:
        document = yaml.safe_load(f)
    raised(next(row for row in document["tmux_sessions"] if row["name"] == name))
    put(document)


def raise_in_twin(connection, name):
    connection.execute("BEGIN IMMEDIATE")
    if has_sessions(connection):
        (data,) = connection.execute("SELECT data FROM sessions WHERE name = ?", (name,)).fetchone()
        row = json.loads(data)
        raised(row)
        connection.execute("UPDATE sessions SET data = ? WHERE name = ?", (json.dumps(row), name))
    else:
        document = document_in(connection)
        raised(next(row for row in document["tmux_sessions"] if row["name"] == name))
        connection.execute("UPDATE state SET data = ? WHERE id = 1", (json.dumps(document),))
    connection.execute("COMMIT")


def export(connection):
    if not has_sessions(connection):
        return put(document_in(connection))
    with open(path) as f:
        document = yaml.safe_load(f)
    document["tmux_sessions"] = [json.loads(data) for (data,) in connection.execute("SELECT data FROM sessions ORDER BY rowid")]
    put(document)


def has_sessions(connection):
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").fetchone() is not None


def document_in(connection):
    return json.loads(connection.execute("SELECT data FROM state WHERE id = 1").fetchone()[0])


def put(document):
    fd, temp = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(fd, "w") as f:
        yaml.safe_dump(document, f, sort_keys=False)
    os.replace(temp, path)


def connect():
    return sqlite3.connect(db, timeout=10, isolation_level=None)


def change(name):
    if how == "transactions":
        connection = connect()
        raise_in_twin(connection, name)
        return connection.close()
    with open(path + ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(db):
            return raise_in_yaml(name)
        connection = connect()
        raise_in_twin(connection, name)
        export(connection)
        connection.close()


print("ready", flush=True)
sys.stdin.readline()
first = time.time() * 1000
for _ in range(int(raises)):
    for index in range(int(row_count)):
        change(f"row-{index}")
        time.sleep(random.random() * float(pause))
print(json.dumps({"first": first, "last": time.time() * 1000}))
