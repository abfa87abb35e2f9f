import { randomUUID } from 'node:crypto'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Client } from './client.ts'
import { isNoSuchKey, S3Refusal } from './failure.ts'
import { putKey, readKey } from './keys.ts'
import { inMemory } from './spool.ts'

/** Its place below the prefix. */
export const MARKER = 'blindkeep-store'
const MAX_MARKER_BYTES = 1024
const MARKER_TEXT =
  'Blindkeep keeps objects below this prefix. Without this object it assumes that it looks at the wrong bucket.'

/**
 * Tells a lost object from a wrong bucket or prefix, where everything looks missing. Nothing counts as missing unless
 * the marker of this store is there. An answer that access is denied never counts: it says nothing about the object.
 */
export interface Marker {
  /** The random id of the store, made with its marker. */
  readonly storeId: string
  /** This process made it just now: the store is new. */
  readonly isNew: boolean
  /** Throws `StorageUnavailable` if the marker is missing or another store's. */
  check(): Promise<void>
  /**
   * The same, unless the last look has seen it, a moment ago. A look for each write would cost half as much as the
   * write. So what is written to a bucket that takes the place of the server's own is lost to it until the server's
   * next look, which comes every few seconds.
   */
  checkLately(): Promise<void>
}

/** More than the server leaves between two looks (`watch/presence.ts`). */
const LATELY_MS = 10_000

/** Reads or makes the marker. Throws, with advice, if it is missing and must not be made. */
export async function openMarker(
  client: Client,
  { createIfMissing, knownId }: { readonly createIfMissing: boolean; readonly knownId?: string | undefined },
): Promise<Marker> {
  const key = `${client.address.prefix}${MARKER}`
  const found = await storeIdAt(client, key)
  if (found === undefined && !createIfMissing) throw foreignStore(client, key, knownId)
  const made = found === undefined ? await makeMarker(client, key) : undefined
  const storeId = found ?? (await storeIdAt(client, key))
  if (storeId === undefined) throw new StorageUnavailable('the object store lost what it took a moment ago')
  let seenAt = performance.now()
  async function check(): Promise<void> {
    const askedAt = performance.now()
    let lastSeenAt = Number.NEGATIVE_INFINITY
    try {
      if ((await storeIdAt(client, key)) !== storeId)
        throw new StorageUnavailable(
          'the object store’s marker is missing or another one: the bucket is not the server’s',
        )
      lastSeenAt = askedAt
    } finally {
      // After a look that failed, also because the store was away, each write looks until one has seen it.
      seenAt = lastSeenAt
    }
  }
  return {
    storeId,
    isNew: made === storeId,
    check,
    checkLately: async () => (performance.now() - seenAt < LATELY_MS ? undefined : check()),
  }
}

/** Whether the bucket has been a server's. */
export async function hasMarker(client: Client): Promise<boolean> {
  return (await storeIdAt(client, `${client.address.prefix}${MARKER}`)) !== undefined
}

/** Undefined if there is no marker. */
async function storeIdAt(client: Client, key: string): Promise<string | undefined> {
  const pieces: Uint8Array[] = []
  try {
    const span = { start: 0, end: MAX_MARKER_BYTES }
    for await (const piece of readKey(client, key, span, { lane: 'verification' })) pieces.push(piece)
  } catch (error) {
    if (isNoSuchKey(error)) return undefined
    throw error
  }
  const storeId = /^store: ([0-9a-f-]{36})$/m.exec(Buffer.concat(pieces).toString())?.[1]
  if (storeId === undefined) throw new StorageUnavailable(`${MARKER} in the bucket is not a marker of Blindkeep`)
  return storeId
}

/** Two nodes may start at once: the first marker counts, where the store can tell. Returns the id that was put. */
async function makeMarker(client: Client, key: string): Promise<string> {
  const storeId = randomUUID()
  const spooled = inMemory(Buffer.from(`${MARKER_TEXT}\nstore: ${storeId}\n`))
  try {
    await putKey(client, key, spooled, { onlyNew: true })
  } catch (error) {
    if (!(error instanceof S3Refusal)) throw error
    if (error.code === 'NotImplemented') await putKey(client, key, spooled)
    else if (error.code !== 'PreconditionFailed') throw error
  }
  return storeId
}

function foreignStore({ address }: Client, key: string, knownId: string | undefined): Error {
  return new Error(
    [
      `the bucket ${address.bucket} does not look like the one that this database belongs to:`,
      `  the database knows objects, but the bucket has no ${key}.`,
      '  Set BLOBS_URL to the bucket and prefix of the objects, and start again. Nothing was changed.',
      `  Only if the objects are lost permanently: put an object ${key} with the line`,
      `    store: ${knownId ?? '<id>'}`,
      `  ${knownId === undefined ? 'where <id> is a random UUID, ' : ''}and, if you have a backup, bring them back: \`blindkeep-server fsck --repair-from BACKUP\`.`,
      '  Then start again. The server reports the others as lost.',
    ].join('\n'),
  )
}
