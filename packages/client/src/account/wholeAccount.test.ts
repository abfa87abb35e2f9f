/** `vectors/account.json`, read with node:crypto alone from the password to the file, and by this library. */
import assert from 'node:assert/strict'
import {
  argon2Sync,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  decapsulate,
  diffieHellman,
  hkdfSync,
  sign,
} from 'node:crypto'
import { describe, it } from 'node:test'
import { fromBase64, fromHex, toHex, uuidBytes } from '@blindkeep/protocol/bytes'
import { decodeManifest, verifyManifest } from '@blindkeep/protocol/manifest'
import vectors from '../../../../vectors/account.json' with { type: 'json' }
import { openMetadata } from '../assets/metadata.ts'
import { linkKeysOf } from '../drops/dropKeys.ts'
import { parseLink } from '../drops/linkAddress.ts'
import { openLinkTitle } from '../drops/linkTitle.ts'
import { NO_CONTEXT } from '../seal/derive.ts'
import { openSmallText } from '../seal/open.ts'
import { verifiers } from '../seal/signatures.ts'
import { openSealedDevice } from './device.ts'
import { secretOfWords } from './recoveryWords.ts'

const { registered, link, drop, album, device, adopted, uploaded } = vectors

const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const label = (text: string) => Buffer.from(`${text}\0`)
const bytes = (text: string) => Buffer.from(text, 'base64')
function hkdf(key: Uint8Array, salt: Uint8Array, info: Uint8Array, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha512', key, salt, info, length))
}
const none = Buffer.alloc(0)

interface Seal {
  readonly key: Uint8Array
  readonly purpose: string
  readonly context?: Uint8Array
}

/** Header bytes and content of a blob with one header block and one segment. */
function open(sealed: Buffer, { key, purpose, context = Buffer.alloc(16) }: Seal) {
  const saltAt = sealed[0] === 2 ? 1121 : 1
  const info = Buffer.concat([label('service/stream/1'), label(purpose), context])
  const stream = hkdf(key, sealed.subarray(saltAt, saltAt + 16), info, 71)
  assert.ok(stream.subarray(39).equals(sealed.subarray(saltAt + 16, saltAt + 48)), 'another commitment')
  const segment = (nonceEnd: string, from: number, to: number, additional: Buffer) => {
    const nonce = Buffer.concat([stream.subarray(32, 39), Buffer.from(nonceEnd, 'hex')])
    const cipher = createDecipheriv('aes-256-gcm', stream.subarray(0, 32), nonce).setAAD(additional)
    cipher.setAuthTag(sealed.subarray(to - 16, to))
    return Buffer.concat([cipher.update(sealed.subarray(from, to - 16)), cipher.final()])
  }
  const headerAt = saltAt + 49
  assert.equal(sealed[headerAt - 1], 1)
  const header = segment('0000000000', headerAt, headerAt + 1040, sealed.subarray(0, headerAt))
  return { header, content: segment('0000000101', headerAt + 1040, sealed.length, none) }
}

function passwordSecrets() {
  const nonce = sha256(label('service/password/1'), label(vectors.email), fromHex(vectors.salt)).subarray(0, 16)
  const message = Buffer.from(vectors.password_typed.normalize('NFKC'))
  const master = argon2Sync('argon2id', { message, nonce, parallelism: 1, tagLength: 32, memory: 65_536, passes: 3 })
  return {
    signInKey: ed25519(hkdf(master, none, label('service/sign-in/1'))),
    wrap: hkdf(master, none, label('service/account-wrap/1')),
  }
}

const privateKey = (der: string, seed: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([Buffer.from(der, 'hex'), seed]), format: 'der', type: 'pkcs8' })
const rawPublic = (key: ReturnType<typeof privateKey>, length: number) =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-length)

const ed25519 = (seed: Uint8Array) => privateKey('302e020100300506032b657004220420', seed)

