import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { besideServer } from '../testing/besideServer.ts'

const EMAIL = 'ann@example.org'

describe('status, beside a running server', () => {
  it(
    'shows what is there and what to look at, and names owners only if asked',
    besideServer({}, async ({ run, register }) => {
      const { accountId } = await register(EMAIL)
      await run('account suspend', EMAIL)
      const { lines, json, isWrong } = await run('status')
      assert.match(lines.join('\n'), / Accounts +1, 1 suspended\n[\s\S]*\n[a-z]+: 1 account is suspended\.\n/)
      assert.equal(isWrong, false)
      for (const secret of [EMAIL, accountId]) assert.ok(!JSON.stringify([lines, json]).includes(secret), secret)
      const named = await run('status', '--accounts')
      assert.match(named.lines.join('\n'), new RegExp(` ${EMAIL} +suspended +0 B +ok +0 +0 +20`))
      assert.ok(JSON.stringify(named.json).includes(accountId))
    }),
  )

  it(
    'is wrong, for a program that looks at its exit status, while an alarm is critical',
    besideServer({ FREE_SPACE_FLOOR_BYTES: '9000TB' }, async ({ run }) => {
      const { lines, isWrong } = await run('status')
      assert.match(lines.join('\n'), /critical: .* are free, below FREE_SPACE_FLOOR_BYTES \(9 PB\)/)
      assert.equal(isWrong, true)
    }),
  )
})
