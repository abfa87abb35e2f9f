import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { json, type Reply } from './call.ts'
import { answerOf, atOnce, expectAnswer, type Problem, tally } from './expect.ts'
import { connect, NEEDS_OWN_DISK, NEEDS_OWN_SERVER, newServer, ownServer, SMALL } from './server.ts'
import {
  append,
  asOwner,
  base64,
  cancel,
  declaration,
  entryOf,
  guestView,
  inboxOf,
  type Link,
  land,
  newLink,
  openSession,
  quotaOf,
  revoke,
  sendDeclaration,
  sessionOf,
  stateOf,
} from './world.ts'

const MAX_OPEN_SESSIONS = 64
const MAX_WRONG_PASSPHRASES = 100
const FILE = randomBytes(100)

const server = await connect()
const declare = (link: Link, over: object = {}): Promise<Reply> => sendDeclaration(link, declaration(FILE, over))

/** The link has no reservation and its owner no charge. */
async function expectNothingHeld(link: Link): Promise<void> {
  const entry = await entryOf(link)
  assert.deepEqual([entry.open_sessions, entry.open_bytes, (await quotaOf(link.owner)).used], [0, 0, 0])
}

// Covers: ProvisionLinkRequest, max_total_bytes; ProvisionLinkRequest, max_file_count; ProvisionLinkRequest, max_file_size;
// ProvisionLinkRequest, single_use; Create drop, 409; Create drop, 413; State: link, dead; Errors 3; Errors 4, 409;
// Limits, drop link; Creating a drop
describe('create drop: caps', () => {
  it('admit a file of the largest size, and answer 413 with the limit to one byte more', async () => {
    const link = await newLink(server, { max_file_size: FILE.length })
    expectAnswer(await declare(link), '201')
    const reply = await sendDeclaration(link, declaration(randomBytes(FILE.length + 1)))
    expectAnswer(reply, '413 drop.file_too_large')
    assert.equal(json<Problem>(reply).limit, FILE.length)
  })

  it('admit bytes up to the total cap, and answer 409 to one byte more', async () => {
    const link = await newLink(server, { max_total_bytes: 250 })
    await openSession(link, FILE)
    await land(link, FILE)
    expectAnswer(await sendDeclaration(link, declaration(randomBytes(51))), '409 drop.cap_exhausted')
    expectAnswer(await sendDeclaration(link, declaration(randomBytes(50))), '201')
    expectAnswer(await sendDeclaration(link, declaration(randomBytes(1))), '409 drop.cap_exhausted')
  })

  it('admit as many files as the cap allows', async () => {
    const link = await newLink(server, { max_file_count: 3 })
    for (let file = 0; file < 3; file += 1) expectAnswer(await declare(link), '201')
    expectAnswer(await declare(link), '409 drop.cap_exhausted')
  })

  it('are freed with the quota when a session is cancelled', async () => {
    const link = await newLink(server, { max_file_count: 1, max_total_bytes: FILE.length })
    for (let round = 0; round < 3; round += 1) assert.equal((await cancel(await openSession(link, FILE))).status, 204)
    await expectNothingHeld(link)
  })

  it('are freed with the quota when a session is abandoned', { skip: NEEDS_OWN_SERVER }, async () => {
    const shortLived = await ownServer({
      SESSION_FIRST_BYTE_SECONDS: '1',
      SESSION_IDLE_SECONDS: '1',
      SWEEP_SECONDS: '1',
    })
    const link = await newLink(shortLived, { max_file_count: 2 })
    const [silent, begun] = [await openSession(link, FILE), await openSession(link, FILE)]
    expectAnswer(await append(begun, 0, 10), '204')
    await until(async () => (await entryOf(link)).open_sessions === 0, 'both sessions end')
    await expectNothingHeld(link)
    for (const session of [silent, begun]) assert.equal((await stateOf(session)).status, 404)
    expectAnswer(await declare(link), '201')
  })

  it('end a single-use link with its first drop and not before', async () => {
    const link = await newLink(server, { single_use: true })
    const [first, second] = [await openSession(link, FILE), await openSession(link, randomBytes(50))]
    expectAnswer(await append(first), '204')
    expectAnswer(await append(second), '404 upload.session_not_found')
    expectAnswer(await declare(link), '404 drop.link_not_found')
    const entry = await entryOf(link)
    assert.deepEqual([entry.state, entry.landed_files, entry.open_sessions], ['spent', 1, 0])
    assert.equal((await quotaOf(link.owner)).used, FILE.length)
  })

  it('answer 409 to the 65th open session of a link, if each of the others has received something', async () => {
    const link = await newLink(server)
    const replies = await atOnce(MAX_OPEN_SESSIONS, () => declare(link))
    assert.deepEqual(tally(replies), { 201: MAX_OPEN_SESSIONS })
    for (const reply of replies) expectAnswer(await append(sessionOf(link, FILE, reply), 0, 1), '204')
    expectAnswer(await declare(link), '409 drop.cap_exhausted')
    await cancel(sessionOf(link, FILE, replies[0] as Reply))
    expectAnswer(await declare(link), '201')
  })
})

