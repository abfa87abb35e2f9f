import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccountId, type AssetId, parseUploadId, type SessionId, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { AssetVerdict, BlobVerdict, VerifyQuestion } from '../domain/custody/verdicts.ts'
import { createVerify, type Verify } from '../domain/custody/verify.ts'
import { locationOf } from '../domain/ground/location.ts'
import type { GiveUpAfter } from '../ground/pause.ts'
import type { HeldBlob, StoredObject } from '../ports/store.ts'
import { type AlbumOwner, declaredFor, newAssetId } from './assets.ts'
import { bytes, never } from './guest.ts'
import { type Bytes, defined, sha256, type World } from './world.ts'

/** Kept blobs, and questions about them, in tests of storage verification. */
export interface KeptBlob extends HeldBlob {
  readonly assetId: AssetId
  readonly content: Uint8Array
}

interface BlobToKeep {
  readonly assetId?: AssetId
  readonly role?: BlobRole
}

/** Writes the rows and the file of a landed blob directly. */
export async function keep(
  world: World,
  albumOwner: AlbumOwner,
  content: Uint8Array,
  { assetId = newAssetId(), role = 'original' }: BlobToKeep = {},
): Promise<KeptBlob> {
  const { accountId, albumId } = albumOwner
  const { ciphertextHash, size, contentType, envelope } = declaredFor(world, albumOwner, content, { assetId, role })
  const uploadId = defined(parseUploadId(randomUUID()))
  const location = locationOf(ciphertextHash, uploadId)
  const at = world.clock.now()
  await writeFile(join(world.blobsDirectory, location), content)
  const blob = {
    assetId,
    role,
    ciphertextHash,
    size,
    contentType,
    location,
    uploadId,
    envelope,
    landedAt: at,
    retainedUntil: undefined,
    pendingAfter: undefined,
  }
  await world.store.write([], async (tx) => {
    await tx.accounts.charge(accountId, size, undefined)
    await tx.assets.reserve({ assetId, accountId, albumId })
    await tx.objects.insert({ location, size, state: 'kept', since: at })
    await tx.assets.addBlob(blob)
    await tx.assets.touch(assetId, at)
  })
  const status = { objectState: 'kept', damagedAt: undefined, isSuspected: false, isOnHold: false } as const
  return { assetId, role, ciphertextHash, size, location, content, ...status }
}

export const fileOf = ({ blobsDirectory }: World, { location }: Pick<StoredObject, 'location'>): string =>
  join(blobsDirectory, location)

/** Marks an object as orphaned. */
export async function mark({ store, clock }: World, { location }: Pick<StoredObject, 'location'>): Promise<void> {
  await store.write([], (tx) => tx.objects.move(location, { from: 'kept', to: 'orphaned', at: clock.now() }))
}

/** The rule over a world's ports. By default there is no limit, and no request gives up waiting. */
export function verifyOver(
  world: World,
  overrides: { readonly deepBytesPerHour?: number; readonly giveUpAfter?: GiveUpAfter } = {},
): Verify {
  const { deepBytesPerHour = 2 ** 40, giveUpAfter = () => never } = overrides
  return createVerify({ ...world, giveUpAfter, reportDamage: world.rules.scrub.suspect }, { deepBytesPerHour })
}

export const about = (assetId: AssetId, ...blobHashes: Sha256Hex[]): VerifyQuestion => ({ assetId, blobHashes })
export const aboutAll = (blobs: readonly KeptBlob[]): VerifyQuestion[] =>
  blobs.map(({ assetId, ciphertextHash }) => about(assetId, ciphertextHash))

/** The verdict on one blob of one asset. */
export async function askOne(
  verify: Verify,
  accountId: AccountId,
  { assetId, ciphertextHash }: Pick<KeptBlob, 'assetId' | 'ciphertextHash'>,
  deep = false,
): Promise<AssetVerdict & { readonly blob: BlobVerdict }> {
  const questions = [about(assetId, ciphertextHash)]
  const verdict = defined((await verify({ accountId, questions, deep, signal: never }))[0])
  return { ...verdict, blob: defined(verdict.blobs[0]) }
}