/** Link secret, public key, and K of a drop, with X-Wing by hand. */
function linkOf(accountKey: Uint8Array, opaqueId: Uint8Array) {
  const secret = hkdf(accountKey, opaqueId, label('service/link-secret/1'), 16)
  const seed = hkdf(accountKey, opaqueId, label('service/drop-key/1'))
  const expanded = createHash('shake256', { outputLength: 96 }).update(seed).digest()
  const mlKem = privateKey('3054020100300b060960864801650304040204428040', expanded.subarray(0, 64))
  const x25519 = privateKey('302e020100300506032b656e04220420', expanded.subarray(64))
  const publicKey = Buffer.concat([rawPublic(mlKem, 1184), rawPublic(x25519, 32)])
  const keyOf = (kemCt: Buffer) => {
    const der = Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), kemCt.subarray(1088)])
    const theirs = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const agreed = diffieHellman({ privateKey: x25519, publicKey: theirs })
    const parts = [decapsulate(mlKem, kemCt.subarray(0, 1088)), agreed, kemCt.subarray(1088), publicKey.subarray(1184)]
    const input = Buffer.concat([...parts, Buffer.from('5c2e2f2f5e5c', 'hex')])
    const shared = createHash('sha3-256').update(input).digest()
    assert.equal(shared.toString('hex'), drop.shared_secret)
    const info = Buffer.concat([label('service/drop/1'), sha256(publicKey), sha256(kemCt)])
    return hkdf(Buffer.concat([shared, secret]), opaqueId, info)
  }
  return { secret, publicKey, keyOf }
}

describe('one whole account, with node:crypto alone', () => {
  const { signInKey, wrap } = passwordSecrets()
  const accountKey = open(bytes(registered.sealed_account_key), { key: wrap, purpose: 'account-key' }).content
  const opaqueId = fromHex(link.opaque_id)
  const { secret, publicKey, keyOf } = linkOf(accountKey, opaqueId)
  const albumId = uuidBytes(album.album_id)
  const fileId = uuidBytes(adopted.envelope.file_id)
  const albumKey = hkdf(accountKey, albumId, Buffer.concat([label('service/album/1'), Buffer.from('00000001', 'hex')]))

  it('goes from the password to the account key', () => {
    assert.equal(accountKey.toString('hex'), vectors.account_key)
  })

  it('goes from the recovery words to the account key', async () => {
    const recovery = await secretOfWords(vectors.recovery_words)
    const key = hkdf(recovery, none, label('service/recovery-wrap/1'))
    const { content } = open(bytes(registered.sealed_recovery_key), { key, purpose: 'account-key' })
    assert.ok(content.equals(accountKey))
    const recoveryKey = ed25519(hkdf(recovery, none, label('service/recovery-key/1')))
    assert.equal(rawPublic(recoveryKey, 32).toString('base64'), registered.recovery_key)
  })

  it('signs its registration with the sign-in key', () => {
    const { proof, ...members } = registered
    assert.equal(rawPublic(signInKey, 32).toString('base64'), proof.key)
    const encoded = Object.entries(members)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => {
        const length = Buffer.alloc(4)
        length.writeUInt32BE(`${value}`.length)
        return Buffer.concat([label(name), length, Buffer.from(`${value}`)])
      })
    const texts = ['service/proof/1', 'POST /v1/auth/register', vectors.server_id, proof.nonce]
    const message = Buffer.concat([...texts.map(label), sha256(...encoded)])
    assert.equal(sign(undefined, message, signInKey).toString('base64'), proof.signature)
  })

  it('opens the small secrets of album, link and device', () => {
    const name = open(bytes(album.sealed_name), { key: accountKey, purpose: 'album-name', context: albumId })
    assert.equal(name.content.toString(), album.name)
    const ofLink = open(bytes(link.sealed_label), { key: accountKey, purpose: 'link-label', context: opaqueId })
    assert.equal(ofLink.content.toString(), link.label)
    const kept = open(bytes(device.sealed_secret), { key: accountKey, purpose: 'device-secret' }).content
    assert.equal(kept.toString('hex'), device.secret)
    const macKey = hkdf(accountKey, uuidBytes(device.device_id), label('service/device/1'))
    const mac = createHmac('sha256', macKey).update(uuidBytes(device.device_id)).update(bytes(device.public_key))
    assert.equal(mac.digest('base64'), device.mac)
  })

  it('makes the address of the link, its title, and the verifier of its passphrase', () => {
    assert.equal(publicKey.toString('base64'), link.drop_pubkey)
    const keyHash = sha256(label('service/link/1'), Buffer.from('00000001', 'hex'), opaqueId, publicKey)
    const fragment = Buffer.concat([Buffer.of(1), secret, keyHash]).toString('base64url')
    assert.equal(link.address, `${vectors.server_id}/u/${link.opaque_id}#${fragment}`)
    const key = hkdf(secret, opaqueId, label('service/link-title/1'))
    const { header, content } = open(bytes(link.sealed_title), { key, purpose: 'link-title', context: opaqueId })
    assert.equal(content.length, 0)
    assert.ok(header.includes(link.title) && header.includes(link.message))
    const nonce = sha256(label('service/passphrase/2'), opaqueId, secret).subarray(0, 16)
    const costs = { parallelism: 1, tagLength: 32, memory: 65_536, passes: 3 }
    const verifier = argon2Sync('argon2id', { message: 'opensesame', nonce, ...costs })
    assert.equal(verifier.toString('base64'), link.passphrase_verifier)
  })

  it('opens the drop, the adopted asset and the uploaded one', () => {
    const sealed = Buffer.from(drop.sealed, 'hex')
    assert.equal(sha256(sealed).toString('hex'), drop.ciphertext_hash)
    const key = keyOf(bytes(drop.kem_ct))
    assert.equal(open(sealed, { key, purpose: 'original', context: opaqueId }).content.toString('hex'), drop.content)

    const wrapKey = hkdf(albumKey, fileId, label('service/asset-wrap/1'))
    const wrapped = Buffer.from(adopted.wrapped_key, 'hex')
    assert.ok(open(wrapped, { key: wrapKey, purpose: 'asset-key', context: fileId }).content.equals(key))
    const metadata = open(Buffer.from(adopted.metadata, 'hex'), { key, purpose: 'metadata', context: fileId })
    assert.ok(metadata.header.includes(adopted.metadata_header.name) && metadata.content.length === 0)

    const derived = hkdf(albumKey, fileId, label('service/asset/1'))
    assert.equal(derived.toString('hex'), uploaded.key)
    const own = open(Buffer.from(uploaded.sealed, 'hex'), { key: derived, purpose: 'original', context: fileId })
    assert.equal(own.content.toString('hex'), drop.content)
  })
})

