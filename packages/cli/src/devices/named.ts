/** Says which names of sessions, devices, passkeys and channels do not open. */
import { EXIT, type Exit } from '../ground/exits.ts'
import type { Report } from '../ground/report.ts'
import { shortId } from '../ground/texts.ts'

interface Telling {
  readonly what: 'session' | 'device' | 'passkey' | 'channel'
  readonly report: Report
}

/** `ids`: those whose names do not open. */
export function tellNameFaults(ids: readonly string[], { what, report }: Telling): Exit {
  for (const id of ids) {
    const message = `The server gives a name of the ${what} ${shortId(id)} that this account did not give it. It was altered, or exchanged with another one, and is not shown.`
    report.problem(message, { event: 'failed', reason: 'name_unreadable', [`${what}_id`]: id, message })
  }
  return ids.length === 0 ? EXIT.done : EXIT.untrusted
}
