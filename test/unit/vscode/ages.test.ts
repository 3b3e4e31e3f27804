import { expect, it } from "vitest";
import { shortAge, spokenAge } from "../../../src/core/ageWords.ts";
import { ageMsOf } from "../../../src/vscode/ages.ts";
import { minuteMs, now, past, session } from "./sessions.ts";

const hourMs = 60 * minuteMs;

it.each([
  [20_000, "now", "less than a minute"],
  [minuteMs, "1m", "1 minute"],
  [59 * minuteMs, "59m", "59 minutes"],
  [hourMs, "1h", "1 hour"],
  [47 * hourMs, "1d", "1 day"],
  [72 * hourMs, "3d", "3 days"],
])("%d ms is %s in a row, and said as %s", (ageMs, short, spoken) => {
  expect(shortAge(ageMs)).toBe(short);
  expect(spokenAge(ageMs)).toBe(spoken);
});

it("what lives is as old as its start", () => {
  expect(ageMsOf(session("fix login"), now)).toBe(4 * minuteMs);
});

it("what is over is as old as its end", () => {
  expect(ageMsOf(past("fix login", "stopped", "stopped by hand", { lastAt: now - hourMs, startedAt: now - 9 * hourMs }), now)).toBe(hourMs);
});

it("a clock that was set back makes nothing negative", () => {
  expect(ageMsOf(session("fix login", { startedAt: now + hourMs }), now)).toBe(0);
});
