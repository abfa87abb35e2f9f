/** Records what the server does. Never pass a path, a token, a client’s address (but see LOG_ADDRESSES), an opaque id, a key or anything that a guest wrote. */
export interface Log {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
  error(event: string, facts?: Readonly<Record<string, unknown>>): void
}