// Covers: ProvisionLinkRequest, passphrase_verifier; Create drop, 403; CreateDropRequest, passphrase_proof; Authentication 6;
// Errors 4, 403; Errors 4, 429; Limits, passphrase
describe('create drop: passphrase', () => {
  const verifier = base64(32)

  it('answers 403 to a missing or wrong proof, and 201 to the right one', async () => {
    const link = await newLink(server, { passphrase_verifier: verifier })
    for (const passphrase_proof of [undefined, null, base64(32), base64(31)])
      expectAnswer(await declare(link, { passphrase_proof }), '403 drop.passphrase_required', String(passphrase_proof))
    await expectNothingHeld(link)
    expectAnswer(await declare(link, { passphrase_proof: verifier }), '201')
  })

  it('answers 400 to a malformed proof, and to a proof for a link without a passphrase', async () => {
    const gated = await newLink(server, { passphrase_verifier: verifier })
    for (const passphrase_proof of ['', '?', 'AAA', base64(4097)])
      assert.equal((await declare(gated, { passphrase_proof })).status, 400, passphrase_proof.slice(0, 10))
    expectAnswer(await declare(await newLink(server), { passphrase_proof: verifier }), '400 drop.malformed')
  })

  it('answers 429 after too many wrong proofs, also to the right one', async () => {
    const link = await newLink(server, { passphrase_verifier: verifier })
    let tries = 0
    await until(async () => {
      const reply = await declare(link, { passphrase_proof: base64(32) })
      tries += 1
      assert.ok(tries <= MAX_WRONG_PASSPHRASES + 1, 'a link accepts at most 100 wrong passphrases')
      return answerOf(reply) === '429 drop.rate_limited'
    }, 'the limit is reached')
    expectAnswer(await declare(link, { passphrase_proof: verifier }), '429 drop.rate_limited')
    await expectNothingHeld(link)
  })
})

