import { openLedger } from "../../../../src/sources/ledger/ledgerSource.ts";
import { living } from "./entries.ts";

// A window of its own: notes as many living sessions as it is told to.
const [folder = "", first, count] = process.argv.slice(2);
const ledger = openLedger(folder);
await Promise.all(Array.from({ length: Number(count) }, (_, at) => ledger.note(living(Number(first) + at, `conversation ${Number(first) + at}`))));
