import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { parseAccountId } from '@blindkeep/protocol/ids'
import vectors from '../../../../vectors/passkeys.json' with { type: 'json' }
import { uuidOf } from './newId.ts'
import { openPasskeyKey, sealPasskeyKey } from './passkeyKey.ts'
import { SealError } from './sealError.ts'

const [valid] = vectors.valid
assert.ok(valid)
const seal = { output: fromHex(valid.output), passkeyId: fromHex(valid.passkey_id), salt: fromHex(valid.salt) }
const accountId = parseAccountId(uuidOf(fromHex(valid.account_id)))
assert.ok(accountId)
const content = { accountId, accountKey: fromHex(valid.account_key), email: valid.email }

describe('what a passkey opens', () => {
  it('matches the vector in both directions', async () => {
    assert.equal(toHex(await sealPasskeyKey(seal, content)), valid.sealed_passkey_key)
    assert.deepEqual(await openPasskeyKey(seal, fromHex(valid.sealed_passkey_key)), content)
  })

  it('fits what the server takes, with the longest address', async () => {
    const email = `${'a'.repeat(242)}@example.org`
    const sealed = await sealPasskeyKey(seal, { ...content, email })
    assert.ok(sealed.length <= 4096)
    assert.equal((await openPasskeyKey(seal, sealed)).email, email)
  })

  for (const { name, reason, sealed_passkey_key: sealed } of vectors.invalid)
    it(`is refused: ${name}`, () =>
      assert.rejects(
        openPasskeyKey(seal, fromHex(sealed)),
        (error) => error instanceof SealError && error.reason === reason,
      ))
})
