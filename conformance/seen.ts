/** Which statuses of which operations this process has met: `run.ts` holds them against the document when all files have run. */
import { appendFileSync } from 'node:fs'

const seen = new Set<string>()
/** A file that all processes of one run append to; absent when a test file runs by itself. */
const journal = process.env.CONFORMANCE_SEEN

export function markSeen(operation: string, status: number): void {
  seen.add(`${operation} ${status}`)
}

if (journal !== undefined) process.once('exit', () => appendFileSync(journal, [...seen, ''].join('\n')))
