import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QUOTA_STATES } from '@blindkeep/protocol/schemas/quota'
import { storage as german } from '../../text/de/storage.ts'
import { storage as english } from '../../text/en/storage.ts'
import { fillOf, QUOTA_TONES } from './quota.ts'

const quota = (used: number, softLimit?: number, hardLimit?: number) =>
  ({ bin: 0, used, softLimit, hardLimit, state: 'ok' }) as const

describe('the quota', () => {
  it('is measured against the hard limit, or against the soft limit without one', () => {
    assert.deepEqual(fillOf(quota(3, 8, 10)), { used: 3, limit: 10, soft: 8, left: 7 })
    assert.deepEqual(fillOf(quota(3, 10, 10)), { used: 3, limit: 10, soft: undefined, left: 7 })
    assert.deepEqual(fillOf(quota(3, 8)), { used: 3, limit: 8, soft: undefined, left: 5 })
    assert.deepEqual(fillOf(quota(3, undefined, 0)), { used: 3, limit: 0, soft: undefined, left: 0 })
    assert.equal(fillOf(quota(3)), undefined)
  })

  it('has a text for every state, and only one state is good', () => {
    for (const state of QUOTA_STATES)
      for (const text of [english, german]) assert.ok(text.quota.states[state].meaning.length > 5)
    assert.deepEqual(
      QUOTA_STATES.filter((state) => QUOTA_TONES[state] === 'good'),
      ['ok'],
    )
  })

  for (const [language, { quota: text }, words] of [
    ['en', english, { notReached: /limit is not reached/, nearly: /nearly full/, full: /full/, space: /space|room/i }],
    [
      'de',
      german,
      { notReached: /Grenze ist nicht erreicht/, nearly: /fast voll/, full: /voll/, space: /Platz|frei/i },
    ],
  ] as const)
    it(`is called full where it is, and below its limit has no promise that a file fits (${language})`, () => {
      const { ok, soft_warning, hard_exceeded, grace_expired } = text.states
      assert.match(ok.title, words.notReached)
      // A file that is larger than what is left does not fit in this state, either.
      assert.doesNotMatch(`${ok.title} ${ok.meaning}`, words.space)
      assert.doesNotMatch(ok.title, words.full)
      assert.match(soft_warning.title, words.nearly)
      for (const { title } of [hard_exceeded, grace_expired]) {
        assert.match(title, words.full)
        assert.doesNotMatch(title, words.nearly)
      }
    })
})
