/** Sessions and links that several requests end in different ways at the same time. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { getAsset, newBundle, openUpload, receiptsOf } from '../../conformance/assetWorld.ts'
import { json } from '../../conformance/call.ts'
import { answerOf, tally } from '../../conformance/expect.ts'
import {
  type AnySession,
  append,
  asOwner,
  cancel,
  declaration,
  entryOf,
  inboxOf,
  openSession,
  revoke,
  type Session,
  sendDeclaration,
  sessionPath,
} from '../../conformance/world.ts'
import {
  clear,
  countOf,
  expectOnly,
  expectUse,
  indexesOf,
  newLinkOf,
  RACERS,
  type Race,
  type Round,
  race,
  raceSides,
  times,
} from './race.ts'

const LANDED = '204'
const NO_SESSION = '404 upload.session_not_found'
/** The newest request wins. An older, receiving one gets this answer; its repeat gets 204. */
const OVERTAKEN = '409 upload.offset_mismatch'
const CLOSED = '409 upload.session_closed'
const MAX_BYTES = 3_000
/** About as long as one side takes, so that the other side comes in the middle of it. */
const LAND_MS = 100
const CREATE_ALL_MS = 80
const LAND_ALL_MS = 250

function outcome(count: number, max: number, doing: string): string {
  return `${count === 0 ? 'none' : count === max ? 'all' : 'some'} ${doing}`
}

/** A guest's session, then an owner's: the same rules (specification, Append one chunk). */
async function newSession({ author, random, index }: Round): Promise<Opened> {
  const file = randomBytes(random.integer(1, MAX_BYTES))
  if (index % 2 === 0) {
    const session = await openSession(await newLinkOf(author), file)
    return { session, size: file.length, receipts: () => guestReceipts(session), assetIds: [] }
  }
  const bundle = newBundle(author, { original: file })
  const session = await openUpload(bundle)
  const receipts = async () => {
    return (await getAsset(bundle)).status === 200
      ? (await receiptsOf(bundle)).map(({ receipt_seq }) => receipt_seq)
      : []
  }
  return { session, size: file.length, receipts, assetIds: [bundle.assetId] }
}

interface Opened {
  readonly session: AnySession
  readonly size: number
  /** The numbers of its receipts. */
  receipts(): Promise<readonly number[]>
  /** The asset that it becomes when it lands, for an owner's session. */
  readonly assetIds: readonly string[]
}

async function guestReceipts(session: Session): Promise<readonly number[]> {
  const reply = await session.client.send({ method: 'GET', path: `${sessionPath(session)}/receipt` })
  return reply.status === 200 ? [json<{ receipt_seq: number }>(reply).receipt_seq] : []
}

const lastChunk: Race = {
  name: 'last chunk many times',
  async round(round) {
    const { author, random } = round
    const { session, size, receipts, assetIds } = await newSession(round)
    const replies = await race(
      random,
      times(RACERS, () => append(session)),
    )
    expectOnly(replies, [LANDED, OVERTAKEN])
    assert.ok(countOf(replies, LANDED) > 0, 'at least one is answered 204')
    assert.equal(answerOf(await append(session)), LANDED)
    assert.equal((await receipts()).length, 1)
    assert.equal((await inboxOf(author.owner)).length, 1 - assetIds.length)
    await expectUse(author, size)
    await clear(author, assetIds)
    return countOf(replies, LANDED) === RACERS ? 'all got 204' : 'some are overtaken'
  },
}

