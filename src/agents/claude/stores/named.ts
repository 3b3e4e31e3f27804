/** Whether a file or folder is called by the id: by it alone, or with something behind it, such as an ending. */
export function isNamedBy(name: string, id: string): boolean {
  return name.startsWith(id) && !/[0-9A-Za-z]/.test(name.charAt(id.length));
}
