/** What the inbox tells of a drop, and what its first bytes tell when they are opened. Inbox and adoption read it alike. */
import { fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import type { DropId, OpaqueId } from '@blindkeep/protocol/ids'
import type { Call } from '../http/call.ts'
import { firstBytesOf } from '../seal/byteReader.ts'
import { type OpenContext, type OpenedPrefix, openPrefix, readPrefix } from '../seal/openHeader.ts'
import { dropKeySource, type LinkKeysOf } from './dropKeys.ts'

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

/** What opens a drop, before and after its adoption: its purpose stays `original`, its context the link. */
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
  /** Where the data segments begin. */
  readonly bytesBefore: number
}

/** Opens the header of a drop that waits, with one or two requests. Throws `SealError`, or what a call throws. */
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
