/** The names that this browser knows, so that files are found without reading their headers again. */
import {
  type IndexSeal,
  type KnownName,
  knownNameOf,
  MAX_NAMES,
  openNames,
  placeOfIndex,
  sealNames,
} from '@blindkeep/client/findIndex'
import type { Owner } from '@blindkeep/client/owner'
import { toHex } from '@blindkeep/protocol/bytes'
import { changeParts, deleteParts, loadParts } from './nameStore.ts'

export interface NameIndex {
  get(key: string): KnownName | undefined
  /** What a header that was opened says. Stored soon, unless the index is turned off. */
  note(key: string, file: KnownName): void
  /** Calls back when the stored names are there: at once if they are. */
  whenLoaded(listener: () => void): void
  /** Nothing is stored from now on. Resolves when nothing is being stored any more. */
  close(): Promise<void>
}

type IndexOwner = Pick<Owner, 'accountKey' | 'accountId'>

/** Names that are read one after the other are stored together. */
const STORE_MS = 1_000
/** More parts than these become few. */
const MAX_PARTS = 24

/** Not secret, and per device: whether the owner has turned the index off here. */
const OFF = 'blindkeep.noNameIndex'

export function isIndexOn(): boolean {
  try {
    return localStorage.getItem(OFF) === null
  } catch {
    return false
  }
}

export function createNameIndex(owner: IndexOwner, baseUrl: string): NameIndex {
  const seal = { accountKey: owner.accountKey, accountId: owner.accountId, baseUrl }
  const place = placeOf(seal)
  const names = new Map<string, KnownName>()
  const waiting = new Map<string, KnownName>()
  const listeners = new Set<() => void>()
  let [isLoaded, isClosed, isTimed] = [false, false, false]
  let work: Promise<void> = load().catch(() => undefined)

  async function load(): Promise<void> {
    if (!isIndexOn()) await deleteParts({ of: place })
    const parts = isIndexOn() ? await loadParts(place) : []
    const damaged: number[] = []
    for (const { id, sealed } of parts) {
      const opened = sealed && (await openNames(sealed, seal))
      if (opened === undefined) damaged.push(id)
      for (const [key, name] of opened ?? []) {
        if (!names.has(key)) names.set(key, name)
        waiting.delete(key)
      }
    }
    isLoaded = true
    for (const listener of listeners) listener()
    listeners.clear()
    if (parts.length <= MAX_PARTS && damaged.length === 0 && names.size <= MAX_NAMES) return
    const merged = await sealNames([...names].slice(-MAX_NAMES), seal)
    if (mayStore())
      await changeParts(
        place,
        merged,
        parts.map(({ id }) => id),
      )
  }

  const mayStore = () => !isClosed && isIndexOn()

  /** A full disk costs the index alone: the names stay in this page. */
  async function store(): Promise<void> {
    isTimed = false
    const added = [...waiting]
    waiting.clear()
    if (added.length === 0 || !mayStore()) return
    const parts = await sealNames(added, seal)
    if (mayStore()) await changeParts(place, parts, [])
  }

  return {
    get: (key) => names.get(key),
    note(key, file) {
      if (names.has(key)) return
      const oldest = names.size < MAX_NAMES ? undefined : names.keys().next().value
      if (oldest !== undefined) names.delete(oldest)
      const name = knownNameOf(file)
      names.set(key, name)
      waiting.set(key, name)
      if (isTimed) return
      isTimed = true
      setTimeout(() => {
        work = work.then(store).catch(() => undefined)
      }, STORE_MS)
    },
    whenLoaded(listener) {
      if (isLoaded) listener()
      else listeners.add(listener)
    },
    close() {
      isClosed = true
      return work
    },
  }
}

type IndexOf = Omit<IndexSeal, 'accountKey'>

const placeOf = (of: IndexOf) => toHex(placeOfIndex(of))

const indexes = new WeakMap<Owner, NameIndex>()

/** One index for all pages of the owner. */
export function nameIndexOf(owner: Owner, baseUrl: string): NameIndex {
  const index = indexes.get(owner) ?? createNameIndex(owner, baseUrl)
  indexes.set(owner, index)
  return index
}

/** After a sign-out no file names stay in the browser, not even sealed. */
export async function deleteNames(owner: Owner, baseUrl: string): Promise<void> {
  await indexes.get(owner)?.close()
  await deleteParts({ of: placeOf({ accountId: owner.accountId, baseUrl }) })
}

/** Of accounts whose sessions ended without a sign-out. */
export async function deleteNamesOfOthers(of: IndexOf): Promise<void> {
  await deleteParts({ notOf: placeOf(of) })
}

/** Turned off, what is stored is deleted at once. Turned on, names are stored as they are read from now on. */
export async function turnIndex(isOn: boolean, owner: Owner, baseUrl: string): Promise<void> {
  if (isOn) localStorage.removeItem(OFF)
  else localStorage.setItem(OFF, '1')
  await deleteNames(owner, baseUrl)
  indexes.delete(owner)
}
