import { talk } from "../../../support/facets.ts";
import { openLedgerFile } from "../../../../src/sources/ledger/ledgerFile.ts";

// A window that purges one entry, and may be killed at any moment.
const [folder = "", id = ""] = process.argv.slice(2);
console.log("begun");
await openLedgerFile(folder).purge(() => ({ id, conversation: talk("A"), at: 1 }));
console.log("done");
