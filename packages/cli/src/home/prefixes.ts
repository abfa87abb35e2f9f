/**
 * How blobs begin that this profile has sealed, or read to their end: a line for each, the SHA-256 of the blob and that
 * of its beginning. Not secret. A line that is missing only makes a sample less certain.
 */
import { join } from 'node:path'
import type { PrefixStore } from '@blindkeep/client/owner'
import { appendLines, linesOf } from './lines.ts'

const LINE = /^([0-9a-f]{64}) ([0-9a-f]{64})$/

export function prefixStore(home: string, directory: string): PrefixStore {
  const path = join(directory, 'beginnings')
  let reading: Promise<Map<string, string>> | undefined
  let waiting: string[] = []
  let writing: Promise<void> | undefined

  const known = () => {
    reading ??= readAll(path)
    return reading
  }

  /** Many files may land at once: one write carries all that wait. */
  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const lines = waiting
        waiting = []
        await appendLines({ home, path, doing: 'notes how files begin' }, lines)
      }
    } finally {
      writing = undefined
    }
  }

  return {
    load: async (blob) => (await known()).get(blob),
    async save(blob, prefix) {
      const all = await known()
      if (all.get(blob) === prefix) return
      all.set(blob, prefix)
      waiting.push(`${blob} ${prefix}`)
      writing ??= write()
      await writing
    },
  }
}

async function readAll(path: string): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for await (const line of linesOf(path)) {
    const [, blob, prefix] = LINE.exec(line) ?? []
    if (blob !== undefined && prefix !== undefined) all.set(blob, prefix)
  }
  return all
}
