/** OpenCode answers others with 500, with a web page, or for another session: its URL parser trims them. */
export function isSessionId(id: string): boolean {
  return /^ses_[0-9A-Za-z]+$/.test(id);
}

export function isRequestId(id: string): boolean {
  return /^(?:per|que)_[0-9A-Za-z]+$/.test(id);
}
