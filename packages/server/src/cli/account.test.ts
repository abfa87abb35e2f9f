import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CommandOutcome, runCommand } from '../../../../testing/command.ts'
import { besideServer } from '../testing/besideServer.ts'
import { ask } from '../testing/http.ts'
import { UsageError } from './command.ts'

describe('the commands of accounts, beside a running server', () => {
  it(
    'suspend and resume an account at once, and say when nothing changed',
    besideServer({}, async ({ app, run, register }) => {
      const { accountId, authorization } = await register('ann@example.org')
      const album = async (id: number) => {
        const payload = { album_id: `00000000-0000-4000-8000-00000000000${id}` }
        return (await ask(app.http, { method: 'POST', url: '/v1/albums', headers: { authorization }, payload }))
          .statusCode
      }
      assert.equal(await album(1), 201)
      const said = async (name: string) => {
        const { lines, json } = await run(name, name.endsWith('suspend') ? accountId : 'Ann@Example.org')
        const { state, changed } = Object(json)
        assert.equal(lines.length, 1)
        return [state, changed]
      }
      assert.deepEqual(await said('account suspend'), ['suspended', true])
      assert.equal(await album(2), 403)
      assert.deepEqual(await said('account suspend'), ['suspended', false])
      assert.deepEqual(await said('account resume'), ['active', true])
      assert.deepEqual(await said('account resume'), ['active', false])
      assert.equal(await album(2), 201)
    }),
  )

  it(
    'give an account limits of its own, which its owner sees at once, and start and end its grace period',
    besideServer({ QUOTA_HARD_BYTES: '1000', QUOTA_GRACE_DAYS: '14' }, async ({ app, run, register }) => {
      const { authorization } = await register('ann@example.org')
      const quota = async () =>
        (await ask(app.http, { method: 'GET', url: '/v1/quota', headers: { authorization } })).json()
      const shown = async (...options: readonly string[]) =>
        Object((await run('account quota', 'ann@example.org', ...options)).json)
      const deployment = { used: 0, soft_limit: 1000, hard_limit: 1000, state: 'ok' }
      assert.deepEqual(await quota(), deployment)
      await shown('--soft', '1KiB', '--hard', '2kB')
      assert.deepEqual(await quota(), { used: 0, soft_limit: 1024, hard_limit: 2000, state: 'ok' })
      assert.deepEqual((await shown()).own_limits, { soft: 1024, hard: 2000 })
      assert.deepEqual((await shown()).deployment_limits, { soft: 1000, hard: 1000, grace_days: 14 })
      const { lines } = await run('account quota', 'ann@example.org', '--hard', '2kB')
      assert.match(String(lines.at(-1)), /soft 1000 B \(1 kB\), hard 1000 B \(1 kB\), grace 14 days\.$/)
      await shown('--hard', 'unlimited', '--soft', 'default')
      assert.deepEqual(await quota(), { used: 0, state: 'ok' })
      const exceeded = await shown('--hard', '0')
      assert.equal(exceeded.quota.state, 'hard_exceeded')
      const days = (Date.parse(exceeded.quota.grace_ends) - Date.now()) / 86_400_000
      assert.ok(days > 13.9 && days <= 14, String(days))
      assert.equal((await quota()).state, 'hard_exceeded')
      assert.equal((await shown('--hard', 'default')).quota.grace_ends, undefined)
      assert.deepEqual(await quota(), deployment)
    }),
  )

  it(
    'list all accounts, for people and for programs',
    besideServer({ QUOTA_SOFT_BYTES: '0' }, async ({ run, register }) => {
      assert.deepEqual((await run('account list')).json, { accounts: [] })
      const [bob, ann] = [await register('bob@example.org'), await register('ann@example.org')]
      await run('account suspend', 'bob@example.org')
      const { lines, json } = await run('account list')
      const { accounts } = Object(json)
      assert.deepEqual(
        accounts.map((each: { account_id: string; state: string; pending_drops: number; quota: object }) => [
          each.account_id,
          each.state,
          each.pending_drops,
          JSON.stringify(each.quota),
        ]),
        [
          [ann.accountId, 'active', 0, '{"used":0,"soft_limit":0,"state":"soft_warning"}'],
          [bob.accountId, 'suspended', 0, '{"used":0,"soft_limit":0,"state":"soft_warning"}'],
        ],
      )
      assert.equal(lines.length, 3)
      assert.match(lines[2] ?? '', /^ {2}bob@example\.org {2}suspended {2}0 B of no limit {2}soft_warning {2}0 /)
    }),
  )

  it(
    'change nothing when an argument is wrong',
    besideServer({}, async ({ run, register }) => {
      await register('ann@example.org')
      await run('account quota', 'ann@example.org', '--soft', '5', '--hard', '10')
      for (const options of [
        ['--soft', '11'],
        ['--hard', '4'],
        ['--soft', 'unlimited'],
        ['--hard', '1.5GiB'],
        ['--hard', '-1'],
        ['--hard', '10PB', '--soft', '10'],
      ])
        await assert.rejects(run('account quota', 'ann@example.org', ...options), UsageError, options.join(' '))
      const { json } = await run('account quota', 'ann@example.org')
      assert.deepEqual(Object(json).own_limits, { soft: 5, hard: 10 })
      await assert.rejects(run('account resume', 'bob@example.org'), /there is no account bob@example\.org/)
    }),
  )

  it(
    'end with 0 when done, 1 when there is no such account, and 2 when the call was wrong',
    besideServer({}, async ({ env, register }) => {
      await register('ann@example.org')
      const call = (...args: readonly string[]) => runCommand(args, { cwd: env.DATA_DIR ?? '', env })
      const [listed, helped, unknown, wrong] = await Promise.all([
        call('account', 'list', '--json'),
        call('account', 'quota', '--help'),
        call('account', 'suspend', 'bob@example.org'),
        call('account', 'quota', 'ann@example.org', '--hard', 'much'),
      ])
      const statuses = [listed, helped, unknown, wrong].map(({ status }: CommandOutcome) => status)
      assert.deepEqual(statuses, [0, 0, 1, 2])
      assert.equal(JSON.parse(listed.stdout).accounts[0].email, 'ann@example.org')
      assert.match(helped.stdout, /--soft SIZE/)
      assert.match(unknown.stderr, /there is no account bob@example\.org/)
      assert.match(wrong.stderr, /--hard takes bytes as in 1048576/)
      assert.deepEqual([listed.stderr, helped.stderr, unknown.stdout, wrong.stdout], ['', '', '', ''])
    }),
  )

  it(
    'invite keeps a note of one line for the list',
    besideServer({}, async ({ run }) => {
      await run('account invite', '--note', ' Ann, office ')
      await run('account invite')
      const { lines, json } = await run('account invites')
      const notes = Object(json).invites.map(({ note }: { readonly note?: string }) => note)
      assert.deepEqual(notes.toSorted(), ['Ann, office', undefined])
      assert.equal(lines.filter((line) => line.endsWith('  live  Ann, office')).length, 1)
      for (const wrong of ['', 'two\nlines', 'turned \u202e text', ''.padEnd(201, 'x')])
        await assert.rejects(run('account invite', '--note', wrong), UsageError)
      assert.equal(Object((await run('account invites')).json).invites.length, 2)
    }),
  )
})
