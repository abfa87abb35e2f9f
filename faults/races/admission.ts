/** More requests than there is room for: caps, open sessions and quota. Also repeats with one Idempotency-Key. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { newBundle, sendUpload, uploadBody, uploadsOf } from '../../conformance/assetWorld.ts'
import { json, type Reply } from '../../conformance/call.ts'
import { tally } from '../../conformance/expect.ts'
import {
  declaration,
  entryOf,
  guestView,
  type Link,
  linksOf,
  openSession,
  sendDeclaration,
} from '../../conformance/world.ts'
import {
  clear,
  expectOnly,
  expectUse,
  indexesOf,
  newLinkOf,
  RACERS,
  type Race,
  race,
  raceSides,
  times,
} from './race.ts'

const MAX_BYTES = 500
const FILLED = 'all room is used'
const FULL = '409 drop.cap_exhausted'
/** Open sessions of one link. */
const MAX_OPEN = 64
const QUOTA_BYTES = 100_000
const OWN_UPLOADS = 8

/** A tally has no entries with a count of 0. */
function answers(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

const create = (link: Link, size: number): Promise<Reply> =>
  sendDeclaration(link, declaration(Buffer.alloc(1), { size }))

const count: Race = {
  name: 'max_file_count',
  async round({ author, random }) {
    const room = random.integer(1, RACERS - 1)
    const link = await newLinkOf(author, { max_file_count: room })
    const replies = await race(
      random,
      times(RACERS, () => create(link, 100)),
    )
    assert.deepEqual(tally(replies), answers({ 201: room, [FULL]: RACERS - room }))
    assert.equal((await guestView(link)).remaining_files, 0)
    assert.equal((await entryOf(link)).open_sessions, room)
    await expectUse(author, room * 100)
    await clear(author)
    return FILLED
  },
}

/** Files of one size fill it exactly. Of files of different sizes, none is refused that would still fit at the end. */
const bytes: Race = {
  name: 'max_total_bytes',
  async round({ author, random, index }) {
    const isMixed = index % 2 === 1
    const size = random.integer(1, MAX_BYTES)
    const room = random.integer(1, RACERS - 1)
    const cap = room * size + (isMixed ? 0 : random.integer(0, size - 1))
    const link = await newLinkOf(author, { max_total_bytes: cap })
    const sizes = Array.from({ length: RACERS }, () => (isMixed ? Math.min(cap, random.integer(1, 2 * size)) : size))
    const sizeOf = (place: number) => sizes[place] ?? 0
    const replies = await race(
      random,
      times(RACERS, (place) => create(link, sizeOf(place))),
    )
    expectOnly(replies, ['201', FULL])
    const admitted = indexesOf(replies, '201').map(sizeOf)
    const used = admitted.reduce((sum, each) => sum + each, 0)
    if (!isMixed) assert.equal(admitted.length, room)
    assert.ok(used <= cap, `${used} of ${cap} bytes`)
    const wronglyRefused = indexesOf(replies, FULL).filter((place) => sizeOf(place) <= cap - used)
    assert.deepEqual(wronglyRefused, [], 'refused although there is room')
    const { open_bytes, open_sessions } = await entryOf(link)
    assert.deepEqual([open_bytes, open_sessions], [used, admitted.length])
    await expectUse(author, used)
    await clear(author)
    return FILLED
  },
}

const open: Race = {
  name: 'open sessions',
  async round({ author, random }) {
    const link = await newLinkOf(author)
    const before = random.integer(0, 24)
    await Promise.all(times(before, () => create(link, 10)).map((ask) => ask()))
    const replies = await race(
      random,
      times(RACERS, () => create(link, 10)),
    )
    assert.deepEqual(tally(replies), answers({ 201: MAX_OPEN - before, [FULL]: before }))
    assert.equal((await entryOf(link)).open_sessions, MAX_OPEN)
    await expectUse(author, MAX_OPEN * 10)
    await clear(author)
    return FILLED
  },
}

/** Through two links and by the account's own uploads. */
const quota: Race = {
  name: 'quota',
  settings: { QUOTA_HARD_BYTES: String(QUOTA_BYTES) },
  async round({ author, random }) {
    const [size, room] = [random.integer(1, MAX_BYTES), random.integer(1, RACERS - 1)]
    const links = [await newLinkOf(author), await newLinkOf(author)] as const
    const before = QUOTA_BYTES - room * size - random.integer(0, size - 1)
    await openSession(await newLinkOf(author), Buffer.alloc(1), { size: before })
    const replies = await race(
      random,
      times(RACERS, (place) => {
        if (place >= OWN_UPLOADS) return create(place % 2 === 0 ? links[0] : links[1], size)
        return sendUpload(author, uploadBody(newBundle(author, { original: randomBytes(size) })))
      }),
    )
    assert.deepEqual(tally(replies), answers({ 201: room, '403 quota.exceeded': RACERS - room }))
    await expectUse(author, before + room * size)
    const drops = (await linksOf(author.owner)).reduce((sum, { open_bytes }) => sum + open_bytes, 0)
    const uploads = (await uploadsOf(author.owner)).filter(({ asset_id }) => asset_id !== undefined)
    assert.equal(drops + uploads.length * size, before + room * size, 'use is the sum of the open sessions')
    await clear(author)
    return FILLED
  },
}

/** The room of a cancelled session is free for exactly one other. */
const givenBack: Race = {
  name: 'create against cancel',
  async round({ author, random }) {
    const link = await newLinkOf(author, { max_file_count: RACERS / 2 })
    const sessions = await Promise.all(Array.from({ length: RACERS / 2 }, () => openSession(link, Buffer.alloc(7))))
    const cancels = sessions.map(({ client, opaqueId, uploadId }) => () => {
      return client.send({ method: 'DELETE', path: `/d/${opaqueId}/${uploadId}` })
    })
    const creates = times(RACERS / 2, () => create(link, 7))
    const [cancelled = [], created = []] = await raceSides(random, [cancels, creates])
    assert.deepEqual(tally(cancelled), { 204: RACERS / 2 })
    expectOnly(created, ['201', FULL])
    const admitted = indexesOf(created, '201').length
    assert.equal((await guestView(link)).remaining_files, RACERS / 2 - admitted)
    assert.equal((await entryOf(link)).open_sessions, admitted)
    await expectUse(author, admitted * 7)
    await clear(author)
    return admitted === 0 ? 'none admitted' : admitted === RACERS / 2 ? 'all admitted' : 'some admitted'
  },
}

const idempotency: Race = {
  name: 'one Idempotency-Key',
  async round({ author, random, index }) {
    const size = random.integer(1, MAX_BYTES)
    if (index % 2 === 1) {
      const body = uploadBody(newBundle(author, { original: randomBytes(size) }))
      const replies = await race(
        random,
        times(RACERS, () => sendUpload(author, body)),
      )
      assert.deepEqual(tally(replies), { 200: RACERS - 1, 201: 1 })
      expectOneSession(replies)
      assert.equal((await uploadsOf(author.owner)).length, 1)
    } else {
      const link = await newLinkOf(author)
      const body = declaration(Buffer.alloc(1), { size })
      const headers = { 'idempotency-key': random.hex(16) }
      const replies = await race(
        random,
        times(RACERS, () => sendDeclaration(link, body, headers)),
      )
      assert.deepEqual(tally(replies), { 201: RACERS })
      expectOneSession(replies)
      assert.equal((await entryOf(link)).open_sessions, 1)
    }
    await expectUse(author, size)
    await clear(author)
    return index % 2 === 1 ? 'one upload' : 'one drop session'
  },
}

function expectOneSession(replies: readonly Reply[]): void {
  assert.equal(new Set(replies.map((reply) => json<{ upload_id: string }>(reply).upload_id)).size, 1, 'one session')
}

export const ADMISSION_RACES: readonly Race[] = [quota, bytes, count, open, givenBack, idempotency]
