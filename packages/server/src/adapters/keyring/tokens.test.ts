import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, randomBytes, sign } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { WrongMasterSecret } from '../../ports/keyring.ts'
import { openKeyring } from './keyring.ts'
import { createTokenSigner } from './tokens.ts'

const TYP = 'at+jwt'
const claims = { iss: 'https://keep.example', sub: 'someone', iat: 1_780_000_000, exp: 1_780_000_900 }

const seed = randomBytes(32)
const signer = createTokenSigner(seed)

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** A token with any header and payload, validly signed with the signer's own key. */
function forge(header: string, payload: string): string {
  const key = createPrivateKey({ key: seed, format: 'raw-private', asymmetricKeyType: 'ed25519' })
  const signature = sign(null, Buffer.from(`${header}.${payload}`), key)
  return `${header}.${payload}.${signature.toString('base64url')}`
}

describe('a token signer', () => {
  it('verifies a token that it signed, and answers its claims', async () => {
    const token = await signer.sign({ typ: TYP }, claims)
    assert.deepEqual(await signer.verify(TYP, token), claims)
    assert.equal(signer.publicKey.length, 32)
  })

  it('answers the same for a token each time, also after thousands of others', async () => {
    const token = await signer.sign({ typ: TYP }, claims)
    const bad = `${token.slice(0, -87)}A${token.slice(-86)}`
    const ask = async () => {
      assert.deepEqual(await signer.verify(TYP, token), claims)
      assert.equal(await signer.verify('another+jwt', token), undefined)
      assert.equal(await signer.verify(TYP, bad), undefined)
    }
    await ask()
    await ask()
    for (let at = 0; at < 4200; at++) {
      const other = await signer.sign({ typ: TYP }, { ...claims, jti: String(at) })
      assert.equal((await signer.verify(TYP, other))?.jti, String(at))
    }
    await ask()
  })

  it('gives the same token for the same claims in any order', async () => {
    const { iss, ...others } = claims
    assert.equal(await signer.sign({ typ: TYP }, claims), await signer.sign({ typ: TYP }, { ...others, iss }))
    assert.equal(await signer.sign({ typ: TYP }, claims), await createTokenSigner(seed).sign({ typ: TYP }, claims))
  })

  it('leaves the check of the time to the caller', async () => {
    const ended = { ...claims, exp: 1, nbf: 99_999_999_999 }
    assert.deepEqual(await signer.verify(TYP, await signer.sign({ typ: TYP }, ended)), ended)
  })

  it('refuses a token of another kind', async () => {
    const token = await signer.sign({ typ: 'capability+jwt' }, claims)
    for (const typ of [TYP, 'CAPABILITY+JWT', 'application/capability+jwt', ''])
      assert.equal(await signer.verify(typ, token), undefined)
  })

  it('refuses a token of another key', async () => {
    const token = await createTokenSigner(randomBytes(32)).sign({ typ: TYP }, claims)
    assert.equal(await signer.verify(TYP, token), undefined)
  })

  it('refuses `none`, and HMAC under the public key', async () => {
    const payload = encode(claims)
    for (const alg of ['none', 'None', '']) {
      const header = encode({ alg, typ: TYP })
      assert.equal(await signer.verify(TYP, `${header}.${payload}.`), undefined)
      assert.equal(await signer.verify(TYP, forge(header, payload)), undefined)
    }
    const header = encode({ alg: 'HS256', typ: TYP })
    const signature = createHmac('sha256', signer.publicKey).update(`${header}.${payload}`).digest('base64url')
    assert.equal(await signer.verify(TYP, `${header}.${payload}.${signature}`), undefined)
  })

  it('refuses a header with other members than alg and typ, even with a valid signature', async () => {
    const payload = encode(claims)
    assert.deepEqual(await signer.verify(TYP, forge(encode({ alg: 'EdDSA', typ: TYP }), payload)), claims)
    const more = [{ kid: '1' }, { crit: ['b64'], b64: true }, { jwk: {} }, { cty: 'JWT' }]
    const others = [
      { alg: 'EdDSA' },
      { alg: 'Ed25519', typ: TYP },
      { alg: 'eddsa', typ: TYP },
      ...more.map((each) => ({ alg: 'EdDSA', typ: TYP, ...each })),
    ]
    for (const header of others)
      assert.equal(await signer.verify(TYP, forge(encode(header), payload)), undefined, JSON.stringify(header))
  })

  it('refuses claims that are not an object, even with a valid signature', async () => {
    const header = encode({ alg: 'EdDSA', typ: TYP })
    const payloads = [
      ...[null, [], 'text', 1, true].map(encode),
      Buffer.from('{').toString('base64url'),
      Buffer.from([0xff]).toString('base64url'),
      '',
    ]
    for (const payload of payloads) assert.equal(await signer.verify(TYP, forge(header, payload)), undefined, payload)
  })

  it('refuses a token with any character changed', async () => {
    const token = await signer.sign({ typ: TYP }, claims)
    for (let index = 0; index < token.length; index++) {
      const altered = token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1)
      const verified = await signer.verify(TYP, altered)
      assert.equal(verified, undefined, `character ${index}`)
    }
  })

  it('refuses a text that is not a token', async () => {
    const token = await signer.sign({ typ: TYP }, claims)
    for (const text of [
      '',
      '.',
      '..',
      '...',
      'a.b.c',
      `${token}.`,
      `${token}=`,
      ` ${token}`,
      `${token}\n`,
      token.slice(0, -1),
      'a'.repeat(100_000),
    ]) {
      assert.equal(await signer.verify(TYP, text), undefined)
    }
  })

  it('opens from its sealed key, and from no other', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'blindkeep-tokens-'))
    try {
      const keyring = await openKeyring({ masterSecretFile: join(directory, 'master.secret'), createIfMissing: true })
      const sealed = keyring.createTokenKey()
      const token = await keyring.openTokenKey(sealed).sign({ typ: TYP }, claims)
      assert.deepEqual(await keyring.openTokenKey(sealed).verify(TYP, token), claims)
      assert.equal(await keyring.openTokenKey(keyring.createTokenKey()).verify(TYP, token), undefined)
      assert.throws(() => keyring.openTokenKey(keyring.createAttestationKey().sealedPrivateKey), WrongMasterSecret)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
