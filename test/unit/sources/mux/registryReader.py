"""Looks at the registry's file all the time until a line comes, and then says what it has seen."""

import json
import select
import sys

import yaml

path = sys.argv[1]
versions = []
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0.0005)[0]:
    with open(path, "rb") as f:
        text = f.read()
    if not versions or versions[-1] != text:
        versions.append(text)

problems = []
latest = {}
for number, text in enumerate(versions):
    try:
        rows = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))["tmux_sessions"]
    except Exception as error:
        problems.append(f"version {number}: {error!r} in {text!r}")
        continue
    sums = {row["name"]: row["all"] for row in rows}
    for row in rows:
        parts = sum(value for key, value in row.items() if key.startswith("by "))
        if parts != row["all"]:
            problems.append(f"version {number}: a change is there in part: {row}")
    back = [name for name, count in latest.items() if sums.get(name, -1) < count]
    if back:
        problems.append(f"version {number}: {back} are as they were before")
    latest = sums
print(json.dumps({"versions": len(versions), "problems": problems}))
