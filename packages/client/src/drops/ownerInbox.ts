/** The owner's inbox: names from the sealed header of each drop, and whole drops as streams. */

import type { Bytes } from '@blindkeep/protocol/bytes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { DropId } from '@blindkeep/protocol/ids'
import type { InboxEntryResponse } from '@blindkeep/protocol/schemas/drops'
import type { Static } from '@blindkeep/protocol/static'
import type { Call } from '../http/call.ts'
import { openDownload } from '../http/download.ts'
import { type List, type ListOptions, listPages, wholeList } from '../http/listPages.ts'
import { descriptionOf, type FileDescription, isSameFile } from '../seal/fileHeader.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import { DropError } from './dropError.ts'
import { createDropNames, type DropNamesPorts, type InboxItem } from './dropNames.ts'
import { type DropFacts, dropContext, dropFactsOf } from './inboxDrop.ts'

export type { FileDescription } from '../seal/fileHeader.ts'
export type { InboxItem } from './dropNames.ts'
export type { DescribedDrop, DropFacts } from './inboxDrop.ts'

/** Each takes a request of about 2.3 KB; more at once would only queue in the browser. */
const HEADERS_AT_ONCE = 6

interface PendingDropsOptions extends ListOptions {
  /** Drops that the caller has, in this order: it gets those that come after them. */
  readonly known?: readonly DropId[] | undefined
}

export interface OpenedDrop extends FileDescription {
  /**
   * The file. When the connection breaks, it goes on where it was; it fails with `NetworkError` after many tries
   * without a further byte. It fails with `SealError` when the bytes were altered, and with `DropError` at the end when
   * they do not have the listed hash. After a failure the consumer must discard what it has written.
   */
  readonly content: ReadableStream<Bytes>
}

interface InboxOptions {
  /** Called after each drop whose name was read, or could not be read. */
  readonly onProgress?: ((opened: number, of: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface OwnerInbox {
  /** All pending drops with their names, oldest first. Reads each name once, and keeps it when a call is aborted. */
  inbox(options?: InboxOptions): Promise<readonly InboxItem[]>
  /**
   * The pending drops without their names, in pages, oldest first by default. Each comes once, however many are
   * adopted or discarded meanwhile. Of those that land meanwhile, the ones come whose place in the order is after the
   * pages so far.
   */
  pendingDrops(options?: PendingDropsOptions): AsyncGenerator<readonly DropFacts[], void, void>
  /** Reads a pending drop's name, once. Rejects only with the signal's reason; other failures are the item's. */
  describeDrop(drop: DropFacts, options?: { readonly signal?: AbortSignal | undefined }): Promise<InboxItem>
  /**
   * Throws `SealError` when key, header or format are wrong, `DropError` when the header describes another file than
   * the inbox showed, and what a call throws.
   */
  openDrop(
    drop: DropFacts & { readonly file?: FileDescription | undefined },
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenedDrop>
  /** It goes to the bin (`restore`), and uses the quota until then. The link's limits are not refunded. */
  discardDrop(dropId: string): Promise<void>
  /** Discards all pending drops of one link, likewise. */
  discardPile(opaqueId: string): Promise<void>
}

interface InboxPorts extends DropNamesPorts {
  /** Learns the beginning of each drop that was read as a whole: the asset that it becomes has the same bytes. */
  readonly prefixes: { readonly note: (blob: string, prefix: Bytes) => Promise<void> }
}

export function createOwnerInbox(ports: InboxPorts): OwnerInbox {
  const { call, keysOf, environment, prefixes } = ports
  const names = createDropNames(ports)

  return {
    async inbox({ signal, onProgress } = {}) {
      const listed = await wholeList(inboxList(call), dropFactsOf, { signal })
      const drops = new Map(listed.map((drop) => [drop.dropId, drop]))
      let opened = 0
      const items = await mapConcurrently([...drops.values()], HEADERS_AT_ONCE, async (drop) => {
        const item = await names.read(drop, signal)
        opened += 1
        onProgress?.(opened, drops.size)
        return item
      })
      names.keepOnly(drops)
      return items
    },

    async *pendingDrops(options = {}) {
      const listed = new Set(options.known)
      for await (const page of listPages(inboxList(call), options)) {
        const drops = page.map(dropFactsOf)
        for (const drop of drops) {
          listed.add(drop.dropId)
          names.note(drop)
        }
        yield drops
      }
      names.keepOnly(listed)
    },

    describeDrop: (drop, { signal } = {}) => names.read(drop, signal),

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
        onWhole: (prefix) => prefixes.note(drop.ciphertextHash, prefix),
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

export const inboxList = (call: Call): List<Static<typeof InboxEntryResponse>> => ({
  operation: 'inbox',
  ask: async (request) => (await call('inbox', request)).body.drops,
  idOf: ({ drop_id }) => drop_id,
  gone: 'error.drop.not_found',
})
