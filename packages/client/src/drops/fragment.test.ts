import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import fc from 'fast-check'
import vectors from '../../../../vectors/fragments.json' with { type: 'json' }
import { type Fragment, fragmentMatches, makeFragment, parseFragment } from './fragment.ts'

interface LinkVector {
  readonly suite_id: number
  readonly opaque_id: string
  readonly drop_pubkey: string
}

const linkKey = (link: LinkVector) => ({
  suiteId: link.suite_id,
  opaqueId: fromHex(link.opaque_id),
  dropPublicKey: fromHex(link.drop_pubkey),
})

function parsed(text: string): Fragment {
  const fragment = parseFragment(text)
  assert.ok(fragment)
  return fragment
}

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

describe('a link’s fragment', () => {
  it('has vectors of every kind', () => {
    for (const list of [vectors.valid, vectors.invalid, vectors.mismatches]) assert.ok(list.length > 0)
  })

  for (const vector of vectors.valid) {
    it(`matches the vector in both directions: ${vector.name}`, () => {
      const link = linkKey(vector.link)
      assert.equal(makeFragment({ ...link, linkSecret: fromHex(vector.link_secret) }), vector.fragment)
      const fragment = parsed(vector.fragment)
      assert.equal(toHex(fragment.linkSecret), vector.link_secret)
      assert.equal(toHex(fragment.keyHash), vector.key_hash)
      assert.equal(fragmentMatches(fragment, link), true)
      assert.deepEqual(parseFragment(`#${vector.fragment}`), fragment)
    })

    it(`commits to label, suite, opaque_id and key, like SHA-256 of OpenSSL: ${vector.name}`, () => {
      const hash = createHash('sha256')
        .update('service/link/1\0')
        .update(Uint8Array.of(0, 0, 0, 1))
      hash.update(fromHex(vector.link.opaque_id)).update(fromHex(vector.link.drop_pubkey))
      assert.equal(hash.digest('hex'), vector.key_hash)
    })
  }

  for (const vector of vectors.mismatches) {
    it(`does not confirm ${vector.name}`, () => {
      assert.equal(fragmentMatches(parsed(vector.fragment), linkKey(vector.link)), false)
    })
  }

  for (const vector of vectors.invalid) {
    it(`is refused: ${vector.name}`, () => assert.equal(parseFragment(vector.fragment), undefined))
  }

  it('is read back as it was made, and differs after a change of any character', () => {
    fc.assert(
      fc.property(
        bytesOf(16),
        bytesOf(16),
        fc.nat(65),
        fc.constantFrom('A', 'x', '_'),
        (opaqueId, linkSecret, at, other) => {
          const link = { suiteId: 1, opaqueId, dropPublicKey: new Uint8Array(1216).fill(3) }
          const text = makeFragment({ ...link, linkSecret })
          assert.deepEqual(parsed(text).linkSecret, linkSecret)
          assert.equal(fragmentMatches(parsed(text), link), true)
          const changed = parseFragment(text.slice(0, at) + other + text.slice(at + 1))
          if (text[at] !== other) assert.notDeepEqual(changed, parsed(text))
        },
      ),
    )
  })

  it('is not made from secrets and ids of another length', () => {
    const link = { suiteId: 1, opaqueId: new Uint8Array(16), dropPublicKey: new Uint8Array(1216) }
    assert.throws(() => makeFragment({ ...link, linkSecret: new Uint8Array(15) }), RangeError)
    assert.throws(
      () => makeFragment({ ...link, opaqueId: new Uint8Array(17), linkSecret: new Uint8Array(16) }),
      RangeError,
    )
  })
})
