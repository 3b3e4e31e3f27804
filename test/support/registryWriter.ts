import { once } from "node:events";
import { openRegistry } from "../../src/sources/mux/registry.ts";

// A window of its own: raises its own counter and everybody's in each row, as often as it is told to, as soon as it is told to.
const [path = "", me = "", rowCount, raises] = process.argv.slice(2);
const registry = openRegistry(path);

console.log("ready");
await once(process.stdin, "data");
process.stdin.destroy();
const first = Date.now();
for (let raise = 0; raise < Number(raises); raise++) for (let at = 0; at < Number(rowCount); at++) await change(`row-${at}`);
console.log(JSON.stringify({ first, last: Date.now() }));

async function change(name: string): Promise<void> {
  for (;;) {
    const { outcome } = await registry.update((rows) => {
      const at = rows.find(({ row }) => row.name === name);
      if (!at) throw new Error(`${name} is not there.`);
      const next = (key: string): number => Number(at.value[key] ?? 0) + 1;
      return { kind: "change", at, set: { [me]: next(me), all: next("all") }, remove: [] };
    });
    if (outcome.kind === "recorded") return;
    if (outcome.kind !== "busy") throw new Error(`${name}: ${JSON.stringify(outcome)}`);
  }
}
