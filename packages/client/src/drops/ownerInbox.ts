/** The owner's inbox: names from the sealed header of each drop, and whole drops as streams. */

import type { Bytes } from '@blindkeep/protocol/bytes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { DropId } from '@blindkeep/protocol/ids'
import type { InboxEntryResponse } from '@blindkeep/protocol/schemas/drops'
import type { Static } from 'typebox'
import type { Environment } from '../environment.ts'
import type { Call } from '../http/call.ts'
import { openDownload } from '../http/download.ts'
import { descriptionOf, type FileDescription, isSameFile } from '../seal/fileHeader.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import { ANOTHER_DROP, DropError, type DropFault, dropFaultOf } from './dropError.ts'
import { createDropIdentities } from './dropIdentities.ts'
import type { LinkKeysOf } from './dropKeys.ts'
import { type DescribedDrop, type DropFacts, dropContext, openDropPrefix } from './inboxDrop.ts'

export type { FileDescription } from '../seal/fileHeader.ts'
export type { DescribedDrop, DropFacts } from './inboxDrop.ts'

/** Each takes a request of about 2.3 KB; more at once would only queue in the browser. */
const HEADERS_AT_ONCE = 6

/** A drop that cannot be opened is listed with its fault, never hidden: it uses quota, and a guest has sent it. */
export type InboxItem =
  | (DescribedDrop & { readonly fault?: undefined })
  | (DropFacts & { readonly file?: undefined; readonly fault: DropFault })

export interface OpenedDrop extends FileDescription {
  /**
   * The file. When the connection breaks, it goes on where it was; it fails with `NetworkError` after many tries without a further byte. It fails with
   * `SealError` when the bytes were altered, and with `DropError` at the end when they do not have the listed hash. After a failure the consumer must
   * discard what it has written.
   */
  readonly content: ReadableStream<Bytes>
}

export interface InboxOptions {
  /** Called after each drop whose name was read, or could not be read. */
  readonly onProgress?: ((opened: number, of: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface OwnerInbox {
  /** All pending drops with their names, oldest first. Reads each name once: names that were read before an aborted call are kept for the next. */
  inbox(options?: InboxOptions): Promise<readonly InboxItem[]>
  /**
   * Throws `SealError` when key, header or format are wrong, `DropError` when the header describes another file than the inbox showed, and what a call
   * throws.
   */
  openDrop(
    drop: DropFacts & { readonly file?: FileDescription | undefined },
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenedDrop>
  /** Frees the quota at once; the link's limits are not refunded. */
  discardDrop(dropId: string): Promise<void>
  /** Discards all pending drops of one link. */
  discardPile(opaqueId: string): Promise<void>
}

interface OwnerInboxPorts {
  readonly call: Call
  readonly keysOf: LinkKeysOf
  readonly environment: Environment
}

export function createOwnerInbox({ call, keysOf, environment }: OwnerInboxPorts): OwnerInbox {
  const identities = createDropIdentities(environment)
  /** A drop never changes, so its header is read once. */
  const known = new Map<DropId, { readonly drop: DropFacts; readonly file: FileDescription }>()

  async function describe(drop: DropFacts, signal: AbortSignal | undefined): Promise<FileDescription> {
    const { header } = await openDropPrefix({ call, keysOf }, drop, signal)
    return descriptionOf(header)
  }

  function recalled(drop: DropFacts): FileDescription | undefined {
    const before = known.get(drop.dropId)
    return before !== undefined && isSameDrop(before.drop, drop) ? before.file : undefined
  }

  async function described(drop: DropFacts, signal: AbortSignal | undefined): Promise<InboxItem> {
    if (identities.isSwapped(drop)) return { ...drop, fault: ANOTHER_DROP }
    try {
      const file = recalled(drop) ?? (await describe(drop, signal))
      if (identities.isRenamed(drop, file)) return { ...drop, fault: ANOTHER_DROP }
      known.set(drop.dropId, { drop, file })
      return { ...drop, file }
    } catch (error) {
      const fault = dropFaultOf(error)
      if (signal?.aborted === true || fault === undefined) throw error
      return { ...drop, fault }
    }
  }

  return {
    async inbox({ signal, onProgress } = {}) {
      const { body } = await call('inbox', { signal })
      // One item for each id, even if the server lists an id twice: an action by id must apply to the item that is shown.
      const drops = new Map(body.drops.map((entry) => [entry.drop_id, factsOf(entry)]))
      let opened = 0
      const items = await mapConcurrently([...drops.values()], HEADERS_AT_ONCE, async (drop) => {
        const item = await described(drop, signal)
        opened += 1
        onProgress?.(opened, drops.size)
        return item
      })
      for (const dropId of known.keys()) if (!drops.has(dropId)) known.delete(dropId)
      return items
    },

    async openDrop(drop, { signal } = {}) {
      const stream = await openDownload({
        operation: 'dropContent',
        ask: (options) => call('dropContent', { path: { drop_id: drop.dropId }, ...options }),
        signal,
        environment,
      })
      const { header, content } = await openHashedBlob({
        stream,
        opener: dropContext(keysOf, drop),
        hash: environment.createHash(),
        expectedHash: drop.ciphertextHash,
        expectedSize: drop.sealedBytes,
        differenceError: () => new DropError(),
      })
      const file = descriptionOf(header)
      if (drop.file === undefined || isSameFile(drop.file, file)) return { ...file, content }
      await content.cancel()
      throw new DropError()
    },

    async discardDrop(dropId) {
      await call('discardDrop', { path: { drop_id: dropId } })
    },

    async discardPile(opaqueId) {
      await call('discardDrops', { query: { opaque_id: opaqueId } })
    },
  }
}

function isSameDrop(one: DropFacts, other: DropFacts): boolean {
  return one.opaqueId === other.opaqueId && one.ciphertextHash === other.ciphertextHash && one.kemCt === other.kemCt
}

function factsOf(entry: Static<typeof InboxEntryResponse>): DropFacts {
  return {
    dropId: entry.drop_id,
    opaqueId: entry.opaque_id,
    ciphertextHash: entry.ciphertext_hash,
    sealedBytes: entry.size,
    kemCt: entry.kem_ct,
    receivedAt: entry.received_at,
    adopting: entry.adopting,
  }
}
