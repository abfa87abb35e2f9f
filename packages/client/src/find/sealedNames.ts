/**
 * The index of names: what the headers of files said when this device opened them, so that they are found without
 * reading the headers again. Kept on the device, in parts that are sealed under the account key for one account at one
 * server. A name stands under the hash of the sealed bytes that said it, so no server can give it to another file. The
 * index says nothing of which files there are, and nothing is opened by what it says.
 */
import { type Bytes, utf8 } from '@blindkeep/protocol/bytes'
import type { AccountId } from '@blindkeep/protocol/ids'
import { isCount } from '@blindkeep/protocol/json'
import { ID_BYTES, SEGMENT_PLAINTEXT_BYTES } from '@blindkeep/protocol/suites'
import { sha256 } from '@noble/hashes/sha2.js'
import type { AssetFacts } from '../assets/assetFacts.ts'
import type { DropFacts } from '../drops/inboxDrop.ts'
import { openSmall } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { MAX_TEXT_UNITS } from './foldText.ts'

/** What the index keeps of a file. */
export interface KnownName {
  readonly name: string | undefined
  readonly sender: string | undefined
  readonly type: string | undefined
  /** Bytes of the file. */
  readonly size: number
}

export type KnownNames = ReadonlyMap<string, KnownName>

/** Whose index it is. */
export interface IndexSeal {
  readonly accountKey: Bytes
  readonly accountId: AccountId
  /** The server's URL, without a slash at the end. */
  readonly baseUrl: string
}

/** A device forgets the oldest beyond these. */
export const MAX_NAMES = 200_000
const MAX_TYPE_UNITS = 128

/** The hash of the sealed file: a drop is never changed. */
export function keyOfDrop({ ciphertextHash }: Pick<DropFacts, 'ciphertextHash'>): string {
  return ciphertextHash
}

/** What a device has signed about the file, and the metadata with its name. Undefined for what is not complete. */
export function keyOfAsset({ blobs }: Pick<AssetFacts, 'blobs'>): string | undefined {
  const hashOf = (wanted: string) => blobs.find(({ role }) => role === wanted)?.hash
  const [provenance, metadata] = [hashOf('provenance'), hashOf('metadata')]
  return provenance && metadata && `${provenance.slice(0, 32)}${metadata.slice(0, 32)}.`
}

export function knownNameOf({ name, sender, type, size }: KnownName): KnownName {
  return { name: cut(name, MAX_TEXT_UNITS), sender: cut(sender, MAX_TEXT_UNITS), type: cut(type, MAX_TYPE_UNITS), size }
}

function cut(text: string | undefined, units: number): string | undefined {
  return text !== undefined && text.length > units ? text.slice(0, units).toWellFormed() : text
}

/** One part or several, each of at most 1 MiB. */
export async function sealNames(
  names: Iterable<readonly [string, KnownName]>,
  seal: IndexSeal,
): Promise<readonly Bytes[]> {
  const parts: Bytes[] = []
  let lines: string[] = []
  let bytes = 0
  const finish = async () => {
    if (lines.length > 0) parts.push(await sealSmall(utf8(lines.join('\n')), sealOf(seal)))
    lines = []
    bytes = 0
  }
  for (const [key, { name = null, sender = null, type = null, size }] of names) {
    const line = JSON.stringify([key, name, sender, type, size])
    // A UTF-16 unit has at most three bytes of UTF-8.
    const most = 3 * line.length + 1
    if (bytes + most > SEGMENT_PLAINTEXT_BYTES) await finish()
    lines.push(line)
    bytes += most
  }
  await finish()
  return parts
}

/** Undefined for a part that is damaged, or of another account or server: make it again without it. */
export async function openNames(
  sealed: Uint8Array,
  seal: IndexSeal,
): Promise<readonly (readonly [string, KnownName])[] | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await openSmall(sealed, sealOf(seal)))
    return text.split('\n').map(entryOf)
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

/** Throws `SyntaxError`. */
function entryOf(line: string): readonly [string, KnownName] {
  const json: unknown = JSON.parse(line)
  if (!Array.isArray(json)) throw new SyntaxError('not an entry')
  const [key, name, sender, type, size]: unknown[] = json
  if (typeof key !== 'string' || !isCount(size)) throw new SyntaxError('not an entry')
  return [key, knownNameOf({ name: textOf(name), sender: textOf(sender), type: textOf(type), size })]
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Where a device keeps the parts. It names neither account nor server to a reader without their names. */
export function placeOfIndex({ accountId, baseUrl }: Omit<IndexSeal, 'accountKey'>): Bytes {
  return sha256(utf8(`blindkeep/find/1\0${baseUrl}\0${accountId}`)).slice(0, ID_BYTES)
}

function sealOf(seal: IndexSeal) {
  return { key: seal.accountKey, purpose: 'find-index', contextId: placeOfIndex(seal) } as const
}
