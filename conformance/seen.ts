/** Records which statuses of which operations this process has met. `run.ts` compares them with the document at the end. */
import { appendFileSync } from 'node:fs'

const seen = new Set<string>()
/** The file to which all processes of a run append; absent when a test file runs by itself. */
const journal = process.env.CONFORMANCE_SEEN

export function markSeen(operation: string, status: number): void {
  seen.add(`${operation} ${status}`)
}

if (journal !== undefined) process.once('exit', () => appendFileSync(journal, [...seen, ''].join('\n')))
