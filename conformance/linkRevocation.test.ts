import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { answerOf, expectAnswer, fingerprint } from './expect.ts'
import { connect } from './server.ts'
import {
  append,
  entryOf,
  inboxOf,
  land,
  newLink,
  newOpaqueId,
  openSession,
  quotaOf,
  revoke,
  stateOf,
  visit,
} from './world.ts'

const server = await connect()

// Covers: Revoke; State: link, revoked; Links
describe('revocation of a link', () => {
  it('answers the same 204 for a link that is the caller’s, revoked, unknown or another account’s', async () => {
    const link = await newLink(server)
    const foreign = await newLink(server)
    const answers = [
      await revoke(link),
      await revoke(link),
      await revoke({ owner: link.owner, opaqueId: newOpaqueId() }),
      await revoke({ owner: link.owner, opaqueId: foreign.opaqueId }),
    ]
    assert.deepEqual(answers.map(answerOf), ['204', '204', '204', '204'])
    assert.equal(new Set(answers.map(fingerprint)).size, 1)
  })

  it('does not change a link of another account', async () => {
    const [link, foreign] = [await newLink(server), await newLink(server)]
    await revoke({ owner: link.owner, opaqueId: foreign.opaqueId })
    assert.equal((await entryOf(foreign)).state, 'live')
    assert.equal((await visit(foreign)).status, 200)
  })

  it('ends open sessions at once and frees their quota', async () => {
    const link = await newLink(server)
    const session = await openSession(link, randomBytes(100))
    await append(session, 0, 40)
    await revoke(link)
    expectAnswer(await append(session, 40), '404 upload.session_not_found')
    assert.equal((await stateOf(session)).status, 404)
    assert.equal((await quotaOf(link.owner)).used, 0)
    const entry = await entryOf(link)
    assert.deepEqual([entry.state, entry.open_sessions, entry.open_bytes], ['revoked', 0, 0])
  })

  it('leaves landed drops in the inbox', async () => {
    const link = await newLink(server)
    const session = await land(link)
    await revoke(link)
    assert.equal((await inboxOf(link.owner)).length, 1)
    assert.equal((await stateOf(session)).state, 'landed')
  })
})
