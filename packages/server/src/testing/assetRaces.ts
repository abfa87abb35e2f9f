import assert from 'node:assert/strict'
import type { UploadId } from '@blindkeep/protocol/ids'
import type { Declared } from '../domain/assets/manifest.ts'
import { isRefusal } from '../domain/ground/refusals.ts'
import { blobRow, openBlob } from './assetSessions.ts'
import type { AlbumOwner } from './assets.ts'
import { accountRow, append, bytes, notRefused } from './guest.ts'
import { lockReceiptLog } from './receipts.ts'
import type { World } from './world.ts'

export const ROUNDS = 9

export const reasonOf = (answer: unknown): string => (isRefusal(answer) ? String(Object(answer).refused) : 'done')
/** How many answers have this reason. */
export const count = (answers: readonly string[], reason: string) =>
  answers.filter((answer) => answer === reason).length
/** Without what is in the bin. */
export const used = async (world: World, { accountId }: AlbumOwner) =>
  (await accountRow(world, accountId)).usedBytes - (await world.rules.bin.bytesOf(accountId))
/** Sends all bytes of a session in one chunk. Returns `done` or the reason of the refusal. */
export const whole = (world: World, uploadId: UploadId, content: Uint8Array) =>
  append(world, uploadId, { offset: 0, bytes: content }).then(reasonOf)

/** Creates a session and sends all its bytes at once. Resolves with the reason of a refusal, or `done`. */
export async function uploadWhole(
  world: World,
  { accountId }: AlbumOwner,
  declared: Declared,
  content: Uint8Array,
): Promise<string> {
  const created = await world.rules.uploads.create(await accountRow(world, accountId), declared)
  return isRefusal(created) ? created.refused : whole(world, created.uploadId, content)
}

/** Runs both at once. The order of the calls alternates from round to round. */
export async function both<First, Second>(
  round: number,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<readonly [First, Second]> {
  if (round % 2 === 0) return Promise.all([first(), second()])
  const late = second()
  return [await first(), await late]
}

/**
 * Makes the log append the receipts of all that `work` finishes in one batch: the log is held, and the landing of
 * another blob, which is removed afterwards, waits for it first. Calls `hold` when all are waiting.
 */
export async function inOneBatch(
  world: World,
  albumOwner: AlbumOwner,
  {
    ids,
    work,
    hold = async () => undefined,
  }: {
    readonly ids: readonly UploadId[]
    readonly work: () => Promise<readonly string[]>
    readonly hold?: () => Promise<unknown>
  },
): Promise<readonly string[]> {
  const log = await lockReceiptLog(world)
  const content = bytes(100)
  const first = await openBlob(world, albumOwner, content)
  const landed = whole(world, first, content)
  await untilWaiting(world, [first])
  const answers = work()
  await untilWaiting(world, ids)
  await hold()
  await log.release()
  const settled = await answers
  assert.equal(await landed, 'done')
  const { assetId } = await blobRow(world, first)
  notRefused(await world.rules.assets.remove(albumOwner.accountId, assetId))
  return settled
}

async function untilWaiting(world: World, ids: readonly UploadId[]): Promise<void> {
  for (const uploadId of ids) while ((await blobRow(world, uploadId)).state === 'open') await new Promise(setImmediate)
  // From there to the log it takes some reads: of the asset, and of a manifest.
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate)
}

/** The number of the last receipt. */
export const heights = async (world: World) => (await world.store.read((tx) => tx.receipts.head()))?.receiptSeq ?? 0
