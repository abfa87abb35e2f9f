import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { createAuthenticator } from '../../../../../testing/authenticator.ts'
import { bytes } from '../../testing/guest.ts'
import { provisioningUri, stepsOf } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

describe('the codes of an authenticator', () => {
  it('are those of RFC 6238, appendix B, by their last six digits', () => {
    const vectors = [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ] as const
    for (const [seconds, code] of vectors)
      assert.deepEqual(stepsOf(secret, code, instantOf(seconds * 1000)), [Math.floor(seconds / 30)])
  })

  it('are taken from one step before to one step after, to the millisecond', () => {
    const isTaken = (ms: number) => stepsOf(secret, '287082', instantOf(ms)).length === 1
    assert.deepEqual([-1, 0, 89_999, 90_000].map(isTaken), [false, true, true, false])
  })

  it('have exactly six digits', () => {
    for (const code of ['', '28708', '2870820', '28708２', ' 287082', '94287082', '-87082'])
      assert.deepEqual(stepsOf(secret, code, instantOf(59_000)), [])
  })
})

describe('the URI for an authenticator', () => {
  it('names the host and the account with any characters, and carries the whole secret', () => {
    for (const email of ['ada@example.org', 'a&b=c?d#e+f%20@exämple.org']) {
      const own = new Uint8Array(bytes(20))
      const uri = provisioningUri({ secret: own, publicUrl: 'https://keep.example:8443/blind', email })
      const read = createAuthenticator(uri)
      assert.deepEqual([read.issuer, read.label], ['keep.example', `keep.example:${email}`])
      assert.deepEqual(read.secret, Buffer.from(own))
    }
  })

  it('gives both sides the same codes, also for a secret that is a view of a larger buffer', () => {
    const view = bytes(64).subarray(7, 27)
    const read = createAuthenticator(
      provisioningUri({ secret: view, publicUrl: 'http://127.0.0.1:8080', email: 'a@b' }),
    )
    for (const ms of [0, 59_000, 1_700_000_000_000])
      assert.deepEqual(stepsOf(view, read.codeAt(ms), instantOf(ms)), [Math.floor(ms / 30_000)])
  })
})
