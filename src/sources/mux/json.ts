/**
 * A value of a row, with nothing lost: a number that JavaScript could not write again as it was read is kept as its text, by `JSON.rawJSON`.
 * YAML's numbers are brought into JSON's form; the type that a reader in another language sees (1 or 1.0) stays.
 */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}
/** What `JSON.rawJSON` returns: `JSON.stringify` writes the text as it is. */
export interface RawNumber {
  readonly rawJSON: string;
}
