/** A pending drop: the server's entry, and the header that the client opens. Inbox and adoption share this code. */
import { fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import type { DropId, OpaqueId } from '@blindkeep/protocol/ids'
import type { InboxEntryResponse, Withheld } from '@blindkeep/protocol/schemas/drops'
import type { Call } from '../http/call.ts'
import { firstBytesOf } from '../seal/byteReader.ts'
import type { FileDescription } from '../seal/fileHeader.ts'
import { type OpenContext, type OpenedPrefix, openPrefix, readPrefix } from '../seal/openHeader.ts'
import { dropKeySource, type LinkKeysOf } from './dropKeys.ts'

/** The server's entry of a pending drop. */
export interface DropFacts {
  readonly dropId: DropId
  /** The link that the drop arrived through. */
  readonly opaqueId: OpaqueId
  /** SHA-256 of the sealed file, lowercase hex. */
  readonly ciphertextHash: string
  /** Bytes of the sealed file. */
  readonly sealedBytes: number
  /** base64. */
  readonly kemCt: string
  readonly receivedAt: string
  /** Whether an adoption is in progress. */
  readonly adopting: boolean
  /** Why the server does not hand out its bytes; undefined if it does, as far as it says. */
  readonly withheld?: Withheld | undefined
}

export function dropFactsOf(entry: InboxEntryResponse): DropFacts {
  return {
    dropId: entry.drop_id,
    opaqueId: entry.opaque_id,
    ciphertextHash: entry.ciphertext_hash,
    sealedBytes: entry.size,
    kemCt: entry.kem_ct,
    receivedAt: entry.received_at,
    adopting: entry.adopting,
    ...(entry.withheld && { withheld: entry.withheld }),
  }
}

/** A drop whose header this client has opened. An action on it applies to this very file. */
export type DescribedDrop = DropFacts & { readonly file: FileDescription }

/** Whether a server states the same drop under an id as before. */
export function isSameDrop(one: DropFacts, other: DropFacts): boolean {
  return one.opaqueId === other.opaqueId && one.ciphertextHash === other.ciphertextHash && one.kemCt === other.kemCt
}

/** What opens a drop. Purpose `original` and the link as context stay the same after adoption. */
export function dropContext(keysOf: LinkKeysOf, drop: Pick<DropFacts, 'opaqueId' | 'kemCt'>): OpenContext {
  return {
    key: dropKeySource(keysOf(drop.opaqueId), fromBase64(drop.kemCt)),
    purpose: 'original',
    contextId: fromHex(drop.opaqueId),
  }
}

interface DropReader {
  readonly call: Call
  readonly keysOf: LinkKeysOf
}

interface OpenedDropPrefix extends OpenedPrefix {
  /** Bytes before the data segments. */
  readonly bytesBefore: number
}

/** Opens the header of a pending drop, with one or two requests. Throws `SealError`, and what a call throws. */
export async function openDropPrefix(
  { call, keysOf }: DropReader,
  drop: DropFacts,
  signal?: AbortSignal,
): Promise<OpenedDropPrefix> {
  const prefix = await readPrefix(async (count) => {
    const headers = { Range: `bytes=0-${count - 1}` }
    const { body } = await call('dropContent', { path: { drop_id: drop.dropId }, headers, signal })
    return firstBytesOf(body, count)
  })
  return { ...(await openPrefix(prefix, dropContext(keysOf, drop))), bytesBefore: prefix.length }
}
