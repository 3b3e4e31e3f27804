import { copyLines, nothingCopied } from "../../../system/copyLines.ts";
import { withOwnFile } from "../../../system/ownFile.ts";

/** Shows each line of an own file, and only of such; of any size, since one line at a time is kept. */
export async function seeLines(path: string, see: (line: string) => void): Promise<void> {
  const keep = (line: string): boolean => {
    see(line);
    return false;
  };
  await withOwnFile(path, (file) => copyLines(file, { appendFile: async () => undefined }, nothingCopied, { keep }, true));
}
