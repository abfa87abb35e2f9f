import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, notRefused } from '../../testing/guest.ts'
import { accountsOf, keyRules, registration } from '../../testing/signInKeys.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { findInvite, INVITE_DAYS } from './invites.ts'
import type { Registration } from './registration.ts'

const DAY_SECONDS = 86_400

/** Registers at a server that asks for an invite. */
function registering(world: World, overrides: Partial<World['settings']> = {}) {
  const accounts = accountsOf(world, { registration: 'invite', ...overrides })
  return (given: Partial<Registration>) => accounts.register(registration(given))
}

const CLOSED = { refused: 'registration_closed' }

describe('an invite', () => {
  it(
    'has 160 bits in groups, works in any typing, and is stored as a hash',
    inWorld(async (world) => {
      const { invites } = world.rules
      const register = registering(world)
      const { code } = await invites.issue(1)
      assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/)
      assert.notEqual((await invites.issue(1)).code, code)
      const typed = ` ${code.toLowerCase().replace('-', '–').replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`
      notRefused(await register({ invite: typed }))
      const rows = await world.store.read((tx) => tx.invites.list(9))
      assert.ok(rows.every(({ codeHash }) => /^[0-9a-f]{64}$/.test(codeHash)))
    }),
  )

  it(
    'makes one account; a used, a wrong and an expired code get the answer of a missing code',
    inWorld(async (world) => {
      const register = registering(world)
      assert.deepEqual(await register({}), CLOSED)
      assert.deepEqual(await register({ invite: 'AAAA-BBBB' }), CLOSED)
      const [first, late] = [await world.rules.invites.issue(1), await world.rules.invites.issue(2)]
      notRefused(await register({ invite: first.code }))
      assert.deepEqual(await register({ invite: first.code, email: 'bob@example.org' }), CLOSED)
      world.clock.advance(2 * DAY_SECONDS - 1)
      notRefused(await register({ invite: late.code, email: 'cleo@example.org' }))
      const last = await world.rules.invites.issue(1)
      world.clock.advance(DAY_SECONDS)
      assert.deepEqual(await register({ invite: last.code, email: 'bob@example.org' }), CLOSED)
    }),
  )

  it(
    'is revoked by its code in any typing or by its id, unless it was used',
    inWorld(async (world) => {
      const { invites } = world.rules
      const register = registering(world)
      const [first, second, used] = [await invites.issue(1), await invites.issue(1), await invites.issue(1)]
      notRefused(await register({ invite: used.code }))
      assert.equal(await invites.revoke(first.code.toLowerCase().replaceAll('-', ' ')), 'revoked')
      const ids = (await invites.list()).map(({ inviteId, state }) => ({ inviteId, state }))
      const live = defined(ids.find(({ state }) => state === 'live'))
      assert.equal(await invites.revoke(live.inviteId.toUpperCase()), 'revoked')
      assert.equal(await invites.revoke(live.inviteId), 'unknown')
      assert.equal(await invites.revoke(used.code), 'used')
      for (const { code } of [first, second])
        assert.deepEqual(await register({ invite: code, email: 'bob@example.org' }), CLOSED)
    }),
  )

  it(
    'makes one account when 64 concurrent requests send it',
    inWorld(async (world) => {
      const register = registering(world)
      const { code } = await world.rules.invites.issue(1)
      const asked = Array.from({ length: 64 }, (_, at) => register({ invite: code, email: `${at}@example.org` }))
      const answers = await Promise.all(asked)
      assert.equal(answers.filter((answer) => 'accessToken' in answer).length, 1)
      assert.equal(
        answers.filter((answer) => 'refused' in answer && answer.refused === 'registration_closed').length,
        63,
      )
      const accounts = await world.store.read((tx) => tx.accounts.list({ afterEmail: undefined, max: 99 }))
      assert.equal(accounts.length, 1)
      const [listed] = await world.rules.invites.list()
      assert.deepEqual([listed?.state, listed?.email], ['used', defined(accounts[0]).email])
    }),
  )

  it(
    'lets the same request succeed again, and refuses other values with a used code as without a code',
    inWorld(async (world) => {
      const register = registering(world)
      const { code } = await world.rules.invites.issue(1)
      const same = { invite: code, salt: bytes(16) }
      const pairs = await Promise.all(Array.from({ length: 8 }, () => register(same)))
      assert.equal(new Set(pairs.map((pair) => notRefused(pair).accountId)).size, 1)
      world.clock.advance(5 * DAY_SECONDS)
      notRefused(await register(same))
      assert.deepEqual(await register({ ...same, salt: bytes(16) }), CLOSED)
      assert.deepEqual(await register({ ...same, invite: undefined }), CLOSED)
      const other = await world.rules.invites.issue(1)
      assert.deepEqual(await register({ ...same, salt: bytes(16), invite: other.code }), { refused: 'email_taken' })
      assert.equal((await world.rules.invites.list())[1]?.state, 'live')
    }),
  )

  it(
    'is needed through a proxy by default, ignored where registration is open, and useless where it is closed',
    inWorld(async (world) => {
      const { code } = await world.rules.invites.issue(1)
      const byDefault = registering(world, { registration: 'open', isRegistrationDefault: true })
      assert.deepEqual(await registering(world, { registration: 'closed' })({ invite: code }), CLOSED)
      assert.deepEqual(await byDefault({ isForwarded: true }), CLOSED)
      notRefused(await byDefault({ invite: code }))
      notRefused(await byDefault({ invite: code, isForwarded: true, email: 'bob@example.org' }))
      assert.deepEqual(await byDefault({ invite: code, isForwarded: true, email: 'cleo@example.org' }), CLOSED)
    }),
  )

  it(
    'is issued by a start while there is neither an account nor a valid invite',
    inWorld(async (world) => {
      const { invites } = world.rules
      const first = defined(await invites.issueFirst())
      assert.equal(first.expiresAt, world.clock.now() + INVITE_DAYS * DAY_SECONDS * 1000)
      assert.equal(await invites.issueFirst(), undefined)
      world.clock.advance(INVITE_DAYS * DAY_SECONDS)
      assert.notEqual(defined(await invites.issueFirst()).code, first.code)
      world.clock.advance(INVITE_DAYS * DAY_SECONDS)
      await newAccount(world)
      assert.equal(await invites.issueFirst(), undefined)
    }),
  )

  it(
    'shows no e-mail once its account is deleted',
    inWorld(async (world) => {
      const quick = keyRules(world)
      const accountId = await quick.newAccount()
      const { code } = await world.rules.invites.issue(1)
      const at = world.clock.now()
      const codeHash = defined(await world.store.read((tx) => findInvite(tx, code, at))).codeHash
      await world.store.write([], (tx) => tx.invites.use(codeHash, accountId, at))
      assert.ok((await world.rules.invites.list())[0]?.email)
      await quick.deleteAccount(accountId)
      const [listed] = await world.rules.invites.list()
      assert.deepEqual([listed?.state, listed?.usedBy, listed?.email], ['used', accountId, undefined])
    }),
  )

  it(
    'is pruned 30 days after it has expired',
    inWorld(async (world) => {
      await world.rules.invites.issue(1)
      const left = async () => (await world.rules.invites.list()).map(({ state }) => state)
      world.clock.advance(31 * DAY_SECONDS)
      await world.rules.sweep.sweep()
      assert.deepEqual(await left(), ['expired'])
      world.clock.advance(1)
      await world.rules.sweep.sweep()
      assert.deepEqual(await left(), [])
    }),
  )
})
