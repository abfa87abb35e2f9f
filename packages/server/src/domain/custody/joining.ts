/**
 * Joins the parts of a landed object to one, in a store with keys. Nothing waits for it: an object reads the same from
 * its parts.
 *
 * The parts count until the joined key was read whole and has the right bytes; one transaction puts it in their place.
 * A process that stops anywhere leaves a part that is being written, whose time ends: then its bytes are removed and
 * another turn begins again. Two processes that join the same object leave one such part too.
 */
import { createHash } from 'node:crypto'
import { addSeconds, type Instant, parseSha256Hex, type Sha256Hex, type UploadId } from '@blindkeep/protocol/ids'
import { BlobMissing, StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JoinedPiece, Joining, KeyedBytes } from '../../ports/keyedBytes.ts'
import type { Log } from '../../ports/log.ts'
import type { Staging } from '../../ports/staging.ts'
import { isStoreBroken, type KeptPart, type Store } from '../../ports/store.ts'
import { partsOf } from '../ground/location.ts'
import { type JoinStep, type KeyRange, partsToJoin, planJoin } from './joinPlan.ts'

export interface JoiningSettings {
  /** How long bytes stay that do not count any more. */
  readonly partGraceSeconds: number
}

export interface JoiningPorts {
  readonly store: Store
  readonly staging: Pick<Staging, 'newKey'>
  readonly keyedBytes: KeyedBytes
  readonly clock: Clock
  readonly log: Log
  /** Called for an object whose bytes seem wrong. */
  readonly reportDamage: (location: string) => void
}

/** A piece of the joined key: inside the store, from it, or from elsewhere. */
type RunStep = JoinStep | { readonly given: Uint8Array }

/** A joining that shows no progress for so long is given up. */
export const PART_SECONDS = 3600
const EXTEND_AFTER_SECONDS = 300
/** Objects of one turn. */
const MAX_JOINED = 500
const MAX_BATCH = 100
/** Objects that this process does not try again, because their joined bytes were wrong. */
const MAX_REFUSED = 1000

/** The part is not being written any more: another process gave it up. */
export class JoiningLost extends Error {}

export function createJoining(ports: JoiningPorts, settings: JoiningSettings) {
  const { store, staging, clock, log } = ports
  const refused = new Set<UploadId>()

  async function joinOne(uploadId: UploadId, signal: AbortSignal): Promise<void> {
    const parts = partsToJoin(await store.read((tx) => tx.parts.keptOf(uploadId)), ports.keyedBytes.limits)
    const location = parts[0]?.key.split('/').slice(0, 2).join('/')
    const key = location === undefined || parts.length < 2 ? undefined : staging.newKey(location)
    if (key === undefined || location === undefined) return
    const begun = { key, uploadId, location, until: addSeconds(clock.now(), PART_SECONDS) }
    if (!(await store.write([], (tx) => tx.parts.beginJoining(begun)))) return
    try {
      await createJoinRun(ports, key, signal).join(planJoin(parts, ports.keyedBytes.limits), sumOf(parts))
      const checksum = await checkedHash(ports.keyedBytes, { key, parts, signal })
      if (checksum === undefined || (await isWrongWhole(location, { parts, checksum }))) {
        refuse(uploadId, location)
        throw new JoiningLost()
      }
      await replace(uploadId, { key, parts, checksum })
    } catch (error) {
      // If it was kept all the same, this changes nothing.
      await store.write([], (tx) => tx.parts.giveUp(key, clock.now())).catch(() => undefined)
      // The object was removed, or the joined key was given up meanwhile; if not, the scrubber finds out which bytes
      // are missing.
      if (error instanceof BlobMissing) ports.reportDamage(location)
      else if (!(error instanceof JoiningLost)) throw error
    }
  }

  /** Whether the joined part is the whole object and has another hash than its receipt. */
  async function isWrongWhole(
    location: string,
    { parts, checksum }: { readonly parts: readonly KeptPart[]; readonly checksum: Sha256Hex },
  ): Promise<boolean> {
    const object = await store.read((tx) => tx.objects.find(location))
    return object?.size === sumOf(parts) && checksum !== partsOf(location).ciphertextHash
  }

  function refuse(uploadId: UploadId, location: string): void {
    if (refused.size < MAX_REFUSED) refused.add(uploadId)
    log.error('the joined parts of an object have other bytes', { hash: partsOf(location).ciphertextHash })
    ports.reportDamage(location)
  }

  async function replace(
    uploadId: UploadId,
    { key, parts, checksum }: { key: string; parts: readonly KeptPart[]; checksum: Sha256Hex },
  ): Promise<void> {
    const joined = { key, offset: parts[0]?.offset ?? 0, length: sumOf(parts), checksum }
    const removeFrom = addSeconds(clock.now(), settings.partGraceSeconds)
    await store.write([], async (tx) => {
      const replaced = parts.map((part) => part.key)
      // Throws, so that nothing of it counts.
      if (!(await tx.parts.join({ uploadId, joined, replaced, removeFrom }))) throw new JoiningLost()
    })
  }

  return {
    /** Joins objects' parts, one object after another. Throws the signal's reason. */
    async turn(signal: AbortSignal): Promise<void> {
      let after: UploadId | undefined
      let first: { readonly error: unknown } | undefined
      for (let seen = 0; seen < MAX_JOINED; ) {
        const uploadIds = await store.read((tx) => tx.parts.toJoin(after, MAX_BATCH))
        for (const uploadId of uploadIds) {
          signal.throwIfAborted()
          if (!refused.has(uploadId))
            await joinOne(uploadId, signal).catch((error: unknown) => {
              if (isStoreBroken(error) || signal.aborted) throw error
              first ??= { error }
            })
        }
        after = uploadIds.at(-1)
        seen += uploadIds.length
        if (uploadIds.length < MAX_BATCH) break
      }
      if (first !== undefined) throw first.error
    },
  }
}

