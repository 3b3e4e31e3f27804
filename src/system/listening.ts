import { createConnection } from "node:net";

/** Whether somebody listens on a Unix socket: its file outlives its server. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((settle) => {
    const connection = createConnection(socket);
    connection.once("connect", () => {
      connection.destroy();
      settle(true);
    });
    // EAGAIN: the queue of a server that does not accept is full, so there is one. Without a descriptor left it can't be told, and the server is asked.
    connection.once("error", (error) => settle("code" in error && ["EAGAIN", "EMFILE", "ENFILE"].includes(String(error.code))));
  });
}