const cancelled: Race = {
  name: 'cancel against last chunk',
  async round(round) {
    const { author, random } = round
    const { session, size, receipts, assetIds } = await newSession(round)
    const sides = [times(RACERS / 2, () => append(session)), times(RACERS / 2, () => cancel(session))]
    const [chunks = [], cancels = []] = await raceSides(random, sides, [0, LAND_MS])
    const hasLanded = (await receipts()).length === 1
    if (hasLanded) {
      expectOnly(chunks, [LANDED, OVERTAKEN])
      assert.deepEqual(tally(cancels), { [CLOSED]: RACERS / 2 })
      assert.equal(answerOf(await append(session)), LANDED)
    } else {
      expectOnly(chunks, [NO_SESSION, OVERTAKEN])
      assert.deepEqual(tally(cancels), { 204: 1, [NO_SESSION]: RACERS / 2 - 1 })
      assert.equal(answerOf(await append(session)), NO_SESSION)
    }
    await expectUse(author, hasLanded ? size : 0)
    await clear(author, hasLanded ? assetIds : [])
    return hasLanded ? 'landed' : 'cancelled'
  },
}

/** Sends the last chunk of each of these sessions. */
const finishAll = (sessions: readonly Session[]) => sessions.map((session) => () => append(session))

const singleUse: Race = {
  name: 'single_use',
  async round({ author, random }) {
    const link = await newLinkOf(author, { single_use: true })
    const sessions = await Promise.all(Array.from({ length: RACERS }, () => openSession(link, randomBytes(50))))
    const replies = await race(random, finishAll(sessions))
    assert.deepEqual(tally(replies), { [LANDED]: 1, [NO_SESSION]: RACERS - 1 })
    const [drop, ...others] = await inboxOf(author.owner)
    assert.deepEqual(others, [])
    assert.equal(drop?.size, 50)
    const { state, landed_files, open_sessions } = await entryOf(link)
    assert.deepEqual([state, landed_files, open_sessions], ['spent', 1, 0])
    await expectUse(author, 50)
    await clear(author)
    return 'one landed'
  },
}

const created: Race = {
  name: 'revoke against create',
  async round({ author, random }) {
    const link = await newLinkOf(author)
    const revocations = random.integer(1, 8)
    const body = declaration(Buffer.alloc(40))
    const sides = [
      times(RACERS - revocations, () => sendDeclaration(link, body)),
      times(revocations, () => revoke(link)),
    ]
    const [creates = [], ends = []] = await raceSides(random, sides, [0, CREATE_ALL_MS])
    expectOnly(creates, ['201', '404 drop.link_not_found'])
    assert.deepEqual(tally(ends), { 204: revocations })
    const { state, open_sessions, landed_files } = await entryOf(link)
    assert.deepEqual([state, open_sessions, landed_files], ['revoked', 0, 0])
    assert.equal(answerOf(await sendDeclaration(link, body)), '404 drop.link_not_found')
    await expectUse(author, 0)
    await clear(author)
    return outcome(countOf(creates, '201'), creates.length, 'created')
  },
}

const landing: Race = {
  name: 'revoke against landing',
  async round({ author, random }) {
    const link = await newLinkOf(author)
    const sessions = await Promise.all(Array.from({ length: RACERS - 1 }, () => openSession(link, randomBytes(60))))
    const [chunks = []] = await raceSides(random, [finishAll(sessions), [() => revoke(link)]], [0, LAND_ALL_MS])
    expectOnly(chunks, [LANDED, NO_SESSION])
    const landed = indexesOf(chunks, LANDED)
      .map((index) => sessions[index]?.file.toString('hex'))
      .sort()
    const drops = await inboxOf(author.owner)
    const contents = await Promise.all(
      drops.slice(0, 3).map(({ drop_id }) => asOwner(author.owner, 'GET', `/v1/drops/${drop_id}/content`)),
    )
    assert.equal(drops.length, landed.length, 'exactly the acknowledged landings are in the inbox')
    assert.ok(
      contents.every(({ body }) => landed.includes(body.toString('hex'))),
      'with their bytes',
    )
    const { open_sessions, landed_files } = await entryOf(link)
    assert.deepEqual([open_sessions, landed_files], [0, landed.length])
    await expectUse(author, landed.length * 60)
    await clear(author)
    return outcome(landed.length, chunks.length, 'landed')
  },
}

export const ENDING_RACES: readonly Race[] = [lastChunk, cancelled, singleUse, created, landing]
