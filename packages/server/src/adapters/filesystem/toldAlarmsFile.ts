import { readFile } from 'node:fs/promises'
import { replaceFile } from '../../ground/disk.ts'
import type { Told, ToldAlarms } from '../../ports/toldAlarms.ts'

/** A file of this process alone. */
export function createToldAlarmsFile(path: string): ToldAlarms {
  return {
    async read() {
      try {
        const entries: readonly (readonly [string, Told])[] = Object.entries(JSON.parse(await readFile(path, 'utf8')))
        return new Map(entries.filter(([, told]) => Number.isSafeInteger(told?.at)))
      } catch {
        // At worst a message comes twice.
        return new Map()
      }
    },
    write: (told) => replaceFile(path, JSON.stringify(Object.fromEntries(told))),
  }
}
