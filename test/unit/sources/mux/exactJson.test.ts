import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, isSameJson, parseExact, textOfExact } from "../../../../src/sources/mux/exactJson.ts";
import { runPython } from "../../../support/python.ts";

const texts = [
  "1",
  "1.0",
  "-0",
  "-0.0",
  "1e5",
  "1E+2",
  "0.10",
  "12345678901234567890",
  "123456789.123456789012345678",
  "1e400",
  '"plain"',
  '"\\ud83d\\ude00 \\u0000 \\ud800"',
  '{"__proto__":{"polluted":1.0},"constructor":null,"":[]}',
  '[true,false,null,[1.50,{"a":2}]]',
] as const;

test.each(texts)("%s is written again with the type and the value that Python read", (text) => {
  const again = textOfExact(parseExact(text) ?? null);
  const script = "import json, sys; a, b = (json.loads(t) for t in json.load(sys.stdin)); print(json.dumps([repr(a) == repr(b), repr(a), repr(b)]))";
  expect(runPython(script, [text, again])).toEqual([true, expect.anything(), expect.anything()]);
});

test("a number keeps its very text, also deep inside", () => {
  const text = '{"a":[1,1.0,{"b":12345678901234567890}],"c":1e5}';
  expect(textOfExact(parseExact(text) ?? null)).toBe(text);
});

test("what JSON.parse reads is the same words after it, whatever it is", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = parseExact(text);
      expect(value).toBeDefined();
      expect(JSON.parse(textOfExact(value ?? null))).toEqual(JSON.parse(text));
      expect(isSameJson(value, parseExact(textOfExact(value ?? null)))).toBe(true);
    }),
  );
});

test("every number of JSON's syntax keeps its text, wherever it stands", () => {
  const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
  fc.assert(
    fc.property(number, fc.array(number), fc.constantFrom("", " ", "\n", "\t"), (one, several, gap) => {
      const text = `{"a":${gap}${one},"b":[${several.join(`,${gap}`)}]}`;
      expect(textOfExact(parseExact(text) ?? null)).toBe(text.replaceAll(/\s/g, ""));
      expect(textOfExact(parseExact(one) ?? null)).toBe(one);
    }),
    { numRuns: 2_000 },
  );
});

test.each(["", "{", "NaN", "[1,]", "{'a': 1}", "undefined"])("%j is no JSON", (text) => {
  expect(parseExact(text)).toBeUndefined();
});

test("a key of the name __proto__ is a key, and harms nobody", () => {
  const value = parseExact('{"__proto__":{"polluted":1}}');
  expect(isJsonObject(value) && Object.hasOwn(value, "__proto__")).toBe(true);
  expect(textOfExact({ ...(value as object) })).toBe('{"__proto__":{"polluted":1}}');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  ["1", "1", true],
  ["1", "1.0", false],
  ["1.0", "1.0", true],
  ["1e5", "100000.0", false],
  ["1", '"1"', false],
  ["null", "{}", false],
  ["{}", "[]", false],
  ["1.0", "{}", false],
  ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
  ['{"a":1}', '{"a":1,"b":null}', false],
  ['{"a":1}', '{"b":1}', false],
  ['{"__proto__":1}', '{"a":1}', false],
  ["[1,2]", "[2,1]", false],
  ["[1,2]", "[1,2]", true],
  ["[1]", "[1,null]", false],
])("%s and %s are the same: %s", (a, b, isSame) => {
  expect([isSameJson(parseExact(a), parseExact(b)), isSameJson(parseExact(b), parseExact(a))]).toEqual([isSame, isSame]);
});