describe('the same account, with this library', () => {
  const accountKey = fromHex(vectors.account_key)
  const opaqueId = fromHex(link.opaque_id)

  it('has this link, these words for its guests, and this device', async () => {
    const keys = linkKeysOf(accountKey, opaqueId)
    assert.equal(toHex(parseLink(link.address).fragment.linkSecret), toHex(keys.linkSecret))
    const { title, message } = link
    assert.deepEqual(await openLinkTitle({ linkSecret: keys.linkSecret, opaqueId }, fromBase64(link.sealed_title)), {
      title,
      message,
      from: undefined,
      questions: undefined,
      fileKinds: undefined,
    })
    const opened = await openSealedDevice(fromBase64(device.sealed_secret), accountKey)
    assert.deepEqual([opened.deviceId, toHex(opened.secret)], [device.device_id, device.secret])
  })

  for (const [name, asset, key] of [
    ['adopted', adopted, drop.key],
    ['uploaded', uploaded, uploaded.key],
  ] as const)
    it(`verifies the ${name} asset and opens its metadata`, async () => {
      const provenance = fromBase64(asset.provenance)
      const verify = verifiers
      const manifest = await verifyManifest({ provenance, publicKey: fromBase64(device.public_key), verify })
      assert.deepEqual({ ...manifest.envelope }, asset.envelope)
      assert.equal(manifest.hash, asset.provenance_hash)
      const assetId = decodeManifest(provenance).envelope.file_id
      const header = await openMetadata({ key: fromHex(key), assetId }, fromHex(asset.metadata))
      assert.deepEqual(header, asset.metadata_header)
      assert.equal(sha256(fromHex(asset.metadata)).toString('hex'), asset.envelope.metadata_blob_hash)
    })

  it('opens none of the wrong blobs in the place of the right one', async () => {
    const { wrap } = passwordSecrets()
    const recoveryWrap = hkdf(await secretOfWords(vectors.recovery_words), none, label('service/recovery-wrap/1'))
    const seals = {
      sealed_name: { key: accountKey, purpose: 'album-name', contextId: uuidBytes(album.album_id) },
      sealed_label: { key: accountKey, purpose: 'link-label', contextId: opaqueId },
      sealed_account_key: { key: wrap, purpose: 'account-key', contextId: NO_CONTEXT },
      sealed_recovery_key: { key: recoveryWrap, purpose: 'account-key', contextId: NO_CONTEXT },
    } as const
    assert.ok(vectors.invalid.length > 0)
    for (const { name, member, sealed } of vectors.invalid) {
      const seal = Object.entries(seals).find(([of]) => of === member)?.[1]
      assert.ok(seal, member)
      assert.match((await openSmallText(sealed, seal)).fault ?? 'it opened', /another key, purpose or context/, name)
    }
  })
})
