/** One whole account: from a password to an opened file, with everything that the server stores on the way. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type Bytes, concatBytes, fromHex, toBase64, toHex, utf8 } from '@blindkeep/protocol/bytes'
import {
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseProtocolVersion,
  parseSha256Hex,
} from '@blindkeep/protocol/ids'
import { assembleManifest, manifestHash, manifestToBeSigned } from '@blindkeep/protocol/manifest'
import { operations } from '@blindkeep/protocol/operations'
import { proofMessage } from '@blindkeep/protocol/proof'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_kem768_x25519 } from '@noble/post-quantum/hybrid.js'
import { openDevice } from '../../packages/client/src/account/device.ts'
import { accountKeySeal } from '../../packages/client/src/account/newPassword.ts'
import { wordsOfSecret } from '../../packages/client/src/account/recoveryWords.ts'
import { linkKeysOf } from '../../packages/client/src/drops/dropKeys.ts'
import { formatLink } from '../../packages/client/src/drops/linkAddress.ts'
import { sealLinkTitle } from '../../packages/client/src/drops/linkTitle.ts'
import { publicKeyOf } from '../../packages/client/src/http/proof.ts'
import { nodeEnvironment } from '../../packages/client/src/node/nodeEnvironment.ts'
import * as derive from '../../packages/client/src/seal/derive.ts'
import type { Header } from '../../packages/client/src/seal/header.ts'
import { normalPassphrase } from '../../packages/client/src/seal/passphraseSpellings.ts'
import { createSealer, type SealerOptions, sealSmall } from '../../packages/client/src/seal/seal.ts'
import * as inputs from './inputs.ts'
import { createTestKey } from './testKey.ts'

const { ACCOUNT_KEY, ALBUM_ID, DEVICE_ID, EMAIL, FILE_ID, known, OPAQUE_ID, RECOVERY_SECRET, rising, SALT } = inputs
const OPAQUE_HEX = toHex(OPAQUE_ID)
const PASSWORD = 'ﬁne Paßwörter, 12 Zeichen'
const PASSPHRASE = 'Open Sesame'
const CONTENT = utf8('Hello, Ada.\n')
const HEADER = { size: CONTENT.length, name: 'hello.txt', type: 'text/plain', note: 'for you', sender: 'Bob' }
const ACCOUNT_ID = known(parseAccountId('0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e04'))
const uuids = {
  album: known(parseAlbumId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e01')),
  adopted: known(parseAssetId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e02')),
  device: known(parseDeviceId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e03')),
}
const DEVICE_KEY = createTestKey(0x80)

/** Every blob has the same salt here. A client takes a new one for each. */
async function sealed(options: Omit<SealerOptions, 'salt'>, content: Uint8Array = new Uint8Array(0)) {
  const sealer = await createSealer({ ...options, salt: SALT })
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, content))
}

export async function accountVectors() {
  const argonSalt = derive.passwordSalt(EMAIL, SALT)
  const master = await nodeEnvironment.masterOfPassword(PASSWORD, argonSalt)
  const drop = await guestsDrop()
  return {
    email_typed: inputs.EMAIL_TYPED,
    email: EMAIL,
    password_typed: PASSWORD,
    server_id: inputs.SERVER_ID,
    account_id: ACCOUNT_ID,
    salt: toHex(SALT),
    /** What the client sends at registration, as on the wire. */
    registered: await registration(master),
    recovery_words: (await wordsOfSecret(RECOVERY_SECRET)).join(' '),
    account_key: toHex(ACCOUNT_KEY),
    device: await deviceVector(),
    album: {
      album_id: uuids.album,
      name: 'Kept – für später',
      sealed_name: toBase64(await named('album-name', ALBUM_ID, 'Kept – für später')),
    },
    link: await linkVector(),
    drop: drop.described,
    adopted: await adoptedVector(drop),
    uploaded: await uploadedVector(),
    invalid: await invalid(),
  }
}

