import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { expectAnswer } from './expect.ts'
import { connect, NEEDS_OWN_SERVER, ownServer, SMALL } from './server.ts'
import {
  append,
  asOwner,
  cancel,
  declaration,
  entryOf,
  land,
  newLink,
  openSession,
  quotaOf,
  sendDeclaration,
  signUp,
} from './world.ts'

const LIMITED = { QUOTA_SOFT_BYTES: '100', QUOTA_HARD_BYTES: '200' }

const server = await connect()

// Covers: Quota; Quota, unlimited; Quota state; Quota state, grace_expired; Errors 4, 403; Limits, quota; Quota and receipts
describe('quota', () => {
  it('is zero for a new account', async () => {
    const { used, state } = await quotaOf(await signUp(server))
    assert.deepEqual([used, state], [0, 'ok'])
  })

  it('has no limits on an unlimited deployment', { skip: NEEDS_OWN_SERVER }, async () => {
    assert.deepEqual(await quotaOf(await signUp(server)), { used: 0, state: 'ok' })
  })

  it('is reported with the account: that guests found no room, why and how often', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const link = await newLink(await ownServer(LIMITED))
    await land(link, randomBytes(80))
    const account = async () => {
      const { inbox, refused_drops } = JSON.parse((await asOwner(link.owner, 'GET', '/v1/account')).body.toString())
      return { inbox, refused: refused_drops }
    }
    assert.deepEqual(await account(), { inbox: { waiting: 1, room: 10_000 }, refused: undefined })
    for (let count = 0; count < 2; count += 1)
      expectAnswer(await sendDeclaration(link, declaration(randomBytes(140))), '403 quota.exceeded')
    const { refused } = await account()
    assert.deepEqual([refused.why, refused.count], ['quota_exceeded', 2])
    assert.ok(Date.parse(refused.first_at) <= Date.parse(refused.last_at))
  })

  it('counts open sessions with their declared size, and pending drops', async () => {
    const link = await newLink(server)
    const session = await openSession(link, randomBytes(500))
    assert.equal((await quotaOf(link.owner)).used, 500)
    await append(session, 0, 100)
    assert.equal((await quotaOf(link.owner)).used, 500)
    await append(session, 100)
    assert.equal((await quotaOf(link.owner)).used, 500, 'charged once')
    await land(link, randomBytes(30))
    assert.equal((await quotaOf(link.owner)).used, 530)
  })

  it('counts the account of the caller only', async () => {
    const [link, other] = [await newLink(server), await newLink(server)]
    await land(link, randomBytes(10))
    assert.equal((await quotaOf(other.owner)).used, 0)
  })

  it('goes from ok over soft_warning to hard_exceeded', { skip: NEEDS_OWN_SERVER }, async () => {
    const link = await newLink(await ownServer(LIMITED))
    const seen: unknown[] = []
    for (const size of [99, 1, 99, 1]) {
      await openSession(link, randomBytes(size))
      seen.push(await quotaOf(link.owner))
    }
    const limits = { soft_limit: 100, hard_limit: 200 }
    assert.deepEqual(seen, [
      { used: 99, ...limits, state: 'ok' },
      { used: 100, ...limits, state: 'soft_warning' },
      { used: 199, ...limits, state: 'soft_warning' },
      { used: 200, ...limits, state: 'hard_exceeded' },
    ])
  })

  it('is grace_expired after the grace period, until space is freed', { skip: NEEDS_OWN_SERVER }, async () => {
    const limited = await ownServer({ QUOTA_SOFT_BYTES: '50', QUOTA_HARD_BYTES: '100', QUOTA_GRACE_DAYS: '0' })
    const link = await newLink(limited)
    const session = await openSession(link, randomBytes(100))
    await until(
      async () => (await quotaOf(link.owner)).state === 'grace_expired',
      'a grace period of no days has ended',
    )
    await cancel(session)
    assert.equal((await quotaOf(link.owner)).state, 'ok')
  })

  it('admits a file up to the limit, and answers 403 to one byte more', { skip: NEEDS_OWN_SERVER }, async () => {
    const link = await newLink(await ownServer(SMALL))
    const filled = await openSession(link, randomBytes(1000))
    expectAnswer(await sendDeclaration(link, declaration(randomBytes(51))), '403 quota.exceeded')
    assert.equal((await entryOf(link)).open_sessions, 1, 'the reservation of the link is freed')
    expectAnswer(await sendDeclaration(link, declaration(randomBytes(50))), '201')
    expectAnswer(await sendDeclaration(link, declaration(randomBytes(1))), '403 quota.exceeded')
    const limits = { soft_limit: 1050, hard_limit: 1050 }
    assert.deepEqual(await quotaOf(link.owner), { used: 1050, ...limits, state: 'hard_exceeded' })
    await cancel(filled)
    assert.equal((await quotaOf(link.owner)).state, 'ok', 'freed space ends it')
  })
})
