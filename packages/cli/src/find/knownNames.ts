/** The names of drops that this profile has read, sealed under the account key: the next search asks for none. */
import {
  type IndexSeal,
  type KnownName,
  keyOfDrop,
  knownNameOf,
  MAX_NAMES,
  openNames,
  sealNames,
} from '@blindkeep/client/findIndex'
import type { DropFacts } from '@blindkeep/client/owner'
import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { namesOf } from '../account/profile.ts'
import type { SignedIn } from '../account/session.ts'
import { type Reading, unlessDamaged } from '../home/damaged.ts'

/** Each is a small request, as in the list of the inbox. */
const AT_ONCE = 6

const PARTS: Reading<readonly string[]> = {
  is: (json): json is readonly string[] => Array.isArray(json) && json.every((part) => typeof part === 'string'),
  says: 'what the files in the inbox are called',
  without: 'to read their names again',
}

export interface NamedDrop {
  readonly drop: DropFacts
  /** Undefined if it was not read, or cannot be. */
  readonly file: KnownName | undefined
}

interface NameDrops {
  /** Whether names are read that this profile does not know. */
  readonly isRead: boolean
  /** Whether the profile keeps names. What it kept before is deleted otherwise. */
  readonly isKept: boolean
  readonly signal: AbortSignal
}

/** The pending drops, newest first, with what is known of their names. `drops`: all of the inbox. */
export async function nameDrops(
  session: SignedIn,
  drops: readonly DropFacts[],
  { isRead, isKept, signal }: NameDrops,
): Promise<readonly NamedDrop[]> {
  const { owner, report } = session
  if (!isKept) await session.profile.vault.remove(placeOf(session))
  const known = isKept ? await readKnown(session) : new Map<string, KnownName>()
  const missing = drops.filter((drop) => !known.has(keyOfDrop(drop)))
  let read = 0
  try {
    await mapConcurrently(isRead ? missing : [], AT_ONCE, async (drop) => {
      const { file } = await owner.describeDrop(drop, { signal })
      if (file !== undefined) known.set(keyOfDrop(drop), knownNameOf(file))
      read += 1
      report.progress(() => [`${read} of ${missing.length} names are read`])
    })
  } finally {
    if (isKept && isRead && missing.length > 0) await keepKnown(session, drops, known)
    report.end()
  }
  return drops.map((drop) => ({ drop, file: known.get(keyOfDrop(drop)) }))
}

const placeOf = ({ owner }: SignedIn) => namesOf(owner.accountId)

const sealOf = ({ owner: { accountKey, accountId }, server }: SignedIn): IndexSeal => ({
  accountKey,
  accountId,
  baseUrl: server,
})

/** Empty if it is damaged, or of another server. */
async function readKnown(session: SignedIn): Promise<Map<string, KnownName>> {
  const parts = (await session.profile.vault.read(placeOf(session), PARTS).catch(unlessDamaged)) ?? []
  const known = new Map<string, KnownName>()
  for (const part of parts)
    for (const [key, name] of (await openNames(bytesOf(part), sealOf(session))) ?? []) known.set(key, name)
  return known
}

function bytesOf(part: string): Uint8Array {
  try {
    return fromBase64(part)
  } catch {
    return new Uint8Array()
  }
}

/** Without those that have left the inbox. A disk that takes nothing costs only the next search its time. */
async function keepKnown(
  session: SignedIn,
  drops: readonly DropFacts[],
  known: ReadonlyMap<string, KnownName>,
): Promise<void> {
  const listed = drops.slice(0, MAX_NAMES).flatMap((drop): readonly (readonly [string, KnownName])[] => {
    const name = known.get(keyOfDrop(drop))
    return name === undefined ? [] : [[keyOfDrop(drop), name]]
  })
  try {
    const parts = await sealNames(listed, sealOf(session))
    await session.profile.vault.write(placeOf(session), parts.map(toBase64))
  } catch (error) {
    session.report.aside(`The names are not kept for the next search: ${String(error)}`)
  }
}