async function registration(master: Bytes) {
  const underWords = { key: derive.recoveryWrapKey(RECOVERY_SECRET), purpose: 'account-key' } as const
  const members = {
    email: EMAIL,
    kdf_version: 1,
    salt: toBase64(SALT),
    sealed_account_key: toBase64(await sealSmall(ACCOUNT_KEY, { ...accountKeySeal(master), salt: SALT })),
    sealed_recovery_key: toBase64(
      await sealSmall(ACCOUNT_KEY, { ...underWords, contextId: derive.NO_CONTEXT, salt: SALT }),
    ),
    recovery_key: publicKeyOf(derive.recoveryKeySeed(RECOVERY_SECRET)),
  }
  const seed = derive.signInKeySeed(master)
  const nonce = toBase64(rising(0x08, 56))
  const message = proofMessage({ operation: operations.register, serverId: inputs.SERVER_ID, nonce, members })
  return { ...members, proof: { key: publicKeyOf(seed), nonce, signature: toBase64(ed25519.sign(message, seed)) } }
}

const named = (purpose: 'album-name' | 'link-label', contextId: Uint8Array, text: string) =>
  sealSmall(utf8(text), { key: ACCOUNT_KEY, purpose, contextId, salt: SALT })

async function deviceVector() {
  const secret = concatBytes(Uint8Array.of(1), DEVICE_ID, rising(0x80, 64))
  assert.equal(toHex(openDevice(secret).publicKey), toHex(DEVICE_KEY.publicKey))
  const seal = { key: ACCOUNT_KEY, purpose: 'device-secret', contextId: derive.NO_CONTEXT, salt: SALT } as const
  return {
    device_id: uuids.device,
    secret: toHex(secret),
    sealed_secret: toBase64(await sealSmall(secret, seal)),
    public_key: toBase64(DEVICE_KEY.publicKey),
    mac: toBase64(derive.deviceMac(ACCOUNT_KEY, DEVICE_ID, DEVICE_KEY.publicKey)),
  }
}

async function linkVector() {
  const { dropPublicKey, fragment, linkSecret } = linkKeysOf(ACCOUNT_KEY, OPAQUE_ID)
  const [title, message] = ['Photos of the wedding', 'Until Sunday, please.']
  const passphraseSalt = derive.passphraseSalt(OPAQUE_ID, linkSecret)
  const verifier = await nodeEnvironment.passphraseProof(normalPassphrase(PASSPHRASE), passphraseSalt)
  return {
    opaque_id: OPAQUE_HEX,
    address: formatLink({ baseUrl: inputs.SERVER_ID, opaqueId: OPAQUE_HEX, fragment }),
    drop_pubkey: toBase64(dropPublicKey),
    passphrase_typed: PASSPHRASE,
    passphrase_verifier: toBase64(verifier),
    label: 'for the office',
    sealed_label: toBase64(await named('link-label', OPAQUE_ID, 'for the office')),
    title,
    message,
    sealed_title: toBase64(await sealLinkTitle({ linkSecret, opaqueId: OPAQUE_ID, salt: SALT }, { title, message })),
  }
}

async function guestsDrop() {
  const { dropPublicKey, linkSecret } = linkKeysOf(ACCOUNT_KEY, OPAQUE_ID)
  const randomness = rising(0x10, 64)
  const { cipherText: kemCt, sharedSecret } = ml_kem768_x25519.encapsulate(dropPublicKey, randomness)
  const key = derive.dropKey({ sharedSecret, linkSecret, opaqueId: OPAQUE_ID, dropPublicKey, kemCt })
  const bytes = await sealed({ key, purpose: 'original', contextId: OPAQUE_ID, header: HEADER, kemCt }, CONTENT)
  return {
    key,
    bytes,
    described: {
      encapsulation_randomness: toHex(randomness),
      shared_secret: toHex(sharedSecret),
      kem_ct: toBase64(kemCt),
      key: toHex(key),
      header: HEADER,
      content: toHex(CONTENT),
      sealed: toHex(bytes),
      ciphertext_hash: hashOf(bytes),
    },
  }
}

