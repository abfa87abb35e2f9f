import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { argon2id } from '@noble/hashes/argon2.js'
import argon2 from '../../../../vectors/argon2id.json' with { type: 'json' }
import derivations from '../../../../vectors/derivations.json' with { type: 'json' }
import { masterOfPassword, passphraseProof } from './password.ts'

describe('Argon2id', () => {
  it('has vectors, including a published one', () => {
    assert.ok(argon2.vectors.some(({ name }) => name.startsWith('RFC 9106')))
  })

  for (const vector of argon2.vectors) {
    it(`has the same result in both implementations: ${vector.name}`, () => {
      const [password, salt] = [fromHex(vector.password), fromHex(vector.salt)]
      const [secret, associatedData] = [fromHex(vector.secret), fromHex(vector.associated_data)]
      const ours = argon2id(password, salt, {
        m: vector.memory_kib,
        t: vector.passes,
        p: vector.parallelism,
        dkLen: 32,
        key: secret,
        personalization: associatedData,
      })
      assert.equal(toHex(ours), vector.output)
      const other = argon2Sync('argon2id', {
        message: password,
        nonce: salt,
        secret,
        associatedData,
        parallelism: vector.parallelism,
        memory: vector.memory_kib,
        passes: vector.passes,
        tagLength: 32,
      })
      assert.equal(toHex(other), vector.output)
    })
  }
})

describe('a password', () => {
  const [master, passphrase] = derivations.argon2id
  assert.ok(master && passphrase)

  it('gives the master secret of the vector for any Unicode composition, and reports progress', async () => {
    const shares: number[] = []
    const output = await masterOfPassword(master.text, fromHex(master.salt), {
      onProgress: (share) => shares.push(share),
    })
    assert.equal(toHex(output), master.output)
    assert.equal(Buffer.from(fromHex(master.text_nfkc)).toString(), master.text.normalize('NFKC'))
    assert.notEqual(master.text, master.text.normalize('NFKC'))
    assert.ok(shares.length > 0 && shares.every((share) => share >= 0 && share <= 1))
  })

  it('gives the proof of a link for a passphrase', async () => {
    assert.equal(toHex(await passphraseProof(passphrase.text, fromHex(passphrase.salt))), passphrase.output)
  })

  it('is refused with a salt of another length', async () => {
    for (const length of [7, 15, 17]) {
      await assert.rejects(masterOfPassword('x', new Uint8Array(length)), RangeError)
      await assert.rejects(passphraseProof('x', new Uint8Array(length)), RangeError)
    }
  })
})
