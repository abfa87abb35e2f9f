import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSecretHasher } from '../../adapters/argon2/argon2.ts'
import { HasherBusy } from '../../ports/secrets.ts'
import { hashedByNetwork } from './hashedByNetwork.ts'

describe('the queue for hashing', () => {
  it('gives the IPv6 networks of one subscriber one share, and another subscriber its own', async () => {
    const hasher = hashedByNetwork(createSecretHasher({ concurrent: 1, queueMax: 8 }))
    const flood = Array.from({ length: 6 }, (_, index) => hasher.hash('a secret', `2001:db8:1:${index + 1}::/64`))
    const other = hasher.hash('a secret', '2001:db8:2:1::/64')
    const outcomes = await Promise.allSettled(flood)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refused.length, 3, 'one runs, and a quarter of the queue waits')
    assert.ok(refused.every(({ reason }) => reason instanceof HasherBusy))
    assert.ok((await other).startsWith('$argon2id$'))
  })
})