async function adoptedVector({ key, bytes }: Awaited<ReturnType<typeof guestsDrop>>) {
  const wrap = derive.assetWrapKey(derive.albumKey(ACCOUNT_KEY, ALBUM_ID, 1), FILE_ID)
  const seal = { key: wrap, purpose: 'asset-key', contextId: FILE_ID, salt: SALT } as const
  return assetVector({ key, original: bytes, wrappedKey: await sealSmall(key, seal) })
}

/** The same file, as the owner's own. */
async function uploadedVector() {
  const key = derive.assetKey(derive.albumKey(ACCOUNT_KEY, ALBUM_ID, 1), FILE_ID)
  const original = await sealed({ key, purpose: 'original', contextId: FILE_ID, header: HEADER }, CONTENT)
  return { key: toHex(key), sealed: toHex(original), ...(await assetVector({ key, original })) }
}

interface AssetInputs {
  readonly key: Uint8Array
  readonly original: Uint8Array
  readonly wrappedKey?: Uint8Array
}

async function assetVector({ key, original, wrappedKey }: AssetInputs) {
  const facts: Header = { ...HEADER, size: 0 }
  const metadata = await sealed({ key, purpose: 'metadata', contextId: FILE_ID, header: facts })
  const hash = hashOf(original)
  const envelope: ManifestEnvelope = {
    crypto_suite_id: 1,
    protocol_version: known(parseProtocolVersion('2026-11-01')),
    album_id: uuids.album,
    file_id: uuids.adopted,
    amk_version: 1,
    ciphertext_hash: hash,
    plaintext_size: CONTENT.length,
    chunk_size: 1_048_560,
    key_mode: wrappedKey === undefined ? 'derived' : 'wrapped',
    metadata_blob_hash: hashOf(metadata),
    original_blob_hash: hash,
    created_by_user: ACCOUNT_ID,
    created_by_device: uuids.device,
    client_version: 'vectors 1',
    timestamp: '2026-11-01T10:20:30.456Z',
    action: 'create',
  }
  const toBeSigned = manifestToBeSigned({ envelope, wrappedKey }, DEVICE_KEY.keyId)
  const provenance = assembleManifest(toBeSigned, DEVICE_KEY.sign(toBeSigned))
  return {
    envelope,
    ...(wrappedKey === undefined ? {} : { wrapped_key: toHex(wrappedKey) }),
    metadata_header: facts,
    metadata: toHex(metadata),
    provenance: toBase64(provenance),
    provenance_hash: manifestHash(provenance),
  }
}

const hashOf = (bytes: Uint8Array) => known(parseSha256Hex(createHash('sha256').update(bytes).digest('hex')))

/** What a server could hand out in place of the right blob. None of it opens where it is asked for. */
async function invalid() {
  const label = toBase64(await named('link-label', OPAQUE_ID, 'for the office'))
  const ofOther = toBase64(await named('album-name', FILE_ID, 'Kept'))
  const underAccount = { key: ACCOUNT_KEY, contextId: derive.NO_CONTEXT, salt: SALT }
  const known32 = toBase64(await sealSmall(fromHex('11'.repeat(32)), { ...underAccount, purpose: 'account-key' }))
  return [
    { name: 'the label of a link as the name of an album', member: 'sealed_name', sealed: label },
    { name: 'the name of another album', member: 'sealed_name', sealed: ofOther },
    { name: 'a name as the label of a link', member: 'sealed_label', sealed: ofOther },
    { name: 'an account key under the account key', member: 'sealed_account_key', sealed: known32 },
    { name: 'the same for the recovery words', member: 'sealed_recovery_key', sealed: known32 },
  ]
}
