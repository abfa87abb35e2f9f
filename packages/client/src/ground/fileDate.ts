/**
 * When a file was last changed: one rule for both pages and the command line, for sending and for saving. A date that a
 * header cannot say, or that is no date, is left out. It never stops a file.
 */
import { formatInstant, instantIn, parseInstant } from '@blindkeep/protocol/ids'

/** RFC 3339, for `FileFacts.modifiedAt`, of milliseconds since 1970. Undefined outside the years 0000 to 9999. */
export function fileDateText(milliseconds: number): string | undefined {
  const at = instantIn(milliseconds)
  return at === undefined ? undefined : formatInstant(at)
}

/** The same of a browser's `File`. Browsers give 1970 to a file without a date. */
export function chosenDateText({ lastModified }: { readonly lastModified: number }): string | undefined {
  return lastModified === 0 ? undefined : fileDateText(lastModified)
}

/** A header's date for a saved file. Give it to the system as it is: Node reads a negative number as the present. */
export function fileDateOf(modifiedAt: string | undefined): Date | undefined {
  const at = modifiedAt === undefined ? undefined : parseInstant(modifiedAt)
  return at === undefined ? undefined : new Date(at)
}
