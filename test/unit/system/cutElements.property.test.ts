import * as fc from "fast-check";
import { expect, test } from "vitest";
import { withoutElements, withoutMembers, withValue } from "../../../src/system/cutElements.ts";

const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r\n"), maxLength: 3 });
const element = fc.record({ before: space, json: fc.json({ depthSize: "small" }), isToGo: fc.boolean(), after: space });

test("of any array any elements go, and what is left is the same text, in the same order", () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 8 }), space, (elements, around) => {
      const rows = elements.map((each, at) => ({ ...each, json: `{"at": ${at}, "of": ${each.json}}` }));
      const text = `${around}[${rows.map(({ before, json, after }) => `${before}${json}${after}`).join(",")}]${around}`;
      const goes = (row: unknown): boolean => rows[(row as { readonly at: number }).at]?.isToGo === true;
      const cut = withoutElements(text, goes) ?? "";
      const kept = rows.filter(({ isToGo }) => !isToGo);
      expect(JSON.parse(cut)).toEqual(kept.map(({ json }) => JSON.parse(json) as unknown));
      let from = 0;
      for (const { json } of kept) {
        const at = cut.indexOf(json, from);
        expect(at).toBeGreaterThanOrEqual(from);
        from = at + json.length;
      }
      if (kept.length === rows.length) expect(cut).toBe(text);
      // What stands beside two that stay next to each other stays too.
      for (const [at, { json, after, isToGo }] of rows.entries()) {
        const next = rows[at + 1];
        if (!isToGo && next?.isToGo === false) expect(cut).toContain(`${json}${after},${next.before}${next.json}`);
      }
      expect(cut.startsWith(`${around}[`) && cut.endsWith(`]${around}`)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each(["", "{}", "[1", "1", "null", "[1],", "['a']"])("of %j nothing can be taken", (text) => {
  expect(withoutElements(text, () => true)).toBeUndefined();
});

test("of any object any members go, and what is left is the same text", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(fc.string(), element), { selector: ([name]) => name, maxLength: 8 }), space, (members, around) => {
      const rows = members.map(([name, { before, json, isToGo, after }]) => ({
        name,
        isToGo,
        text: `${JSON.stringify(name)}${after}:${before}${json}`,
        before,
        after,
      }));
      const text = `${around}{${rows.map((row) => `${row.before}${row.text}${row.after}`).join(",")}}${around}`;
      const goes = new Set(rows.filter(({ isToGo }) => isToGo).map(({ name }) => name));
      const cut = withoutMembers(text, (name) => goes.has(name));
      expect(Object.keys(JSON.parse(cut ?? "") as object).toSorted()).toEqual(rows.flatMap(({ name }) => (goes.has(name) ? [] : [name])).toSorted());
      for (const row of rows) if (!goes.has(row.name)) expect(cut).toContain(row.text);
      if (goes.size === 0) expect(cut).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("of a member that stands twice, and of what is no object, nothing can be taken", () => {
  for (const text of ["", "[]", "null", '{"a": 1', '{"a": 1, "a": 2}']) expect(withoutMembers(text, () => true)).toBeUndefined();
});

test("a member's value alone is changed", () => {
  const text = '{ "cwd": "/srv/a",\n  "ids" : [ "a", "b" ], "last": {"ids": 1} }\n';
  expect(withValue(text, "ids", (value) => withoutElements(value, (id) => id === "a"))).toBe(text.replace('"a", ', ""));
  expect(withValue(text, "none", () => "1")).toBe(text);
  expect(withValue(text, "ids", () => undefined)).toBeUndefined();
  expect(withValue("[]", "ids", () => "1")).toBeUndefined();
});
