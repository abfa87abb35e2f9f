/** Attestation keys of servers that this user has met, and the newest receipt of each. Not secret. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MovedAway } from '@blindkeep/client/errors'
import { joinPins, type PinnedKeys, parsePins } from '@blindkeep/client/receipts'
import { whileAlone } from './claims.ts'
import { Damaged } from './damaged.ts'
import { readPrivate, writePrivate } from './files.ts'

/** Longer than a write takes on a busy disk. */
const WAIT_MS = 30_000

/** `serverId`: the origin of the server. Undefined before the first call of `pin`. */
export async function pinsOf(home: string, serverId: string): Promise<PinnedKeys | undefined> {
  const path = keysPath(home, serverId)
  const text = await readPrivate(path)
  if (text === undefined) return undefined
  try {
    return parsePins(JSON.parse(text))
  } catch (cause) {
    const says = 'which keys the server has shown before'
    throw new Damaged(path, { says, without: 'to trust the keys that the server shows now' }, cause)
  }
}

/** Adds what was seen. Throws `AuditError` if another process has seen what contradicts it. */
export async function pin(home: string, seen: PinnedKeys): Promise<void> {
  await changePins(home, seen.serverId, (before) =>
    joinPins(before, { ...seen, knownSince: seen.knownSince ?? new Date().toISOString() }),
  )
}

/** Of a server that was followed, under its new name. Throws `AuditError` if another server is known by that name. */
export async function pinFollowed(home: string, pins: PinnedKeys): Promise<void> {
  await changePins(home, pins.serverId, (before) => {
    if (before === undefined) return pins
    // It may have been left there before, and come back.
    const { movedTo: _, ...known } = before
    return joinPins(known, pins)
  })
}

/** In place of the pins under the old name. It comes last: until then another call follows again. */
export async function bury(home: string, tombstone: PinnedKeys): Promise<void> {
  await changePins(home, tombstone.serverId, () => tombstone)
}

async function changePins(
  home: string,
  serverId: string,
  change: (before: PinnedKeys | undefined) => PinnedKeys,
): Promise<void> {
  const path = keysPath(home, serverId)
  await whileAlone({ home, path, doing: 'notes keys of this server', waitMs: WAIT_MS }, async () => {
    const before = await pinsOf(home, serverId)
    const text = JSON.stringify(change(before))
    if (before === undefined || text !== JSON.stringify(before)) await writePrivate(path, text)
  })
}

/** Forgets the keys of a server, or that it has moved. */
export async function forgetPins(home: string, serverId: string): Promise<void> {
  const path = keysPath(home, serverId)
  await whileAlone({ home, path, doing: 'notes keys of this server', waitMs: WAIT_MS }, () => rm(path, { force: true }))
}

/** Throws `MovedAway` if the server of this address was followed to another one. Nothing is sent to the old one. */
export async function refuseMoved(home: string, address: string): Promise<void> {
  const to = await lastFollowed(home, address)
  if (to !== address) throw new MovedAway({ from: new URL(address).origin, to })
}

/** Longer than a server's list of moves. */
const MAX_STEPS = 100

/** Where the server of this address is, as far as it was followed; the address itself if that is so, or is none. */
export async function lastFollowed(home: string, given: string): Promise<string> {
  let address = given
  for (let step = 0; step < MAX_STEPS && URL.canParse(address); step += 1) {
    const next = (await pinsOf(home, new URL(address).origin))?.movedTo
    if (next === undefined) return address
    address = next
  }
  return address
}

export function isPinned(home: string, serverId: string): boolean {
  return existsSync(keysPath(home, serverId))
}

/** The file with the keys of a server. */
export const keysPath = (home: string, serverId: string) => serverPath(home, serverId, 'json')

/** What is remembered of a server. */
export function serverPath(home: string, serverId: string, ending: string): string {
  return join(home, 'servers', `${createHash('sha256').update(serverId).digest('hex').slice(0, 32)}.${ending}`)
}
