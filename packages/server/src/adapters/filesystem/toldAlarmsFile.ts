import { open, readFile, rename } from 'node:fs/promises'
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
    async write(told) {
      const temporary = `${path}.new`
      const handle = await open(temporary, 'w', 0o600)
      try {
        await handle.writeFile(JSON.stringify(Object.fromEntries(told)))
        await handle.datasync()
      } finally {
        await handle.close()
      }
      await rename(temporary, path)
    },
  }
}
