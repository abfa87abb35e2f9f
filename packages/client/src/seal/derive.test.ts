import assert from 'node:assert/strict'
import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import vectors from '../../../../vectors/derivations.json' with { type: 'json' }
import * as derive from './derive.ts'
import { keyPairFromSeed } from './kem.ts'

const inputs = Object.fromEntries(Object.entries(vectors.inputs).map(([name, hex]) => [name, fromHex(hex)]))

function input(name: keyof typeof vectors.inputs): Uint8Array {
  const bytes = inputs[name]
  assert.ok(bytes)
  return bytes
}

const accountKey = input('account_key')
const [opaqueId, albumId, fileId] = [input('opaque_id'), input('album_id'), input('file_id')]
const deviceId = input('device_id')
const master = fromHex(vectors.argon2id[0]?.output ?? '')
const album = derive.albumKey(accountKey, albumId, 1)
const CYCLE = Uint8Array.from({ length: 251 }, (_, index) => index)
const pattern = (size: number) => new Uint8Array(Buffer.alloc(size, CYCLE))

function joined(secrets: derive.StreamSecrets): Uint8Array {
  return Buffer.concat([secrets.key, secrets.noncePrefix, secrets.commitment])
}

const sharePassphrase = { shareKey: input('share_key'), stretched: input('stretched'), opaqueId }

const rows: Readonly<Record<string, () => Uint8Array>> = {
  'seed of the sign-in key': () => derive.signInKeySeed(master),
  'account-key wrapping': () => derive.accountWrapKey(master),
  'recovery wrapping': () => derive.recoveryWrapKey(input('recovery_secret')),
  'seed of the recovery key': () => derive.recoveryKeySeed(input('recovery_secret')),
  'seed of the key of a passkey': () => derive.passkeySignInSeed(input('passkey_output')),
  'wrapping under a passkey': () => derive.passkeyWrapKey(input('passkey_output')),
  'drop key seed': () => derive.dropKeySeed(accountKey, opaqueId),
  'link secret': () => derive.linkSecret(accountKey, opaqueId),
  'link title': () => derive.linkTitleKey(derive.linkSecret(accountKey, opaqueId), opaqueId),
  'Argon2id’s salt for the passphrase of a share': () => derive.sharePassphraseSalt(input('share_key'), opaqueId),
  'proof of the passphrase of a share': () => derive.sharePassphraseProof(sharePassphrase),
  'key of the index of a share with a passphrase': () => derive.sharePassphraseKey(sharePassphrase),
  'album key, amk_version 1': () => album,
  'album key, amk_version 258': () => derive.albumKey(accountKey, albumId, 258),
  'asset K, derived': () => derive.assetKey(album, fileId),
  'wrapping of an adopted drop’s K': () => derive.assetWrapKey(album, fileId),
  'drop K': () =>
    derive.dropKey({
      sharedSecret: input('shared_secret'),
      linkSecret: derive.linkSecret(accountKey, opaqueId),
      opaqueId,
      dropPublicKey: keyPairFromSeed(derive.dropKeySeed(accountKey, opaqueId)).publicKey,
      kemCt: pattern(1120),
    }),
  'device record MAC key': () => derive.deviceMacKey(accountKey, deviceId),
  'blob stream of an original: key, nonce prefix, commitment': () =>
    joined(
      derive.streamSecrets({ key: input('blob_key'), salt: input('salt'), purpose: 'original', contextId: opaqueId }),
    ),
  'blob stream of an account key: key, nonce prefix, commitment': () =>
    joined(
      derive.streamSecrets({
        key: input('blob_key'),
        salt: input('salt'),
        purpose: 'account-key',
        contextId: derive.NO_CONTEXT,
      }),
    ),
}

