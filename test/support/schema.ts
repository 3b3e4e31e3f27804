import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The words of JSON Schema that our fixtures use; any other is an error, so that nothing passes because it was not understood. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<{ [name: string]: Schema }>;
}
const understood = new Set(["$schema", "title", "description", "type", "enum", "pattern", "minimum", "required", "properties"]);

/** What is wrong with it, a sentence each; empty where it fits. */
export function wrongBy(schemaFile: string, value: unknown): readonly string[] {
  return wrongIn(JSON.parse(readFileSync(join(import.meta.dirname, "../fixtures", schemaFile), "utf8")) as Schema, value, "it");
}

function wrongIn(schema: Schema, value: unknown, where: string): readonly string[] {
  const unknown = Object.keys(schema).find((word) => !understood.has(word));
  if (unknown !== undefined) throw new Error(`${unknown} is not understood`);
  const told = JSON.stringify(value);
  const fields = typeof value === "object" && value !== null ? (value as Readonly<{ [name: string]: unknown }>) : {};
  return [
    ...(schema.type !== undefined && ![schema.type].flat().includes(typeOf(value)) ? [`${where} is ${told}, not ${[schema.type].flat().join(" or ")}`] : []),
    ...(schema.enum && !schema.enum.includes(value) ? [`${where} is ${told}, not one of ${schema.enum.join(", ")}`] : []),
    ...(schema.pattern !== undefined && !(typeof value === "string" && new RegExp(schema.pattern).test(value)) ? [`${where} is ${told}`] : []),
    ...(schema.minimum !== undefined && !(typeof value === "number" && value >= schema.minimum) ? [`${where} is ${told}`] : []),
    ...(schema.required ?? []).filter((name) => !(name in fields)).map((name) => `${where} lacks ${name}`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => (name in fields ? wrongIn(part, fields[name], name) : [])),
  ];
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
