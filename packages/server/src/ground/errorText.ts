import { forbiddenText } from './forbidden.ts'
import { StorageFull } from './storageErrors.ts'

/** What a person reads of an error: its message, and why in brackets. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const denied = forbiddenText(error)
  if (denied !== undefined) return `${denied}.`
  // Node tries all addresses of a host, and its error for all of them has no message.
  const message = error instanceof AggregateError && error.message === '' ? errorText(error.errors[0]) : error.message
  const why = error.cause === undefined ? '' : errorText(error.cause)
  const text = message.includes(why) ? message : `${message} (${why})`
  return error instanceof StorageFull ? `${text}. Make room on it, then try again.` : text
}