/** The flags of one blob and its deep verdict: `durable stored indexed retrievable original intact`. */
export function saidOf({ durable, blob }: { readonly durable: boolean; readonly blob: BlobVerdict }): string {
  return `${durable ? 'durable ' : ''}${flagsOf(blob)}`
}

export function flagsOf({ role, stored, indexed, retrievable, deep }: BlobVerdict): string {
  const words = [stored && 'stored', indexed && 'indexed', retrievable && 'retrievable', role, deep]
  return words.filter((word) => word !== false && word !== undefined).join(' ')
}

/** A hash of no blob. */
export const strange = (): Sha256Hex => sha256(Buffer.from(randomUUID()))

/** Records the calls of a blob store, and runs work in between. */
export function watchBlobs() {
  const calls = { size: [] as string[], digest: [] as string[], check: 0 }
  let before: (location: string, signal: AbortSignal) => Promise<void> = async () => undefined
  return {
    calls,
    /** Runs `work` between the structural check and the scan of an object. */
    beforeDigest(work: typeof before): void {
      before = work
    },
    around: (real: Bytes): Bytes => ({
      ...real,
      size(location) {
        calls.size.push(location)
        return real.size(location)
      },
      async digest(location, size, signal) {
        calls.digest.push(location)
        await before(location, signal)
        return real.digest(location, size, signal)
      },
      check() {
        calls.check += 1
        return real.check()
      },
    }),
  }
}

/** Changes one bit of an object and leaves its size. */
export async function flipBit(world: World, blob: KeptBlob): Promise<void> {
  const content = Buffer.from(blob.content)
  const at = content.length >> 1
  content.writeUInt8(content.readUInt8(at) ^ 1, at)
  await writeFile(fileOf(world, blob), content)
}

/** A kept blob in whose place a directory can be put. It has the blob's size, and the disk gives no bytes of it. */
export async function keepBreakable(world: World, albumOwner: AlbumOwner) {
  const directory = join(world.blobsDirectory, randomUUID())
  await makeDirectory(directory)
  const blob = await keep(world, albumOwner, bytes((await stat(directory)).size))
  await rm(directory, { recursive: true })
  const path = fileOf(world, blob)
  return {
    blob,
    async break(): Promise<void> {
      await rm(path)
      await makeDirectory(path)
    },
    async mend(): Promise<void> {
      await rm(path, { recursive: true })
      await writeFile(path, blob.content)
    },
  }
}

/** Some file systems give an empty one no size. */
async function makeDirectory(path: string): Promise<void> {
  await mkdir(path)
  await writeFile(join(path, 'entry'), '')
}

/** The locations of all suspected objects. */
export async function suspectedIn({ store, clock }: World): Promise<readonly string[]> {
  const due = { at: clock.now(), mostSeconds: 0, max: 9 }
  return (await store.read((tx) => tx.objects.listSuspected(due))).map(({ location }) => location)
}

/** Answers of `saidOf` and `askEach`. */
export const INTACT = 'durable stored indexed retrievable original intact'
export const LIMITED = 'durable stored indexed retrievable original rate_limited'
export const CORRUPT = 'stored indexed original corrupt'
export const UNREADABLE = 'indexed original'

/** The verdict on each of these blobs, each as its own question of one request. */
export async function askEach(
  verify: Verify,
  accountId: AccountId,
  blobs: readonly KeptBlob[],
  sessionId?: SessionId,
): Promise<readonly string[]> {
  const verdicts = await verify({ accountId, sessionId, questions: aboutAll(blobs), deep: true, signal: never })
  return verdicts.map(({ durable, blobs }) => `${durable ? 'durable ' : ''}${blobs.map(flagsOf).join(', ')}`)
}