// Covers: Errors 3; Errors 4, 429; Errors 4, 500; Creating a drop
describe('create drop: limits of the server', () => {
  it('answer 429 to more admitted sessions than a link may open in the window', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const strict = await ownServer(SMALL)
    const [link, other] = [await newLink(strict, { max_file_size: 500 }), await newLink(strict)]
    for (let round = 0; round < 5; round += 1) {
      expectAnswer(await declare(link, { size: 501 }), '413 drop.file_too_large')
      expectAnswer(await declare(link, { kem_ct: 'AAAA' }), '400 drop.malformed')
    }
    for (let round = 0; round < 4; round += 1) await cancel(await openSession(link, FILE))
    expectAnswer(await declare(link), '429 drop.rate_limited')
    expectAnswer(await declare(link, { kem_ct: 'AAAA', size: 501 }), '429 drop.rate_limited')
    expectAnswer(await declare(other), '201')
  })

  it('answer 413 with the largest blob of the server as limit', { skip: NEEDS_OWN_SERVER }, async () => {
    const small = await ownServer(SMALL)
    const link = await newLink(small, { max_file_size: 5000 })
    const reply = await declare(link, { size: 1001 })
    expectAnswer(reply, '413 drop.file_too_large')
    assert.equal(json<Problem>(reply).limit, 1000)
    expectAnswer(await declare(link, { size: 1000 }), '201')
  })

  it('answer 409 drop.inbox_full when as many files wait as an inbox takes, which the guest reads before and the owner hears', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const link = await newLink(await ownServer(SMALL))
    for (let count = 0; count < 2; count += 1) await land(link)
    const last = await openSession(link, FILE)
    assert.equal((await guestView(link)).inbox_full, true, 'a file on its way has its place')
    expectAnswer(await declare(link), '409 drop.inbox_full')
    await append(last)
    expectAnswer(await declare(link, { kem_ct: 'AAAA' }), '409 drop.inbox_full')
    const account = json<{ inbox: object; refused_drops: { why: string; count: number } }>(
      await asOwner(link.owner, 'GET', '/v1/account'),
    )
    assert.deepEqual(account.inbox, { waiting: 3, room: 3 })
    assert.deepEqual([account.refused_drops.why, account.refused_drops.count], ['inbox_full', 2])
    const [drop] = await inboxOf(link.owner)
    await asOwner(link.owner, 'DELETE', `/v1/drops/${drop?.drop_id}`)
    assert.equal((await guestView(link)).inbox_full, undefined)
    expectAnswer(await declare(link), '201')
    expectAnswer(await asOwner(link.owner, 'POST', `/v1/bin/${drop?.drop_id}/restore`), '409 drop.inbox_full')
  })

  it('answer 500 storage.full to a file and a chunk when free space is below the minimum, and keep what was sent', {
    skip: NEEDS_OWN_DISK,
  }, async () => {
    const { client, restart } = await newServer({ FREE_SPACE_FLOOR_BYTES: '1' })
    const [made, opened] = [await newLink(client), await openSession(await newLink(client), FILE)]
    expectAnswer(await append(opened, 0, 10), '204')
    const full = await restart({ FREE_SPACE_FLOOR_BYTES: String(2 ** 52) })
    const link = { ...made, owner: { ...made.owner, client: full } }
    expectAnswer(await declare(link), '500 storage.full')
    await expectNothingHeld(link)
    const session = { ...opened, client: full }
    expectAnswer(await append(session, 10), '500 storage.full')
    expectAnswer(await append(session, 0, 10), '204', 'a repeat needs no room')
    assert.equal((await stateOf(session)).offset, 10)
    const roomy = await restart({ FREE_SPACE_FLOOR_BYTES: '1' })
    expectAnswer(await append({ ...opened, client: roomy }, 10), '204')
  })
})

// Covers: Creating a drop
describe('create drop: idempotency key', () => {
  const keyed = (link: Link, key: string, body: unknown) => sendDeclaration(link, body, { 'idempotency-key': key })
  const idOf = (reply: Reply) => json<{ upload_id: string }>(reply).upload_id

  it('makes a repeat answer with the same session, charged once', async () => {
    const link = await newLink(server)
    const body = declaration(FILE)
    const replies = [await keyed(link, 'one', body), await keyed(link, 'one', body)]
    assert.deepEqual(tally(replies), { 201: 2 })
    assert.equal(new Set(replies.map(idOf)).size, 1)
    assert.equal((await quotaOf(link.owner)).used, FILE.length)
    assert.equal((await entryOf(link)).open_sessions, 1)
  })

  it('makes a repeat answer with the same session when the link has become full', async () => {
    const link = await newLink(server, { max_file_count: 1 })
    const body = declaration(FILE)
    const first = await keyed(link, 'one', body)
    expectAnswer(await declare(link), '409 drop.cap_exhausted')
    assert.equal(idOf(await keyed(link, 'one', body)), idOf(first))
  })

  it('is answered 400 with another declaration', async () => {
    const link = await newLink(server)
    await keyed(link, 'one', declaration(FILE))
    expectAnswer(await keyed(link, 'one', declaration(randomBytes(FILE.length))), '400 drop.malformed')
    assert.equal((await entryOf(link)).open_sessions, 1)
  })

  it('opens no session on a link that has ended since', async () => {
    const link = await newLink(server)
    const body = declaration(FILE)
    await keyed(link, 'one', body)
    await revoke(link)
    expectAnswer(await keyed(link, 'one', body), '404 drop.link_not_found')
  })
})
