/**
 * Compares earlier keys with those that are published now. The list is append-only (specification, Discovery,
 * attestation-keys), so a key that is missing, moved or changed is a fault. Pins are an older document of the server,
 * or what a client keeps (`PinnedKeys`).
 */
import type { Fault } from './fault.ts'
import { isObject, type Members } from './keys.ts'
import type { Era } from './moves.ts'

interface Pin {
  readonly keyId: unknown
  readonly public: unknown
  readonly activeFrom: unknown
  /** Absent when the key was pinned while it was active. */
  readonly activeTo: unknown
}

export interface Pins {
  readonly serverId: string
  readonly keys: readonly Pin[]
}

/** Undefined for a document of another form. */
export function readPins(document: unknown): Pins | undefined {
  if (!isObject(document) || !Array.isArray(document.keys)) return undefined
  const serverId = document.server_id ?? document.serverId
  const entries: readonly unknown[] = document.keys
  if (typeof serverId !== 'string' || entries.length === 0 || !entries.every(isObject)) return undefined
  const keys = entries.map(pinOf)
  return keys.every(({ keyId }) => typeof keyId === 'string') ? { serverId, keys } : undefined
}

function pinOf(entry: Members): Pin {
  return {
    keyId: entry.key_id ?? entry.keyId,
    public: entry.public,
    activeFrom: entry.active_from ?? entry.activeFrom,
    activeTo: entry.active_to ?? entry.activeTo ?? undefined,
  }
}

/**
 * `published` is a document that `readKeys` has accepted. `eras`: of a server that has moved; pins then have the name
 * of their last key.
 */
export function pinFaults(pins: Pins, published: unknown, eras: ReadonlyMap<string, Era>): readonly Fault[] {
  const now = readPins(published)
  const faults: Fault[] = []
  const refuse = (where: string, what: string) => void faults.push({ kind: 'keys', where, what })
  const name = eras.get(String(pins.keys.at(-1)?.keyId))?.serverId ?? now?.serverId
  if (name !== pins.serverId) refuse('server_id', `the pinned keys have ${pins.serverId}`)
  for (const [index, before] of pins.keys.entries()) {
    const where = `key ${index + 1}, pinned as ${String(before.keyId)}`
    const after = now?.keys.find(({ keyId }) => keyId === before.keyId)
    if (after === undefined) refuse(where, 'it is no longer published')
    else for (const what of changesOf({ before, after, hasMoved: now?.keys[index] !== after })) refuse(where, what)
  }
  return faults
}

interface Change {
  readonly before: Pin
  readonly after: Pin
  readonly hasMoved: boolean
}

function changesOf({ before, after, hasMoved }: Change): readonly string[] {
  const rules: readonly (readonly [boolean, string])[] = [
    [hasMoved, 'it has another position in the list'],
    [before.public !== after.public, 'its public key has changed'],
    [!isSameTime(before.activeFrom, after.activeFrom), 'its active_from has changed'],
    [before.activeTo !== undefined && !isSameTime(before.activeTo, after.activeTo), 'its active_to has changed'],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, what]) => what)
}

function isSameTime(one: unknown, other: unknown): boolean {
  return one === other || (one !== undefined && Date.parse(String(one)) === Date.parse(String(other)))
}
