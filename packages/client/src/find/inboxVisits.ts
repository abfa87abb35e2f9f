/** What one device remembers of its visits of the inbox: what is new since the last one, and what was read. Sealed. */
import { type Bytes, utf8 } from '@blindkeep/protocol/bytes'
import { type DropId, millisecondsOf, parseDropId, parseInstant } from '@blindkeep/protocol/ids'
import { isObject } from '@blindkeep/protocol/json'
import { ID_BYTES } from '@blindkeep/protocol/suites'
import { sha256 } from '@noble/hashes/sha2.js'
import type { DropFacts } from '../drops/inboxDrop.ts'
import { openSmall } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import type { IndexSeal } from './sealedNames.ts'

export interface InboxVisits {
  /** The newest file that a visit has shown, RFC 3339. */
  readonly lookedUntil?: string | undefined
  /** Files until then count as read, RFC 3339. */
  readonly readUntil?: string | undefined
  /** Read files after that. */
  readonly read: ReadonlySet<DropId>
}

export const NO_VISITS: InboxVisits = { read: new Set() }

/** More ids are not remembered: the oldest are unread again. */
const MAX_READ = 10_000

export function isReadDrop(
  { readUntil, read }: InboxVisits,
  { dropId, receivedAt }: Pick<DropFacts, 'dropId' | 'receivedAt'>,
): boolean {
  return read.has(dropId) || !isAfter(receivedAt, readUntil)
}

/** Whether `instant` is later; nothing is later than an instant that is missing. */
export function isAfter(instant: string, other: string | undefined): boolean {
  return other === undefined || millisecondsOf(instant) > millisecondsOf(other)
}

export function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && isAfter(other, one)) ? other : one
}

/** Of two tabs or two visits: nothing that was read or seen is forgotten. */
export function mergedVisits(one: InboxVisits, other: InboxVisits): InboxVisits {
  return {
    lookedUntil: laterOf(one.lookedUntil, other.lookedUntil),
    readUntil: laterOf(one.readUntil, other.readUntil),
    read: new Set([...one.read, ...other.read].slice(-MAX_READ)),
  }
}

export function sealVisits({ lookedUntil, readUntil, read }: InboxVisits, seal: IndexSeal): Promise<Bytes> {
  return sealSmall(utf8(JSON.stringify({ lookedUntil, readUntil, read: [...read].slice(-MAX_READ) })), sealOf(seal))
}

/** No visits for what is damaged, missing, or of another account or server: everything is new again. */
export async function openVisits(sealed: Uint8Array | undefined, seal: IndexSeal): Promise<InboxVisits> {
  if (sealed === undefined) return NO_VISITS
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(await openSmall(sealed, sealOf(seal))))
    const { lookedUntil, readUntil, read } = isObject(json) ? json : {}
    const ids = Array.isArray(read) ? read.slice(-MAX_READ) : []
    return {
      lookedUntil: instantIn(lookedUntil),
      readUntil: instantIn(readUntil),
      read: new Set(ids.flatMap((id) => (typeof id === 'string' ? (parseDropId(id) ?? []) : []))),
    }
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError) return NO_VISITS
    throw error
  }
}

const instantIn = (value: unknown) =>
  typeof value === 'string' && parseInstant(value) !== undefined ? value : undefined

export function visitsContext({ accountId, baseUrl }: Omit<IndexSeal, 'accountKey'>): Bytes {
  return sha256(utf8(`blindkeep/inbox-visits/1\0${baseUrl}\0${accountId}`)).slice(0, ID_BYTES)
}

function sealOf(seal: IndexSeal) {
  return { key: seal.accountKey, purpose: 'find-index', contextId: visitsContext(seal) } as const
}
