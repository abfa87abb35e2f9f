import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { concatBytes } from '@blindkeep/protocol/bytes'
import { SUITE_ID } from '@blindkeep/protocol/suites'
import { encapsulate, keyPairFromSeed } from '../seal/kem.ts'
import { openSmall } from '../seal/open.ts'
import { createSealer } from '../seal/seal.ts'
import { createDropKey, dropKeySource, KeyMismatch, linkKeysOf, recoverDropKey } from './dropKeys.ts'
import { type Fragment, makeFragment, parseFragment } from './fragment.ts'

const accountKey = new Uint8Array(32).fill(1)
const opaqueId = new Uint8Array(16).fill(2)
const keys = linkKeysOf(accountKey, opaqueId)
const content = new Uint8Array(50).fill(3)

function fragmentOf(text: string): Fragment {
  const fragment = parseFragment(text)
  assert.ok(fragment)
  return fragment
}

const guestLink = {
  fragment: fragmentOf(keys.fragment),
  suiteId: SUITE_ID,
  opaqueId,
  dropPublicKey: keys.dropPublicKey,
}

async function sealDrop({ key, kemCt }: { key: Uint8Array; kemCt: Uint8Array }): Promise<Uint8Array> {
  const sealer = await createSealer({ key, kemCt, purpose: 'original', contextId: opaqueId, header: { size: 50 } })
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, content))
}

const open = (sealed: Uint8Array, listedKemCt?: Uint8Array) =>
  openSmall(sealed, { key: dropKeySource(keys, listedKemCt), purpose: 'original', contextId: opaqueId })

describe('a drop', () => {
  it('is sealed with the link and opened with the account key alone', async () => {
    const made = createDropKey(guestLink)
    const sealed = await sealDrop(made)
    assert.deepEqual(recoverDropKey(linkKeysOf(accountKey, opaqueId), made.kemCt), made.key)
    assert.deepEqual(await open(sealed), content)
    assert.deepEqual(await open(sealed, made.kemCt), content)
  })

  it('has a new key each time', () => {
    assert.notDeepEqual(createDropKey(guestLink).key, createDropKey(guestLink).key)
  })

  it('is not sealed for a key that the link does not confirm', () => {
    const swapped = keyPairFromSeed(new Uint8Array(32).fill(9)).publicKey
    assert.throws(() => createDropKey({ ...guestLink, dropPublicKey: swapped }), KeyMismatch)
    assert.throws(() => createDropKey({ ...guestLink, opaqueId: new Uint8Array(16) }), KeyMismatch)
    assert.throws(() => createDropKey({ ...guestLink, suiteId: 2 }), KeyMismatch)
    const laterSuite = fragmentOf(makeFragment({ ...guestLink, suiteId: 2, linkSecret: keys.linkSecret }))
    assert.throws(() => createDropKey({ ...guestLink, suiteId: 2, fragment: laterSuite }), KeyMismatch)
    const otherLink = fragmentOf(linkKeysOf(accountKey, new Uint8Array(16)).fragment)
    assert.throws(() => createDropKey({ ...guestLink, fragment: otherLink }), KeyMismatch)
  })

  it('cannot be forged by a malicious server, which has the drop key but not the link secret', async () => {
    const forger = encapsulate(keys.dropPublicKey)
    const sealed = await sealDrop({ key: forger.sharedSecret, kemCt: forger.kemCt })
    await assert.rejects(open(sealed), { name: 'SealError', reason: 'wrong_key' })
  })

  it('is refused when the inbox lists another kem_ct', async () => {
    const sealed = await sealDrop(createDropKey(guestLink))
    const listed = createDropKey(guestLink).kemCt
    await assert.rejects(open(sealed, listed), { name: 'SealError', reason: 'kem_ct_invalid' })
  })

  it('is refused for an invalid kem_ct, and for a blob that is not a drop', async () => {
    const made = createDropKey(guestLink)
    const smallOrder = made.kemCt.map((byte, index) => (index < 1088 ? byte : 0))
    const sealed = await sealDrop({ key: made.key, kemCt: smallOrder })
    await assert.rejects(open(sealed), { name: 'SealError', reason: 'kem_ct_invalid' })
    const sealer = await createSealer({ key: made.key, purpose: 'original', contextId: opaqueId, header: { size: 50 } })
    const plain = concatBytes(sealer.prefix, await sealer.sealSegment(0, content))
    await assert.rejects(open(plain), { name: 'SealError', reason: 'unknown_format' })
  })
})
