import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { json } from './call.ts'
import { answerOf, atOnce, tally } from './expect.ts'
import { connect, NEEDS_OWN_SERVER, ownServer } from './server.ts'
import {
  append,
  asOwner,
  base64,
  cancel,
  declaration,
  entryOf,
  guestView,
  inboxOf,
  linkBody,
  linksOf,
  newLink,
  onlyDrop,
  openSession,
  quotaOf,
  revoke,
  sendDeclaration,
  sendLink,
  sessionPath,
  signUp,
  stateOf,
  type Tokens,
} from './world.ts'

const RACERS = 64
const ROUNDS = 8
const FILE = randomBytes(100)

const server = await connect()

// Covers: Accounts and sessions; Links; Creating a drop; Chunks; Inbox and content; Quota and receipts
describe('races', () => {
  it('admit exactly as many of 64 files as the file cap of the link allows', async () => {
    const link = await newLink(server, { max_file_count: 7 })
    const replies = await atOnce(RACERS, () => sendDeclaration(link, declaration(FILE)))
    assert.deepEqual(tally(replies), { 201: 7, '409 drop.cap_exhausted': RACERS - 7 })
    assert.equal((await guestView(link)).remaining_files, 0)
  })

  it('admit exactly as many of 64 files as the byte cap of the link allows', async () => {
    const link = await newLink(server, { max_total_bytes: 599 })
    const replies = await atOnce(RACERS, () => sendDeclaration(link, declaration(FILE)))
    assert.deepEqual(tally(replies), { 201: 5, '409 drop.cap_exhausted': RACERS - 5 })
    assert.equal((await entryOf(link)).open_bytes, 500)
  })

  it('never open a 65th session of a link', async () => {
    const link = await newLink(server)
    const replies = await atOnce(RACERS + 16, () => sendDeclaration(link, declaration(FILE)))
    assert.deepEqual(tally(replies), { 201: RACERS, '409 drop.cap_exhausted': 16 })
  })

  it('never exceed the quota with 64 charges over two links', { skip: NEEDS_OWN_SERVER }, async () => {
    const limited = await ownServer({ QUOTA_HARD_BYTES: '1050' })
    const owner = await signUp(limited)
    const bodies = [linkBody(), linkBody()]
    for (const body of bodies) await sendLink(owner, body)
    const links = bodies.map((body) => ({ owner, opaqueId: String(body.opaque_id) }))
    const replies = await atOnce(RACERS, (index) =>
      sendDeclaration(links[index % 2] ?? { owner, opaqueId: '' }, declaration(FILE)),
    )
    assert.deepEqual(tally(replies), { 201: 10, '403 quota.exceeded': RACERS - 10 })
    assert.equal((await quotaOf(owner)).used, 1000)
    assert.equal(
      (await linksOf(owner)).reduce((sum, link) => sum + link.open_sessions, 0),
      10,
    )
  })

  it('land one drop with one receipt for 64 copies of the last chunk', async () => {
    const link = await newLink(server)
    const session = await openSession(link, randomBytes(5000))
    const replies = await atOnce(RACERS, () => append(session))
    const refused = replies.filter((reply) => reply.status !== 204).map(answerOf)
    // The newest request wins. An older one that was still sending is refused, and its repeat is answered 204.
    assert.deepEqual(
      refused.filter((answer) => answer !== '409 upload.offset_mismatch'),
      [],
    )
    assert.ok(refused.length < RACERS, 'at least one is answered 204')
    assert.equal((await append(session)).status, 204)
    assert.equal((await inboxOf(link.owner)).length, 1)
    assert.equal((await entryOf(link)).landed_files, 1)
    const receipts = await atOnce(4, () => server.send({ method: 'GET', path: `${sessionPath(session)}/receipt` }))
    assert.equal(new Set(receipts.map((reply) => json<{ receipt_seq: number }>(reply).receipt_seq)).size, 1)
  })

  it('land exactly one of several sessions of a single-use link', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await newLink(server, { single_use: true })
      const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(link, randomBytes(2000))))
      const replies = await Promise.all(sessions.map((session) => append(session)))
      assert.deepEqual(tally(replies), { 204: 1, '404 upload.session_not_found': 3 })
      assert.equal((await inboxOf(link.owner)).length, 1)
      assert.equal((await quotaOf(link.owner)).used, 2000)
      const entry = await entryOf(link)
      assert.deepEqual([entry.state, entry.landed_files, entry.open_sessions], ['spent', 1, 0])
    }
  })

  it('either cancel or land a drop', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await newLink(server)
      const session = await openSession(link, FILE)
      const [chunk, end] = await Promise.all([append(session), cancel(session)])
      const outcome = `${answerOf(chunk)} | ${answerOf(end)}`
      const landed = (await inboxOf(link.owner)).length
      if (landed === 1) assert.equal(outcome, '204 | 409 upload.session_closed')
      else assert.equal(outcome, '404 upload.session_not_found | 204')
      assert.equal((await quotaOf(link.owner)).used, landed * FILE.length)
    }
  })

  it('either revoke a link or land its drop', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await newLink(server)
      const session = await openSession(link, FILE)
      const [chunk, end] = await Promise.all([append(session), revoke(link)])
      assert.equal(answerOf(end), '204')
      const landed = (await inboxOf(link.owner)).length
      assert.equal(answerOf(chunk), landed === 1 ? '204' : '404 upload.session_not_found')
      assert.equal((await quotaOf(link.owner)).used, landed * FILE.length)
      assert.equal((await entryOf(link)).open_sessions, 0)
    }
  })

  it('leave no open session when a link is revoked while sessions are created', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await newLink(server)
      const creating = atOnce(12, () => sendDeclaration(link, declaration(FILE)))
      const [replies] = await Promise.all([creating, revoke(link)])
      for (const answer of replies.map(answerOf)) assert.ok(['201', '404 drop.link_not_found'].includes(answer), answer)
      assert.equal((await quotaOf(link.owner)).used, 0)
      assert.equal((await entryOf(link)).open_sessions, 0)
    }
  })

  it('free the caps once for 16 cancels', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await newLink(server)
      const [session, other] = [await openSession(link, FILE), await openSession(link, FILE)]
      const replies = await atOnce(16, () => cancel(session))
      assert.deepEqual(tally(replies), { 204: 1, '404 upload.session_not_found': 15 })
      assert.equal((await quotaOf(link.owner)).used, other.file.length)
      assert.equal((await entryOf(link)).open_bytes, other.file.length)
    }
  })

  it('free the caps once for 16 last chunks with a wrong hash', async () => {
    const link = await newLink(server)
    const session = await openSession(link, FILE, { ciphertext_hash: '0'.repeat(64) })
    await openSession(link, FILE)
    const replies = await atOnce(16, () => append(session))
    const answers = new Set(replies.map(answerOf))
    answers.delete('409 upload.offset_mismatch')
    assert.deepEqual([...answers], ['409 upload.content_hash_mismatch'])
    assert.equal((await quotaOf(link.owner)).used, FILE.length)
    assert.equal((await entryOf(link)).open_sessions, 1)
  })

  it('keep one complete file when two requests write different bytes at one offset', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await newLink(server)
      const session = await openSession(link, randomBytes(60_000))
      await Promise.all([append(session, 0, 30_000), append(session, 0, 10_000), append(session, 0, 20_000)])
      const { offset } = await stateOf(session)
      assert.ok([10_000, 20_000, 30_000].includes(offset), String(offset))
      assert.equal(answerOf(await append(session, offset)), '204')
      const path = `/v1/drops/${(await onlyDrop(link.owner)).drop_id}/content`
      assert.deepEqual((await asOwner(link.owner, 'GET', path)).body, session.file)
    }
  })

  it('discard a drop once for 16 requests', async () => {
    const link = await newLink(server)
    await append(await openSession(link, FILE))
    const path = `/v1/drops/${(await onlyDrop(link.owner)).drop_id}`
    const replies = await atOnce(16, () => asOwner(link.owner, 'DELETE', path))
    assert.deepEqual(tally(replies), { 204: 1, '404 drop.not_found': 15 })
    assert.equal((await quotaOf(link.owner)).used, 0)
  })

  it('provision one link for 16 different requests with the same id', async () => {
    const owners = await Promise.all(Array.from({ length: 4 }, () => signUp(server)))
    const body = linkBody()
    const replies = await Promise.all(
      owners.flatMap((owner) => Array.from({ length: 4 }, () => sendLink(owner, { ...body, drop_pubkey: base64(64) }))),
    )
    assert.deepEqual(tally(replies), { 201: 1, '400 drop.opaque_id_taken': 15 })
    const lists = await Promise.all(owners.map(linksOf))
    assert.equal(lists.flat().length, 1)
  })

  it('rotate a token once for 64 requests, with the same successor for all', async () => {
    const owner = await signUp(server)
    const replies = await atOnce(RACERS, () =>
      server.send({ method: 'POST', path: '/v1/auth/refresh', json: { refresh_token: owner.refreshToken } }),
    )
    assert.deepEqual(tally(replies), { 200: RACERS })
    const successors = new Set(replies.map((reply) => json<Tokens>(reply).refresh_token))
    assert.equal(successors.size, 1)
    for (const refresh_token of successors)
      assert.equal(
        (await server.send({ method: 'POST', path: '/v1/auth/refresh', json: { refresh_token } })).status,
        200,
      )
  })
})
