import { hostname, networkInterfaces } from "node:os";

/** `localhost` is the loopback, whatever its name is resolved to: one server has one origin. Undefined where it is no address. */
export function originIn(told: string): string | undefined {
  const url = URL.parse(told.includes("://") ? told : `http://${told}`);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  // Whoever listens on all addresses listens on the loopback.
  if (/(^|\.)localhost\.?$/.test(url.hostname) || ["0.0.0.0", "[::]"].includes(url.hostname)) url.hostname = "127.0.0.1";
  return url.origin;
}

/** By whatever name: anybody on a machine may sit on a port of it. */
export function isOnThisMachine(origin: string): boolean {
  const { hostname: named } = new URL(origin);
  const address = named.replace(/^\[(.*)\]$/, "$1");
  if (/^(127\.|::1$|::ffff:)/.test(address) || named === hostname().toLowerCase()) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some((each) => each.address.toLowerCase() === address));
}

/** As a person reads it: "127.0.0.1:4096". */
export function hostIn(origin: string): string {
  return origin.replace(/^https?:\/\//, "");
}
