import type { JsonObject } from "../../../../../src/sources/mux/json.ts";
import { editRegistry } from "../../../../../src/sources/mux/text/edit.ts";
import type { Edit } from "../../../../../src/sources/mux/text/edit.ts";
import { parseRegistry } from "../../../../../src/sources/mux/text/parse.ts";
import { runPython } from "../../../../support/python.ts";

export type Case = readonly [text: string, ...edits: readonly Edit[]];

/** What becomes of each case, by PyYAML's word: the types of its values count. One process for all. */
export async function judged(cases: readonly Case[]): Promise<readonly string[]> {
  const outcomes = await Promise.all(cases.map(async ([text, ...edits]) => outcomeOf(text, edits)));
  const asked = cases.map(([text, ...edits], nth) => [text, edits.map(told), outcomes[nth]?.text ?? null]);
  const verdicts = runPython(judge, asked) as readonly string[];
  return outcomes.map(({ kind }, nth) => (kind === "edited" ? (verdicts[nth] ?? "") : kind));
}

export function change(set: JsonObject = { status: "stopped", stop_reason: "no", n: 1 }, remove: readonly string[] = [], index = 0): Edit {
  return { kind: "change", index, set, remove };
}
export function add(row: JsonObject = { name: "c", s: "1" }): Edit {
  return { kind: "add", row };
}
export function gone(index: number): Edit {
  return { kind: "remove", index };
}

async function outcomeOf(text: string, edits: readonly Edit[]): Promise<{ readonly kind: string; readonly text?: string }> {
  const parsed = await parseRegistry(text);
  return parsed.kind === "corrupt" ? parsed : editRegistry(parsed, edits);
}

/** What is to be set as text: Python's own JSON reads its numbers, and takes no half characters. */
function told(edit: Edit): unknown {
  return edit.kind === "change" ? { ...edit, set: JSON.stringify(edit.set).replaceAll(/\\ud[89a-f]../gi, "\\ufffd") } : edit;
}

const judge = `
import json, sys, yaml
def typed(v):
    if isinstance(v, dict): return {"map": sorted([[repr(k), typed(x)] for k, x in v.items()], key=lambda each: each[0])}
    if isinstance(v, (list, tuple)): return [typed(x) for x in v]
    return type(v).__name__ + " " + repr(v)
def verdict(before, edits, after):
    if after is None: return ""
    wanted = yaml.safe_load(before) or {}
    rows = [dict(row) for row in wanted.get("tmux_sessions") or []]
    gone, added = set(), []
    for edit in edits:
        if edit["kind"] == "add": added.append(edit["row"])
        elif edit["kind"] == "remove": gone.add(edit["index"])
        else:
            for key in edit["remove"]: rows[edit["index"]].pop(key, None)
            rows[edit["index"]].update(json.loads(edit["set"]))
    wanted["tmux_sessions"] = [row for at, row in enumerate(rows) if at not in gone] + added
    try: found = yaml.safe_load(after)
    except Exception as error: return "unreadable: " + str(error)
    return "as wanted" if typed(found) == typed(wanted) else "another content: " + repr(found)
print(json.dumps([verdict(*each) for each in json.load(sys.stdin)]))
`;
