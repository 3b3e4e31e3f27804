/** The usual form of a conversation's id. Anchored: what comes from a file or an argument is checked before it becomes part of a path. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
