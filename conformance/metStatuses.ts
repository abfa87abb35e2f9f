/** Records the statuses that this process met. `run.ts` compares them with the document at the end. */
import { appendFileSync } from 'node:fs'

const met = new Set<string>()
/** The file to which all processes of a run append; absent when a test file runs by itself. */
const journal = process.env.CONFORMANCE_SEEN

export function recordMet(operation: string, status: number): void {
  met.add(`${operation} ${status}`)
}

if (journal !== undefined) process.once('exit', () => appendFileSync(journal, [...met, ''].join('\n')))