/** One joining in the store of bytes. */
export function createJoinRun(
  { store, keyedBytes, clock }: Pick<JoiningPorts, 'store' | 'keyedBytes' | 'clock'>,
  key: string,
  signal: AbortSignal,
) {
  let extendedAt: Instant = clock.now()

  async function keepAlive(): Promise<void> {
    signal.throwIfAborted()
    if (clock.now() < addSeconds(extendedAt, EXTEND_AFTER_SECONDS)) return
    extendedAt = clock.now()
    const until = addSeconds(extendedAt, PART_SECONDS)
    if (!(await store.write([], (tx) => tx.parts.extend(key, until)))) throw new JoiningLost()
  }

  async function add(joining: Joining, step: RunStep, number: number): Promise<JoinedPiece> {
    await keepAlive()
    const piece = { ...joining, number }
    if ('given' in step) return keyedBytes.upload(piece, step.given)
    if ('gather' in step) return keyedBytes.upload(piece, await gather(keyedBytes, step.gather))
    const { key: source, start, end } = step.copy
    return keyedBytes.copy(piece, { key: source, range: { start, end } })
  }

  return {
    /** Resolves when the key has so many bytes. */
    async join(steps: Iterable<RunStep> | AsyncIterable<RunStep>, bytes: number): Promise<void> {
      const joining = { key, joiningId: await keyedBytes.create(key) }
      const pieces: JoinedPiece[] = []
      for await (const step of steps) pieces.push(await add(joining, step, pieces.length + 1))
      await keepAlive()
      try {
        await keyedBytes.complete(joining, pieces)
      } catch (error) {
        // The answer may be lost: the key tells. The joining is not aborted as long as the key may count.
        if (!(error instanceof StorageUnavailable) || (await keyedBytes.size(key)) !== bytes) throw error
      }
    },
  }
}

async function gather(keyedBytes: KeyedBytes, ranges: readonly KeyRange[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (const { key, start, end } of ranges)
    for await (const piece of keyedBytes.read(key, { start, end })) pieces.push(piece)
  return Buffer.concat(pieces)
}

interface Joined {
  readonly key: string
  readonly parts: readonly KeptPart[]
  readonly signal: AbortSignal
}

/**
 * Reads the joined key whole, in one request: an error that hits every answer at the same place would hide behind
 * itself if the parts were asked for as `gather` asks. Undefined if the bytes of one of the parts are not there; else
 * the hash of all.
 */
async function checkedHash(keyedBytes: KeyedBytes, { key, parts, signal }: Joined): Promise<Sha256Hex | undefined> {
  const whole = createHash('sha256')
  const expected = parts.values()
  let part = expected.next().value
  let own = createHash('sha256')
  let ownBytes = 0
  for await (const piece of keyedBytes.read(key, { start: 0, end: sumOf(parts) })) {
    signal.throwIfAborted()
    whole.update(piece)
    for (let at = 0; at < piece.length && part !== undefined; ) {
      const mine = piece.subarray(at, at + part.length - ownBytes)
      own.update(mine)
      at += mine.length
      ownBytes += mine.length
      if (ownBytes < part.length) continue
      if (own.digest('hex') !== part.checksum) return undefined
      part = expected.next().value
      own = createHash('sha256')
      ownBytes = 0
    }
  }
  const isWhole = part === undefined && (await keyedBytes.size(key)) === sumOf(parts)
  return isWhole ? parseSha256Hex(whole.digest('hex')) : undefined
}

function sumOf(parts: readonly KeptPart[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
