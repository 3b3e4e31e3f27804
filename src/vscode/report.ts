import { examine, reportOf } from "../core/doctor.ts";
import type { Face } from "./face.ts";
import { plainLines } from "./plainText.ts";

/** Shows what is not as it should be, as a read-only document. It changes nothing. */
export function showReport({ lookout, pages }: Pick<Face, "lookout" | "pages">): Promise<void> {
  const text = (): string => {
    const { snapshot, warden } = lookout;
    return `${plainLines(reportOf(examine(snapshot, warden.can), warden.cost()).join("\n"))}\n`;
  };
  return pages.show({ title: "Doctor", key: "doctor", text });
}
