import { join } from "node:path";

export const id = "1796040021438_wu6iw";
export const neighbour = "1796040025725_cvbeu";
export const marker = "purplewalrus";
export const words = { [id]: marker, [neighbour]: "neighbourly" };

export function folderOf(home: string, of: string, file = ""): string {
  return join(home, "sessions", of, file);
}
