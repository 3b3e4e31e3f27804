/** Whether a text names an id: as a whole word, so that `ses_1` is not found in `ses_12`, nor `1` in `ses_1`. */
export function isNamedIn(text: string, id: string): boolean {
  if (id === "") return false;
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) if (!isOfWord(text[at - 1]) && !isOfWord(text[at + id.length])) return true;
  return false;
}

function isOfWord(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z0-9_-]/.test(character);
}
