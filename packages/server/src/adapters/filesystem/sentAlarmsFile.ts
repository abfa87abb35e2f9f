import { readFile } from 'node:fs/promises'
import { replaceFile } from '../../ground/disk.ts'
import type { SentAlarm, SentAlarms } from '../../ports/sentAlarms.ts'

/** A file of this process alone. */
export function createSentAlarmsFile(path: string): SentAlarms {
  return {
    async read() {
      try {
        const entries: readonly (readonly [string, SentAlarm])[] = Object.entries(
          JSON.parse(await readFile(path, 'utf8')),
        )
        return new Map(entries.filter(([, sent]) => isWhole(sent)))
      } catch {
        // At worst a message comes twice.
        return new Map()
      }
    },
    write: (sent) => replaceFile(path, JSON.stringify(Object.fromEntries(sent))),
  }
}

/** Part of an entry would say that a kind was said, and never that it is over. */
function isWhole(sent: Partial<SentAlarm> | null): boolean {
  return Number.isSafeInteger(sent?.at) && typeof sent?.isOver === 'boolean'
}
