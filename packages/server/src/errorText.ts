import { forbiddenText } from './forbidden.ts'

const SQLITE_FULL = 13

/** What a person reads of an error: its message, and why in brackets. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const denied = forbiddenText(error)
  if (denied !== undefined) return `${denied}.`
  // Of SQLite, before anything could judge it: https://www.sqlite.org/rescode.html#full
  if ('errcode' in error && error.errcode === SQLITE_FULL)
    return 'the disk of the data directory is full. Make room on it, then try again.'
  // Node tries all addresses of a host, and its error for all of them has no message.
  const message = error instanceof AggregateError && error.message === '' ? errorText(error.errors[0]) : error.message
  const why = error.cause === undefined ? '' : errorText(error.cause)
  return message.includes(why) ? message : `${message} (${why})`
}
