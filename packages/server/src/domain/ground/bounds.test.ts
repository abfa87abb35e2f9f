import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BOUNDS, type Bounded, judgeBound } from './bounds.ts'

/** The numbers in the documents. Other tests take them from the code. */
const PROMISED: Readonly<Record<Bounded, number>> = {
  'live devices': 100,
  'devices, revoked ones included': 500,
  'live links': 1000,
  'links, ended ones included': 3000,
  albums: 1000,
  shares: 1000,
  'bytes of shares': 67_108_864,
  'live capabilities': 1000,
  'capabilities that have not ended, revoked ones included': 1467,
  'capabilities of one session that have not ended': 1100,
  'unfinished uploads': 1000,
  passkeys: 20,
}

describe('what an account may have', () => {
  for (const [what, most] of Object.entries(PROMISED) as [Bounded, number][])
    it(`is at most ${most} ${what}`, () => {
      assert.equal(BOUNDS[what], most)
      assert.equal(judgeBound(what, most - 1), undefined)
      assert.equal(judgeBound(what, most)?.refused, 'limit_reached')
    })
})
