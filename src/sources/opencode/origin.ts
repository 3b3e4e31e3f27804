/** `localhost` is the loopback, whatever its name is resolved to: one server has one origin. Undefined where it is no address. */
export function originIn(told: string): string | undefined {
  const url = URL.parse(told.includes("://") ? told : `http://${told}`);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  // Whoever listens on all addresses listens on the loopback.
  if (/(^|\.)localhost\.?$/.test(url.hostname) || ["0.0.0.0", "[::]"].includes(url.hostname)) url.hostname = "127.0.0.1";
  return url.origin;
}

export function isLoopback(origin: string): boolean {
  return /^https?:\/\/(127\.|\[::1\])/.test(origin);
}
