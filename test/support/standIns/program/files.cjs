const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { basename, dirname, join } = require("node:path");

/** Never seen half written. */
exports.write = function write(file, text) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = join(dirname(file), `.${basename(file)}.draft`);
  writeFileSync(draft, text);
  renameSync(draft, file);
};

exports.lines = function lines(objects) {
  return objects.map((object) => `${JSON.stringify(object)}\n`).join("");
};

/** Clock ticks since boot at which this process began; undefined where there is no /proc. */
exports.ownStart = function ownStart() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
};
