/** What a race is: many requests at the same time, of which the rules say exactly how many may win. */
import assert from 'node:assert/strict'
import { type Author, newAuthor, uploadsOf } from '../../conformance/assetWorld.ts'
import type { Client, Reply } from '../../conformance/client.ts'
import { said } from '../../conformance/expect.ts'
import { asOwner, type Link, linksOf, provision, quotaOf, revoke } from '../../conformance/world.ts'
import { pause } from '../api.ts'
import type { Random } from '../random.ts'

export interface Round {
  readonly client: Client
  /** Who has nothing when the round begins, and has to have nothing when it ends. */
  readonly author: Author
  /** Another one, for what strangers do. */
  readonly rival: Author
  /** Of this round alone. */
  readonly random: Random
  readonly index: number
  /** Has the operator run a command beside the server; it has to be done. What it says as JSON. */
  operate(...command: readonly string[]): Promise<unknown>
}

export interface Race {
  readonly name: string
  /** Of its server, beside those of all. */
  readonly settings?: Readonly<Record<string, string>>
  /** Gives what came out, in few words. Throws an `AssertionError` when it is not what the rules say. */
  round(round: Round): Promise<string>
}

/** Requests that race in each round. */
export const MANY = 64
/** How far apart in milliseconds the requests of one side may set out: at once, or so that late ones meet what early ones have led to. */
const SPREADS_MS = [0, 0, 2, 10]
/** How late a side may set out, in milliseconds, unless what is raced for takes longer. */
const MAX_LATE_MS = 25

/** Authors of races: after so many rounds others take their place, so that nobody's lists become long. */
export async function newAuthors(client: Client): Promise<Pick<Round, 'author' | 'rival'>> {
  return { author: await newAuthor(client), rival: await newAuthor(client) }
}

export type Ask = () => Promise<Reply>

/** All of them, in an order and at moments that the random say. The answers are in the order of the asks. */
export async function race(random: Random, asks: readonly Ask[]): Promise<readonly Reply[]> {
  const [replies = []] = await raceSides(random, [asks], [0])
  return replies
}

/** The same for sides of which each may be the first, and may set out so many milliseconds late. The answers are by side. */
export async function raceSides(
  random: Random,
  sides: readonly (readonly Ask[])[],
  lateMsMost: readonly number[] = sides.map(() => MAX_LATE_MS),
): Promise<readonly (readonly Reply[])[]> {
  const spreadMs = random.pick(SPREADS_MS)
  const replies: Reply[][] = sides.map(() => [])
  const starts = sides.flatMap((asks, side) => {
    const lateMs = random.chance(0.3) ? 0 : random.fraction() * (lateMsMost[side] ?? 0)
    return asks.map((ask, place) => ({ ask, side, place, afterMs: lateMs + random.fraction() * spreadMs }))
  })
  const shuffled = starts.map((start) => ({ ...start, order: random.fraction() }))
  const running = shuffled
    .sort((one, other) => one.order - other.order)
    .map(async ({ ask, side, place, afterMs }) => {
      if (afterMs > 0) await pause(afterMs)
      const answers = replies[side] ?? []
      answers[place] = await ask()
    })
  await Promise.all(running)
  return replies
}

export function times(count: number, ask: (index: number) => Promise<Reply>): readonly Ask[] {
  return Array.from({ length: count }, (_, index) => () => ask(index))
}

/** Every answer is one of these. */
export function expectOnly(replies: readonly Reply[], answers: readonly string[]): void {
  const others = replies.map(said).filter((answer) => !answers.includes(answer))
  assert.deepEqual([...new Set(others)], [], 'answers that nothing explains')
}

export function countOf(replies: readonly Reply[], answer: string): number {
  return replies.filter((reply) => said(reply) === answer).length
}

/** Those that got this answer, by their place. */
export function placesOf(replies: readonly Reply[], answer: string): readonly number[] {
  return [...replies.keys()].filter(
    (index) => said(replies[index] ?? assert.fail('a request has no answer')) === answer,
  )
}

export function newLinkOf({ owner }: Author, caps: object = {}): Promise<Link> {
  return provision(owner, caps)
}

export async function expectUse({ owner }: Author, bytes: number): Promise<void> {
  assert.equal((await quotaOf(owner)).used, bytes, 'use in bytes')
}

/** Ends and removes whatever the author's links and uploads have led to. Then nothing is used, and nothing is open. */
export async function clear(author: Author, assetIds: readonly string[] = []): Promise<void> {
  const { owner } = author
  const links = (await linksOf(owner)).filter(({ state }) => state === 'live')
  for (const { opaque_id: opaqueId } of links) assert.equal(said(await revoke({ owner, opaqueId })), '204')
  for (const { opaque_id: opaqueId, pending } of await linksOf(owner))
    if (pending > 0) assert.equal(said(await asOwner(owner, 'DELETE', `/v1/drops?opaque_id=${opaqueId}`)), '204')
  for (const assetId of assetIds) assert.equal(said(await asOwner(owner, 'DELETE', `/v1/assets/${assetId}`)), '204')
  for (const { upload_id } of await uploadsOf(owner))
    assert.equal(said(await asOwner(owner, 'DELETE', `/v1/upload/${upload_id}`)), '204')
  await expectUse(author, 0)
  for (const { open_sessions, open_bytes, pending } of await linksOf(owner))
    assert.deepEqual([open_sessions, open_bytes, pending], [0, 0, 0], 'a link holds something when all is ended')
}
