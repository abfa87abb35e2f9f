/**
 * Every durable step in the life of two drops and of one upload, in phases, one request after the other. Each phase
 * repeats its request until it is acknowledged, so a story that reaches its end has lost nothing.
 */
import { pause } from '../harness/api.ts'
import { planAdoption, settleAdoption } from '../harness/assets/adopt.ts'
import { newAsset } from '../harness/assets/assetLedger.ts'
import { provenanceOf } from '../harness/assets/author.ts'
import { removeAsset } from '../harness/assets/remove.ts'
import { ownBlob, uploadBlob } from '../harness/assets/uploadBlob.ts'
import { fetchReceipt } from '../harness/guest.ts'
import { type Attempt, describeAttempt, type Link, type Owner } from '../harness/ledger.ts'
import type { World } from '../harness/load.ts'
import { discard, readInbox } from '../harness/owner.ts'
import { provision } from '../harness/pool.ts'
import type { Random } from '../harness/random.ts'
import { landed, plannedSession, type Session } from '../harness/session.ts'

/** Runs the work of a phase, with whatever the caller adds around it. */
export type During = <Value>(phase: string, work: () => Promise<Value>) => Promise<Value>

const FILE_BYTES = 20_011
const CHUNKS = 3
const RETRY_PAUSE_MS = 5

interface StoryContext {
  readonly world: World
  readonly owner: Owner
  readonly name: string
  readonly random: Random
  readonly during: During
}

/** `name` is unique and goes into headers. Throws when the story cannot continue. */
export async function runStory(world: World, name: string, during: During): Promise<void> {
  const [owner] = world.owners
  if (owner === undefined) throw new Error('there is no owner')
  const context = { world, owner, name, during, random: world.random.fork(name) }
  const link = await during('provision', () => provision(world, context.random, { owner, singleUse: false }))
  await adoptedDrop(context, link)
  await discardedDrop(context, link)
  await ownAsset(context)
}

async function adoptedDrop({ world, owner, name, random, during }: StoryContext, link: Link): Promise<void> {
  const session = plannedSession(world, link, { name: `${name}-adopted`, size: FILE_BYTES })
  const { attempt, upload } = session
  await during('create drop', () => upload.create())
  for (let index = 1; index < CHUNKS; index++)
    await during(`chunk ${index}`, () => bringTo(session, Math.floor((index * FILE_BYTES) / CHUNKS), random))
  await during('landing', () => bringTo(session, FILE_BYTES, random))
  await fetchReceipt(world, attempt)
  planAdoption(world, attempt, newAsset(owner)).bundle.original.landed = 'asked'
  await during('adoption', () => settleAdoption(world, attempt))
}

async function discardedDrop({ world, name, during }: StoryContext, link: Link): Promise<void> {
  const attempt = await landed(world, link, { name: `${name}-discarded`, size: FILE_BYTES })
  await during('discard', () => discardWhole(world, attempt))
}

async function ownAsset({ world, owner, name, during }: StoryContext): Promise<void> {
  const asset = newAsset(owner)
  const original = ownBlob('original', `${name}-own`, FILE_BYTES)
  const bundle = { action: 'create' as const, original, metadata: undefined }
  const provenance = provenanceOf(asset, bundle)
  world.ledger.assets.push(asset)
  asset.bundles.push(bundle)
  const send = (blob: typeof original) =>
    uploadBlob(world, { asset, bundle, blob }, { chunkBytes: Math.ceil(blob.size / 2) })
  await during('upload', () => send(original))
  Object.assign(bundle, { provenance })
  await during('provenance', () => send(provenance))
  await during('deletion', async () => {
    for (; asset.deleted !== 'acknowledged'; await pause(RETRY_PAUSE_MS)) await removeAsset(world, asset)
  })
}

/** One chunk from the offset to `end`. Without an answer half of the guests ask, the others repeat. */
async function bringTo({ attempt, upload }: Session, end: number, random: Random): Promise<void> {
  const isDone = () => (end < attempt.size ? attempt.acknowledgedOffset >= end : attempt.landed === 'acknowledged')
  while (!isDone()) {
    if (attempt.isClosed) throw new Error(`a session has ended: ${describeAttempt(attempt)}`)
    const offset = attempt.acknowledgedOffset
    const chunk = offset < end ? { offset, length: end - offset } : attempt.lastChunk
    if (chunk === undefined) throw new Error('the server has all bytes, and the last chunk was never sent')
    const reply = await upload.append(chunk)
    if (reply?.status !== 204) await pause(RETRY_PAUSE_MS)
    if (reply === undefined && random.chance(0.5)) await upload.state()
  }
}

async function discardWhole(world: World, attempt: Attempt): Promise<void> {
  const { owner } = attempt.link
  const entry = (await readInbox(world, owner)).find(({ drop_id }) => drop_id === attempt.dropId)
  if (entry === undefined) throw new Error(`it is not in the inbox: ${attempt.dropId}`)
  for (; attempt.discarded !== 'acknowledged'; await pause(RETRY_PAUSE_MS)) await discard(world, owner, entry)
}
