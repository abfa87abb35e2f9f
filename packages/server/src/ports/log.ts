/** Never a path, token, client address (but see LOG_ADDRESSES), opaque id, key, or anything that a guest wrote. */
export interface Log {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
  error(event: string, facts?: Readonly<Record<string, unknown>>): void
}
