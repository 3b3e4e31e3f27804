/** Looks at Node's version before anything is loaded that needs a newer one: execa does not load on Node 20, and the native database crashes there. */
if (Number(process.versions.napi) < 10) {
  console.error("session-warden needs Node 22.15 or newer.");
  process.exitCode = 1;
} else {
  void import("./cli/main.ts")
    .then(({ main }) => main(process.argv.slice(2)))
    .then(
      (code) => (process.exitCode = code),
      (error: unknown) => {
        console.error(
          `session-warden stopped for a reason of its own: ${error instanceof Error ? error.message : String(error)}. SESSION_WARDEN_DEBUG=1 shows where.`,
        );
        if (process.env["SESSION_WARDEN_DEBUG"]) console.error(error);
        process.exitCode = 1;
      },
    );
}
