/** A session's name is often its whole first prompt, which may be a file: of that a row needs one line. */
export function asTitle(text: string): string {
  const line = text
    .slice(0, 10 * longest)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= longest) return line;
  const signs = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return signs.length <= longest ? line : `${signs.slice(0, longest - 1).join("")}…`;
}
const longest = 200;