describe('the table of derivations', () => {
  it('has a vector for every row, all with different outputs', () => {
    assert.deepEqual(vectors.hkdf_sha512.map(({ name }) => name).sort(), Object.keys(rows).sort())
    assert.equal(new Set(vectors.hkdf_sha512.map(({ output }) => output)).size, vectors.hkdf_sha512.length)
  })

  for (const { name, ikm, salt, info, length, output } of vectors.hkdf_sha512) {
    it(`derives ${name} like the vector and OpenSSL`, () => {
      assert.equal(toHex(rows[name]?.() ?? new Uint8Array(0)), output)
      const other = hkdfSync('sha512', fromHex(ikm), fromHex(salt), fromHex(info), length)
      assert.equal(Buffer.from(other).toString('hex'), output)
    })
  }

  it('computes the device MAC over id and key', () => {
    const [vector] = vectors.hmac_sha256
    assert.ok(vector)
    assert.equal(toHex(derive.deviceMac(accountKey, deviceId, pattern(1984))), vector.output)
    const other = createHmac('sha256', fromHex(vector.key)).update(fromHex(vector.message))
    assert.equal(other.digest('hex'), vector.output)
  })

  it('makes the salt of a password from the normalised e-mail and the server’s salt, like the vector and OpenSSL', () => {
    const [vector, ...more] = vectors.password_salt
    assert.ok(vector !== undefined && more.length === 0)
    assert.equal(normaliseEmail(vector.email_typed), vector.email)
    const made = derive.passwordSalt(vector.email, fromHex(vector.salt))
    assert.equal(toHex(made), vector.output)
    assert.equal(createHash('sha256').update(fromHex(vector.message)).digest('hex').slice(0, 32), vector.output)
    assert.equal(vectors.argon2id[0]?.salt, vector.output)
  })

  it('makes the salt of a passphrase from link and link secret, like the vector and OpenSSL', () => {
    const [vector, ...more] = vectors.passphrase_salt
    assert.ok(vector !== undefined && more.length === 0)
    const [id, secret] = [fromHex(vector.opaque_id), fromHex(vector.link_secret)]
    assert.equal(toHex(derive.passphraseSalt(id, secret)), vector.output)
    assert.equal(createHash('sha256').update(fromHex(vector.message)).digest('hex').slice(0, 32), vector.output)
    assert.equal(vectors.argon2id[1]?.salt, vector.output)
    assert.notEqual(toHex(derive.passphraseSalt(id, albumId)), vector.output)
    assert.notEqual(toHex(derive.passphraseSalt(albumId, secret)), vector.output)
    assert.throws(() => derive.passphraseSalt(pattern(15), secret), RangeError)
    assert.throws(() => derive.passphraseSalt(id, pattern(32)), RangeError)
  })

  it('has every passkey evaluate the same hash, like the vector and OpenSSL', () => {
    const { message, output } = vectors.passkey_input
    assert.equal(toHex(derive.PASSKEY_INPUT), output)
    assert.equal(createHash('sha256').update(fromHex(message)).digest('hex'), output)
    for (const length of [0, 31, 33]) assert.throws(() => derive.passkeyWrapKey(pattern(length)), RangeError)
  })

  it('gives two people another salt, although the server gives them one', () => {
    const salt = new Uint8Array(16)
    const salts = ['ada@example.org', 'bob@example.org', 'ada@example.or'].map((email) =>
      derive.passwordSalt(email, salt),
    )
    assert.equal(new Set(salts.map((made) => toHex(made))).size, salts.length)
  })

  it('refuses an e-mail in another form, and a salt of another length', () => {
    for (const email of ['', 'Ada@example.org', ' ada@example.org', 'ada'])
      assert.throws(() => derive.passwordSalt(email, pattern(16)), RangeError)
    for (const length of [0, 15, 17, 32])
      assert.throws(() => derive.passwordSalt('ada@example.org', pattern(length)), RangeError)
  })

  it('gives another stream for another purpose, context, salt or key', () => {
    const base = { key: pattern(32), salt: pattern(16), purpose: 'original', contextId: opaqueId } as const
    const changes = [
      {},
      ...derive.PURPOSES.filter((purpose) => purpose !== 'original').map((purpose) => ({ purpose })),
      { contextId: albumId },
      { salt: opaqueId },
      { key: input('blob_key') },
    ]
    const streams = changes.map((change) => toHex(joined(derive.streamSecrets({ ...base, ...change }))))
    assert.equal(new Set(streams).size, changes.length)
  })

  it('refuses inputs of another length', () => {
    const short = new Uint8Array(15)
    const calls = [
      () => derive.signInKeySeed(short),
      () => derive.accountWrapKey(new Uint8Array(33)),
      () => derive.recoveryKeySeed(short),
      () => derive.recoveryWrapKey(new Uint8Array(0)),
      () => derive.passkeySignInSeed(new Uint8Array(33)),
      () => derive.dropKeySeed(accountKey, short),
      () => derive.linkSecret(short, opaqueId),
      () => derive.linkTitleKey(short, opaqueId),
      () => derive.albumKey(accountKey, short, 1),
      () => derive.albumKey(accountKey, albumId, -1),
      () => derive.albumKey(accountKey, albumId, 2 ** 32),
      () => derive.assetKey(album, short),
      () => derive.assetWrapKey(short, fileId),
      () => derive.deviceMac(accountKey, deviceId, short),
      () => derive.streamSecrets({ key: accountKey, salt: short, purpose: 'original', contextId: opaqueId }),
      () => derive.streamSecrets({ key: accountKey, salt: opaqueId, purpose: 'original', contextId: short }),
    ]
    for (const call of calls) assert.throws(call, RangeError)
  })
})
