import type { Face } from "./face.ts";
import { peekText } from "./peekText.ts";
import { plain } from "./plainText.ts";

/** Shows the last screen or messages of a session as a read-only document. It changes nothing, and shows text only. */
export function peek({ lookout, pages }: Pick<Face, "lookout" | "pages">, key: string): Promise<void> {
  const title = plain(lookout.find(key)?.title ?? key, 60);
  return pages.show({ title, key: `peek ${key}`, text: textOf }, { preserveFocus: true });

  async function textOf(): Promise<string> {
    const session = lookout.find(key);
    if (!session) return "This session is no longer in the list.\n";
    const screen = await lookout.warden.peek(session, AbortSignal.timeout(withinMs));
    return peekText(session, screen, new Date());
  }
}
const withinMs = 5_000;
