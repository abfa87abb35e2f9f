/** The owner's inbox: true names out of the first bytes of each drop, and whole drops as they stream in. */
import { type Bytes, fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import type { DropId, OpaqueId } from '@blindkeep/protocol/ids'
import type { InboxEntryResponse } from '@blindkeep/protocol/schemas/drops'
import type { Static } from 'typebox'
import { createByteReader } from './byteReader.ts'
import type { Call } from './call.ts'
import { dropKeySource, type LinkKeys } from './drop.ts'
import { DropError, type DropFault, dropFaultOf } from './dropError.ts'
import type { Environment } from './environment.ts'
import type { Header } from './header.ts'
import { mapBounded } from './mapBounded.ts'
import { openBlob } from './open.ts'
import { HEADER_BYTES_USUAL, type HeaderReading, type OpenContext, openHeader } from './openHeader.ts'
import { SealError } from './sealedBlob.ts'
import type { RunningHash } from './sha256.ts'

/** Each takes a request of about 2.3 KB; more at once would only queue in the browser. */
const HEADERS_AT_ONCE = 6

/** What the server says of a drop that waits. */
export interface DropFacts {
  readonly dropId: DropId
  /** The link it arrived through. */
  readonly opaqueId: OpaqueId
  /** SHA-256 of the sealed file, lowercase hex. */
  readonly ciphertextHash: string
  /** Bytes of the sealed file. */
  readonly sealedBytes: number
  /** base64. */
  readonly kemCt: string
  readonly receivedAt: string
  /** Whether an adoption holds it now. */
  readonly adopting: boolean
}

/** What the guest says of the file: unverified, shown as text, made safe before it touches a disk. */
export interface FileDescription {
  readonly name: string | undefined
  readonly type: string | undefined
  readonly note: string | undefined
  readonly sender: string | undefined
  /** RFC 3339. */
  readonly modifiedAt: string | undefined
  /** Bytes of the file. */
  readonly size: number
}

/** A drop that cannot be opened is listed with the reason, never hidden: it takes room, and somebody has sent it. */
export type InboxItem = DropFacts &
  (
    | { readonly file: FileDescription; readonly fault?: undefined }
    | { readonly file?: undefined; readonly fault: DropFault }
  )

export interface OpenedDrop extends FileDescription {
  /**
   * The file. Fails with `SealError` where the bytes are not those that were sealed, with `DropError` at the end when they are not those that
   * the inbox names, and with `NetworkError` when the line breaks; what was written of it until then must be thrown away.
   */
  readonly content: ReadableStream<Bytes>
}

export interface OwnerInbox {
  /** Everything that waits, oldest first, with true names. */
  inbox(options?: { readonly signal?: AbortSignal }): Promise<readonly InboxItem[]>
  /** Throws `SealError` when key, header or form are wrong, or what a call throws. */
  openDrop(drop: DropFacts, options?: { readonly signal?: AbortSignal }): Promise<OpenedDrop>
  /** Gives the quota back at once; the link's cap is not refunded. */
  discardDrop(dropId: string): Promise<void>
  /** All that waits of one link. */
  discardPile(opaqueId: string): Promise<void>
}

export interface OwnerInboxPorts {
  readonly call: Call
  readonly keysOf: (opaqueId: string) => LinkKeys
  readonly environment: Environment
}

export function createOwnerInbox({ call, keysOf, environment }: OwnerInboxPorts): OwnerInbox {
  /** Drops never change, so what was read once holds until the drop is gone. */
  let known: ReadonlyMap<DropId, FileDescription> = new Map()

  const contextOf = ({ opaqueId, kemCt }: DropFacts): OpenContext => ({
    key: dropKeySource(keysOf(opaqueId), fromBase64(kemCt)),
    purpose: 'original',
    contextId: fromHex(opaqueId),
  })

  async function firstBytes(dropId: DropId, count: number, signal: AbortSignal | undefined): Promise<Bytes> {
    const headers = { Range: `bytes=0-${count - 1}` }
    const { body } = await call('dropContent', { path: { drop_id: dropId }, headers, signal })
    const reader = createByteReader(body)
    const bytes = await reader.take(count)
    await reader.cancel()
    return bytes
  }

  async function readHeader(drop: DropFacts, signal: AbortSignal | undefined): Promise<Header> {
    const context = contextOf(drop)
    let reading: HeaderReading = { complete: false, bytesNeeded: HEADER_BYTES_USUAL }
    // The first bytes tell how many a longer header takes, so there is at most one more request.
    for (let requests = 0; requests < 2 && !reading.complete; requests++)
      reading = await openHeader(await firstBytes(drop.dropId, reading.bytesNeeded, signal), context)
    if (!reading.complete) throw new SealError('truncated', 'the drop ends inside its header')
    return reading.header
  }

  async function described(drop: DropFacts, signal: AbortSignal | undefined): Promise<InboxItem> {
    try {
      return { ...drop, file: known.get(drop.dropId) ?? descriptionOf(await readHeader(drop, signal)) }
    } catch (error) {
      const fault = dropFaultOf(error)
      if (signal?.aborted === true || fault === undefined) throw error
      return { ...drop, fault }
    }
  }

  return {
    async inbox({ signal } = {}) {
      const { body } = await call('inbox', { signal })
      const items = await mapBounded(body.drops.map(factsOf), HEADERS_AT_ONCE, (drop) => described(drop, signal))
      known = new Map(items.flatMap(({ dropId, file }) => (file === undefined ? [] : [[dropId, file]])))
      return items
    },

    async openDrop(drop, { signal } = {}) {
      const { body } = await call('dropContent', { path: { drop_id: drop.dropId }, signal })
      const hash = environment.createHash()
      const { header, content } = await openBlob(body.pipeThrough(hashing(hash)), contextOf(drop))
      return { ...descriptionOf(header), content: content.pipeThrough(endingWith(hash, drop)) }
    },

    async discardDrop(dropId) {
      await call('discardDrop', { path: { drop_id: dropId } })
    },

    async discardPile(opaqueId) {
      await call('discardDrops', { query: { opaque_id: opaqueId } })
    },
  }
}

function hashing(hash: RunningHash): TransformStream<Bytes, Bytes> {
  return new TransformStream<Bytes, Bytes>({
    transform: (piece, controller) => {
      hash.update(piece)
      controller.enqueue(piece)
    },
  })
}

/** Compared when the blob itself has nothing to complain of: what is wrong inside it says more than that the whole is another. */
function endingWith(hash: RunningHash, drop: DropFacts): TransformStream<Bytes, Bytes> {
  return new TransformStream<Bytes, Bytes>({
    flush: () => {
      if (hash.digest() !== drop.ciphertextHash) throw new DropError()
    },
  })
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

function descriptionOf({ size, name, type, note, sender, modified_at: modifiedAt }: Header): FileDescription {
  return { size, name, type, note, sender, modifiedAt }
}
