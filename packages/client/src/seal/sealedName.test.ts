import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import vectors from '../../../../vectors/own-names.json' with { type: 'json' }
import { SealError } from './sealError.ts'
import { type NameSeal, openGivenName, openName, sealName } from './sealedName.ts'

const PURPOSES = ['share-name', 'session-name', 'device-name', 'passkey-name', 'channel-name'] as const

function sealOf(vector: (typeof vectors.valid)[number]): NameSeal {
  const purpose = PURPOSES.find((one) => one === vector.purpose)
  assert.ok(purpose)
  return {
    key: fromHex(vector.account_key),
    purpose,
    contextId: fromHex(vector.context_id),
    salt: fromHex(vector.salt),
  }
}
const device = vectors.valid.find(({ purpose }) => purpose === 'device-name')
assert.ok(device)

describe('the owner’s name for a share, a session, a device, a passkey or a channel', () => {
  for (const vector of vectors.valid)
    it(`matches the vector in both directions: ${vector.name}`, async () => {
      assert.equal(toHex((await sealName(sealOf(vector), vector.text)) ?? new Uint8Array()), vector.sealed)
      assert.equal(await openName(sealOf(vector), fromHex(vector.sealed)), vector.text)
      assert.ok(vector.sealed.length / 2 <= 4096, 'the server takes no more')
    })

  for (const { name, reason, sealed } of vectors.invalid)
    it(`is refused: ${name}`, async () => {
      const isRefused = (error: unknown) => error instanceof SealError && error.reason === reason
      await assert.rejects(openName(sealOf(device), fromHex(sealed)), isRefused)
      const opened = await openGivenName(sealOf(device), Buffer.from(sealed, 'hex').toString('base64'))
      assert.deepEqual([opened.text, typeof opened.fault], [undefined, 'string'])
    })

  it('has a length that does not depend on the name', () => {
    const lengths = vectors.valid.map(({ sealed }) => sealed.length)
    assert.equal(new Set(lengths).size, 1)
  })

  it('is one line, none if nothing is left, and is not sealed if it is too long', async () => {
    const seal = sealOf(device)
    const sealed = await sealName(seal, ' my\n\u202Edesk\t')
    assert.equal(await openName(seal, sealed ?? new Uint8Array()), 'my desk')
    assert.equal(await sealName(seal, ' \n'), undefined)
    await assert.rejects(sealName(seal, 'x'.repeat(601)), RangeError)
  })
})
