/** A race: many requests at the same time, of which the rules say exactly how many may win. */
import assert from 'node:assert/strict'
import { type Author, newAuthor, uploadsOf } from '../../conformance/assetWorld.ts'
import type { Reply } from '../../conformance/call.ts'
import type { Client } from '../../conformance/client.ts'
import { answerOf } from '../../conformance/expect.ts'
import { asOwner, type Link, linksOf, provision, quotaOf, revoke } from '../../conformance/world.ts'
import { pause } from '../harness/api.ts'
import type { Random } from '../harness/random.ts'

export interface Round {
  readonly client: Client
  /** Has no links, drops and assets when the round begins, and must have none when it ends. */
  readonly author: Author
  /** Another account. */
  readonly rival: Author
  /** For this round only. */
  readonly random: Random
  readonly index: number
  /** Runs an operator's command beside the server and returns its JSON output. Throws when it fails. */
  operate(...command: readonly string[]): Promise<unknown>
}

export interface Race {
  readonly name: string
  /** Settings of its server, in addition to those of all races. */
  readonly settings?: Readonly<Record<string, string>>
  /** One round takes as long as this many rounds of others, and so it gets fewer of them; 1 unless set. */
  readonly weight?: number
  /** Returns the outcome in a few words. Throws an `AssertionError` when it breaks the rules. */
  round(round: Round): Promise<string>
}

/** Requests that race in each round. */
export const RACERS = 64
/** Spread of one side's requests: none, or so much that late ones meet early results. */
const SPREADS_MS = [0, 0, 2, 10]
/** How late a side may start, in milliseconds, unless the race says otherwise. */
const MAX_LATE_MS = 25

/** Two new accounts. A race replaces its accounts after some rounds, so that their lists stay short. */
export async function newAuthors(client: Client): Promise<Pick<Round, 'author' | 'rival'>> {
  return { author: await newAuthor(client), rival: await newAuthor(client) }
}

export type Ask = () => Promise<Reply>

/** Sends all requests in random order at random moments. The answers are in the order of `asks`. */
export async function race(random: Random, asks: readonly Ask[]): Promise<readonly Reply[]> {
  const [replies = []] = await raceSides(random, [asks], [0])
  return replies
}

/** The same for several sides, each of which may start up to `maxLateMs` late. The answers are by side. */
export async function raceSides(
  random: Random,
  sides: readonly (readonly Ask[])[],
  maxLateMs: readonly number[] = sides.map(() => MAX_LATE_MS),
): Promise<readonly (readonly Reply[])[]> {
  const spreadMs = random.pick(SPREADS_MS)
  const replies: Reply[][] = sides.map(() => [])
  const starts = sides.flatMap((asks, side) => {
    const lateMs = random.chance(0.3) ? 0 : random.fraction() * (maxLateMs[side] ?? 0)
    return asks.map((ask, index) => ({ ask, side, index, afterMs: lateMs + random.fraction() * spreadMs }))
  })
  const shuffled = starts.map((start) => ({ ...start, order: random.fraction() }))
  const running = shuffled
    .sort((one, other) => one.order - other.order)
    .map(async ({ ask, side, index, afterMs }) => {
      if (afterMs > 0) await pause(afterMs)
      const answers = replies[side] ?? []
      answers[index] = await ask()
    })
  await Promise.all(running)
  return replies
}

export function times(count: number, ask: (index: number) => Promise<Reply>): readonly Ask[] {
  return Array.from({ length: count }, (_, index) => () => ask(index))
}

/** Every answer must be one of these. */
export function expectOnly(replies: readonly Reply[], answers: readonly string[]): void {
  const others = replies.map(answerOf).filter((answer) => !answers.includes(answer))
  assert.deepEqual([...new Set(others)], [], 'unexpected answers')
}

export function countOf(replies: readonly Reply[], answer: string): number {
  return replies.filter((reply) => answerOf(reply) === answer).length
}

/** The indexes of the requests with this answer. */
export function indexesOf(replies: readonly Reply[], answer: string): readonly number[] {
  return [...replies.keys()].filter(
    (index) => answerOf(replies[index] ?? assert.fail('a request has no answer')) === answer,
  )
}

export function newLinkOf({ owner }: Author, caps: object = {}): Promise<Link> {
  return provision(owner, caps)
}

/** Without what is in the bin. */
export async function expectUse({ owner }: Author, bytes: number): Promise<void> {
  const { used, bin = 0 } = await quotaOf(owner)
  assert.equal(used - bin, bytes, 'use in bytes')
}

/** Revokes links, deletes drops, assets and uploads, and empties the bin. Then use is 0 and no session is open. */
export async function clear(author: Author, assetIds: readonly string[] = []): Promise<void> {
  const { owner } = author
  const links = (await linksOf(owner)).filter(({ state }) => state === 'live')
  for (const { opaque_id: opaqueId } of links) assert.equal(answerOf(await revoke({ owner, opaqueId })), '204')
  for (const { opaque_id: opaqueId, pending } of await linksOf(owner))
    if (pending > 0) assert.equal(answerOf(await asOwner(owner, 'DELETE', `/v1/drops?opaque_id=${opaqueId}`)), '204')
  for (const assetId of assetIds) assert.equal(answerOf(await asOwner(owner, 'DELETE', `/v1/assets/${assetId}`)), '204')
  for (const { upload_id } of await uploadsOf(owner))
    assert.equal(answerOf(await asOwner(owner, 'DELETE', `/v1/upload/${upload_id}`)), '204')
  assert.equal(answerOf(await asOwner(owner, 'DELETE', '/v1/bin')), '204')
  assert.equal((await quotaOf(owner)).used, 0, 'use in bytes')
  for (const { open_sessions, open_bytes, pending } of await linksOf(owner))
    assert.deepEqual([open_sessions, open_bytes, pending], [0, 0, 0], 'a link still has sessions or drops')
}
