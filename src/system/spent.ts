/** What this program has spent on looking, for who asks what watching costs. */
export const spent = { subprocesses: 0, subprocessMs: 0, watchers: 0, sockets: 0 };
