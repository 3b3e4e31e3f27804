/** A time in Go's form; undefined for its zero, which is the year 1, and for what is none. */
export function timeOf(text: string): number | undefined {
  const at = goForm.test(text) ? Date.parse(text) : Number.NaN;
  return at > 0 ? at : undefined;
}
const goForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** As Go writes a time: without zeros at the end of its fraction. */
export function goTime(at: number): string {
  return new Date(at).toISOString().replace(/\.?0*Z$/, "Z");
}
