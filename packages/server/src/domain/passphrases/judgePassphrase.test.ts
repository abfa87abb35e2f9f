import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { type OpaqueId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { bytes } from '../../testing/guest.ts'
import { defined, inWorld } from '../../testing/world.ts'
import { sha256 } from '../ground/sha256.ts'
import { createJudgePassphrase, MAX_ATTEMPTS, MAX_PROVEN } from './judgePassphrase.ts'

const TRIES = 10
const idOf = (): OpaqueId => defined(parseOpaqueId(Buffer.from(bytes(16)).toString('hex')))

describe('who was right before', () => {
  it(
    'is not forgotten while it goes on, however many others are right, and then no guesser locks it out',
    inWorld(async ({ limiter }) => {
      const judge = createJudgePassphrase(limiter, { passphraseTriesPerWindow: TRIES }, 'share')
      const verifier = bytes(32)
      const gated = { opaqueId: idOf(), verifierHash: sha256(verifier) }
      const right = { proof: toBase64(verifier), source: '2001:db8:1:1::/64' }
      assert.deepEqual(await judge(gated, right), { is: 'right' })
      const others = { opaqueId: idOf(), verifierHash: gated.verifierHash }
      for (let other = 0; other < MAX_PROVEN; other += 1) {
        if (other === MAX_PROVEN / 2) await judge(gated, right)
        await judge(others, { ...right, source: `10.0.${other >> 8}.${other & 255}` })
      }
      // From the same network of a provider: the first wrong proof there, and all that are for everybody.
      const wrong = (network: number) => ({ proof: toBase64(bytes(32)), source: `2001:db8:1:${network}::/64` })
      for (let guess = 0; guess <= MAX_ATTEMPTS; guess += 1) await judge(gated, wrong(2 + Math.floor(guess / TRIES)))
      const late = { ...right, source: '2001:db8:1:f::/64' }
      assert.equal((await judge(gated, late)).is, 'limited')
      assert.deepEqual(await judge(gated, right), { is: 'right' })
    }),
  )
})
