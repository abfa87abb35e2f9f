import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { answerOf, atOnce, tally } from './expect.ts'
import { connect } from './server.ts'
import { append, asOwner, cancel, entryOf, newLink, onlyDrop, openSession, quotaOf, stateOf } from './world.ts'

const ROUNDS = 8
const FILE = randomBytes(100)

const server = await connect()

// Covers: Accounts and sessions; Links; Creating a drop; Chunks; Inbox and content; Quota and receipts
describe('races', () => {
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
    assert.deepEqual(await quotaOf(link.owner), { used: FILE.length, bin: FILE.length, state: 'ok' })
  })
})
