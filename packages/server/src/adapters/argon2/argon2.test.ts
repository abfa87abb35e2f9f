import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { describe, it } from 'node:test'
import { HasherBusy } from '../../ports/secrets.ts'
import { createSecretHasher, deriveOnThread } from './argon2.ts'

const hasher = createSecretHasher({ concurrent: 2, queueMax: 64 })
const phc = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

describe('the secret hasher', () => {
  it('creates a PHC string that another implementation confirms', async () => {
    const [, salt = '', tag = ''] = phc.exec(await hasher.hash('correct horse ünïcode')) ?? []
    const parameters = {
      message: Buffer.from('correct horse ünïcode'),
      nonce: Buffer.from(salt, 'base64'),
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    }
    assert.equal(argon2Sync('argon2id', parameters).toString('base64'), `${tag}=`)
  })

  it('verifies the secret and no other', async () => {
    const hash = await hasher.hash('a secret')
    assert.equal(await hasher.verify(hash, 'a secret'), true)
    for (const wrong of ['', 'a secre', 'a secret ', 'A secret']) assert.equal(await hasher.verify(hash, wrong), false)
  })

  it('creates and verifies the same without Node’s own Argon2', async () => {
    const inJavaScript = createSecretHasher({ concurrent: 2, queueMax: 64, derive: deriveOnThread })
    assert.equal(await hasher.verify(await inJavaScript.hash('geheim ünïcode'), 'geheim ünïcode'), true)
    const hash = await hasher.hash('a secret')
    const verdicts = await Promise.all(['a secret', 'a secre', ''].map((secret) => inJavaScript.verify(hash, secret)))
    assert.deepEqual(verdicts, [true, false, false])
  })

  it('uses a new salt for each hash', async () => {
    assert.notEqual(await hasher.hash('a secret'), await hasher.hash('a secret'))
  })

  it('verifies a hash that another implementation created', async () => {
    const nonce = Buffer.from('0123456789abcdef')
    const tag = argon2Sync('argon2id', {
      message: 'x',
      nonce,
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    })
    const text = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', '')).join('$')
    assert.equal(await hasher.verify(`$argon2id$v=19$m=19456,t=2,p=1$${text}`, 'x'), true)
  })

  it('answers false for an unknown hash, after as much work as for a real one', async () => {
    // The queue shows the work: with one turn and no queue, a verification that did not hash would not delay the
    // next one.
    const narrow = createSecretHasher({ concurrent: 1, queueMax: 0 })
    const verifying = narrow.verify(undefined, 'a secret')
    await assert.rejects(narrow.verify(undefined, 'a secret'), HasherBusy)
    assert.equal(await verifying, false)
  })

  it('throws for a text that is not a PHC string of this cost', async () => {
    const hash = await hasher.hash('a secret')
    const costs = [
      hash.replace('m=19456', 'm=8'),
      hash.replace('t=2', 't=1'),
      hash.replace('v=19', 'v=16'),
      hash.replace('argon2id', 'argon2i'),
    ]
    const last = hash.at(-1) ?? ''
    const unusedBits = hash.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1)
    for (const wrong of [...costs, '', 'x', `${hash}=`, `${hash}\n`, ` ${hash}`, hash.slice(0, -1), unusedBits]) {
      await assert.rejects(hasher.verify(wrong, 'a secret'), Error, wrong)
    }
  })

  it('lets so many run and so many wait, rejects the next, and accepts more afterwards', async () => {
    const small = createSecretHasher({ concurrent: 2, queueMax: 3 })
    const outcomes = await Promise.allSettled(Array.from({ length: 9 }, () => small.hash('a secret')))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refused.length, 4)
    assert.ok(refused.every(({ reason }) => reason instanceof HasherBusy))
    assert.match(await small.hash('a secret'), phc)
  })
})
