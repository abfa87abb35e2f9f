/**
 * The objects below a directory, read with plain file calls: it creates, syncs and removes nothing, and does not use
 * the server's own adapter, which might hide what a dead process left.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import type { ReadableObjects } from '../../packages/server/src/domain/fsck/files.ts'
import { BlobMissing } from '../../packages/server/src/ground/storageErrors.ts'

export function plainFiles(directory: string): ReadableObjects {
  const sizeOf = async (location: string) => (await stat(join(directory, location)).catch(unlessMissing))?.size

  return {
    size: sizeOf,
    async digest(location, size) {
      const present = await sizeOf(location)
      if (present === undefined) throw new BlobMissing('no such object')
      const hash = createHash('sha256')
      for await (const piece of range(join(directory, location), { start: 0, end: size })) hash.update(piece)
      const sha256 = parseSha256Hex(hash.digest('hex'))
      if (sha256 === undefined) throw new Error('SHA-256 gave something other than 64 hex characters')
      return { sha256, size: present }
    },
    async *read(location, part) {
      if ((await sizeOf(location)) === undefined) throw new BlobMissing('no such object')
      yield* range(join(directory, location), part)
    },
    async *list() {
      for (const prefix of await prefixesIn(directory))
        for (const name of await readdir(join(directory, prefix))) yield `${prefix}/${name}`
    },
    check: async () => 0,
  }
}

/** The root has the marker of the directory and its lock too, which are no objects. */
export async function prefixesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => !name.startsWith('.') && !name.startsWith('server.lock'))
}

async function* range(
  path: string,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  if (end > start) yield* createReadStream(path, { start, end: end - 1 })
}

export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}
