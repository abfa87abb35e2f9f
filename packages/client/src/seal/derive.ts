/**
 * Every key derivation of crypto suite 1: HKDF-SHA-512 (RFC 5869). Inputs are concatenated: ids as their raw 16 bytes,
 * numbers as 4 bytes big-endian, labels as ASCII followed by one zero byte. Keys have 32 bytes unless the function says
 * otherwise. Every function throws `RangeError` for an input of another length, because HKDF itself would accept a
 * short key.
 */

import { type Bytes, concatBytes, uint32be, utf8 } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import {
  BLOB_SECRET_BYTES,
  COMMITMENT_BYTES,
  HYBRID_PUBLIC_KEY_BYTES,
  ID_BYTES,
  KEM_CIPHERTEXT_BYTES,
  KEM_PUBLIC_KEY_BYTES,
  KEM_SHARED_SECRET_BYTES,
  KEY_BYTES,
  LINK_SECRET_BYTES,
  NONCE_PREFIX_BYTES,
  SALT_BYTES,
} from '@blindkeep/protocol/suites'
import { SERVICE } from '@blindkeep/protocol/wire'
import { expand, extract } from '@noble/hashes/hkdf.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { primitives } from '#primitives'

/** What a blob is for. The purpose is part of its stream key: bytes sealed for one never open as another. */
export const PURPOSES = [
  'original',
  'derivative',
  'metadata',
  'account-key',
  'asset-key',
  'album-name',
  'link-label',
  'link-title',
  'share-index',
  'share-name',
  'share-record',
  'device-secret',
  'session-name',
  'device-name',
  'passkey-name',
  'passkey-key',
  'channel-name',
  'find-index',
] as const
export type Purpose = (typeof PURPOSES)[number]

/** The zero byte keeps one label from being the beginning of another. */
function label(text: string): Bytes {
  return concatBytes(utf8(text), Uint8Array.of(0))
}

const serviceLabel = (name: string) => label(`${SERVICE}/${name}`)

interface Derivation {
  readonly ikm: Uint8Array
  readonly salt?: Uint8Array
  readonly info: Uint8Array
  readonly bytes?: number
}

function derive({ ikm, salt, info, bytes = KEY_BYTES }: Derivation): Bytes {
  return primitives.hkdfSha512(ikm, salt, info, bytes)
}

function requireLength(what: string, bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new RangeError(`${what} is ${length} bytes`)
  return bytes
}

const key = (what: string, bytes: Uint8Array) => requireLength(what, bytes, KEY_BYTES)
const id = (what: string, bytes: Uint8Array) => requireLength(what, bytes, ID_BYTES)

/**
 * Argon2id's salt for a password: the first 16 bytes of a SHA-256. The server chooses `salt`, but not the e-mail that
 * enters with it, so it cannot give two people one salt. `email` has the form of `normaliseEmail`.
 */
export function passwordSalt(email: string, salt: Uint8Array): Bytes {
  if (normaliseEmail(email) !== email) throw new RangeError('the e-mail is not normalised')
  const given = requireLength('salt', salt, SALT_BYTES)
  return sha256(concatBytes(serviceLabel('password/1'), label(email), given)).slice(0, SALT_BYTES)
}

/**
 * Argon2id's salt for a link's passphrase: 16 bytes of a SHA-256. The link secret never reaches a server, so a proof is
 * valid for this link alone.
 */
export function passphraseSalt(opaqueId: Uint8Array, secret: Uint8Array): Bytes {
  const ofLink = requireLength('link secret', secret, LINK_SECRET_BYTES)
  const parts = [serviceLabel('passphrase/2'), id('opaque_id', opaqueId), ofLink]
  return sha256(concatBytes(...parts)).slice(0, SALT_BYTES)
}

/** Seed of the Ed25519 key that proves the password. The server gets the public key, and keeps a hash of it. */
export function signInKeySeed(master: Uint8Array): Bytes {
  return derive({ ikm: key('master', master), info: serviceLabel('sign-in/1') })
}

/** The key that seals the account key under the password. */
export function accountWrapKey(master: Uint8Array): Bytes {
  return derive({ ikm: key('master', master), info: serviceLabel('account-wrap/1') })
}

/** Seals the account key under the recovery words; `recoverySecret`: the 32 bytes of the 24 words (BIP-39). */
export function recoveryWrapKey(recoverySecret: Uint8Array): Bytes {
  return derive({ ikm: key('recovery secret', recoverySecret), info: serviceLabel('recovery-wrap/1') })
}

/** Seed of the Ed25519 key that proves the recovery words. */
export function recoveryKeySeed(recoverySecret: Uint8Array): Bytes {
  return derive({ ikm: key('recovery secret', recoverySecret), info: serviceLabel('recovery-key/1') })
}

/**
 * What an authenticator is asked to evaluate with WebAuthn's PRF extension: the same everywhere, as the browser binds
 * the passkey to the host, and each passkey has a function of its own.
 */
export const PASSKEY_INPUT: Bytes = sha256(serviceLabel('passkey/2'))

/** Seed of the Ed25519 key that proves the passkey; `output` is what the authenticator gave for `PASSKEY_INPUT`. */
export function passkeySignInSeed(output: Uint8Array): Bytes {
  return derive({ ikm: key('output of the passkey', output), info: serviceLabel('passkey-sign-in/1') })
}

/** The key that seals the account key under a passkey. */
export function passkeyWrapKey(output: Uint8Array): Bytes {
  return derive({ ikm: key('output of the passkey', output), info: serviceLabel('passkey-wrap/1') })
}

/** Seed of a link's X-Wing key pair. */
export function dropKeySeed(accountKey: Uint8Array, opaqueId: Uint8Array): Bytes {
  const salt = id('opaque_id', opaqueId)
  return derive({ ikm: key('account key', accountKey), salt, info: serviceLabel('drop-key/1') })
}

/** 16 bytes in the fragment of a link; the server never sees them. */
export function linkSecret(accountKey: Uint8Array, opaqueId: Uint8Array): Bytes {
  const salt = id('opaque_id', opaqueId)
  return derive({
    ikm: key('account key', accountKey),
    salt,
    info: serviceLabel('link-secret/1'),
    bytes: LINK_SECRET_BYTES,
  })
}

/** The key of what the owner says to a link's guests. All who have the link derive it; the server cannot. */
export function linkTitleKey(secret: Uint8Array, opaqueId: Uint8Array): Bytes {
  const ikm = requireLength('link secret', secret, LINK_SECRET_BYTES)
  return derive({ ikm, salt: id('opaque_id', opaqueId), info: serviceLabel('link-title/1') })
}

/**
 * Argon2id's salt for the passphrase of a share: 16 bytes. It follows from the share key, so a person without the
 * address can neither test a passphrase nor prepare for it.
 */
export function sharePassphraseSalt(shareKey: Uint8Array, opaqueId: Uint8Array): Bytes {
  const ikm = key('share key', shareKey)
  return derive({ ikm, salt: id('opaque_id', opaqueId), info: serviceLabel('share-salt/1'), bytes: SALT_BYTES })
}

interface SharePassphraseInputs {
  /** 32 bytes, of the address. */
  readonly shareKey: Uint8Array
  /** 32 bytes: what Argon2id makes of the passphrase. */
  readonly stretched: Uint8Array
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
}

/** What the server is sent and compares. Nothing else follows from it. */
export function sharePassphraseProof(inputs: SharePassphraseInputs): Bytes {
  return ofSharePassphrase(inputs, 'share-proof/1')
}

/** The key that seals the index of a share with a passphrase, in place of the share key. */
export function sharePassphraseKey(inputs: SharePassphraseInputs): Bytes {
  return ofSharePassphrase(inputs, 'share-key/1')
}

function ofSharePassphrase({ shareKey, stretched, opaqueId }: SharePassphraseInputs, name: string): Bytes {
  const ikm = concatBytes(key('share key', shareKey), key('stretched passphrase', stretched))
  return derive({ ikm, salt: id('opaque_id', opaqueId), info: serviceLabel(name) })
}

/** The key of an album in one epoch; `amkVersion` starts at 1. */
export function albumKey(accountKey: Uint8Array, albumId: Uint8Array, amkVersion: number): Bytes {
  const info = concatBytes(serviceLabel('album/1'), uint32be(amkVersion))
  return derive({ ikm: key('account key', accountKey), salt: id('album_id', albumId), info })
}

/** K of an asset with `key_mode` `derived`. */
export function assetKey(ofAlbum: Uint8Array, fileId: Uint8Array): Bytes {
  return derive({ ikm: key('album key', ofAlbum), salt: id('file_id', fileId), info: serviceLabel('asset/1') })
}

/** The key that seals K of an adopted drop, whose `key_mode` is `wrapped`. */
export function assetWrapKey(ofAlbum: Uint8Array, fileId: Uint8Array): Bytes {
  return derive({ ikm: key('album key', ofAlbum), salt: id('file_id', fileId), info: serviceLabel('asset-wrap/1') })
}

interface DropKeyInputs {
  /** From X-Wing, 32 bytes. */
  readonly sharedSecret: Uint8Array
  /** 16 bytes. */
  readonly linkSecret: Uint8Array
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** 1216 bytes. */
  readonly dropPublicKey: Uint8Array
  /** 1120 bytes. */
  readonly kemCt: Uint8Array
}

/**
 * K of a drop. Depends on the link secret as well as on the shared secret: a party that has only the public key, such
 * as the server, cannot make a drop that opens.
 */
export function dropKey(inputs: DropKeyInputs): Bytes {
  const sharedSecret = requireLength('shared secret', inputs.sharedSecret, KEM_SHARED_SECRET_BYTES)
  const secret = requireLength('link secret', inputs.linkSecret, LINK_SECRET_BYTES)
  const publicKey = requireLength('drop_pubkey', inputs.dropPublicKey, KEM_PUBLIC_KEY_BYTES)
  const kemCt = requireLength('kem_ct', inputs.kemCt, KEM_CIPHERTEXT_BYTES)
  return derive({
    ikm: concatBytes(sharedSecret, secret),
    salt: id('opaque_id', inputs.opaqueId),
    info: concatBytes(serviceLabel('drop/1'), sha256(publicKey), sha256(kemCt)),
  })
}

/** Key of the MAC by which the clients of an account recognize their own devices; a server cannot invent one. */
export function deviceMacKey(accountKey: Uint8Array, deviceId: Uint8Array): Bytes {
  const salt = id('device_id', deviceId)
  return derive({ ikm: key('account key', accountKey), salt, info: serviceLabel('device/1') })
}

/** HMAC-SHA-256 (RFC 2104) under the device's MAC key over device_id ‖ public_key (1984 bytes); 32 bytes. */
export function deviceMac(accountKey: Uint8Array, deviceId: Uint8Array, publicKey: Uint8Array): Bytes {
  const record = concatBytes(deviceId, requireLength('public_key', publicKey, HYBRID_PUBLIC_KEY_BYTES))
  return primitives.hmacSha256(deviceMacKey(accountKey, deviceId), record)
}

/** 16 zero bytes: the context of a blob without an id, such as the sealed account key. */
export const NO_CONTEXT: Readonly<Uint8Array> = new Uint8Array(ID_BYTES)

interface StreamContext {
  /** K, 32 bytes. */
  readonly key: Uint8Array
  /** 16 bytes, random for every blob. */
  readonly salt: Uint8Array
  readonly purpose: Purpose
  /** The file_id, album_id or opaque_id as 16 raw bytes, or `NO_CONTEXT`. */
  readonly contextId: Uint8Array
}

/** The secrets of one blob: AES-256 key, 7 nonce bytes before the counter, 32 bytes that commit to the key. */
export interface StreamSecrets {
  readonly key: Bytes
  readonly noncePrefix: Bytes
  readonly commitment: Bytes
}

const STREAM_BYTES = KEY_BYTES + NONCE_PREFIX_BYTES + COMMITMENT_BYTES

export function streamSecrets({ key: blobKey, salt, purpose, contextId }: StreamContext): StreamSecrets {
  const [ikm, ownSalt] = [key('key', blobKey), requireLength('salt', salt, SALT_BYTES)]
  return partedStream(derive({ ikm, salt: ownSalt, info: streamInfo(purpose, contextId), bytes: STREAM_BYTES }))
}

/**
 * The secret of one blob, 64 bytes: the first half of the HKDF of `streamSecrets`. It opens this blob, and none that K
 * has sealed under another salt: metadata, thumbnails, other versions of the file. K does not follow from it.
 */
export function blobSecret(blobKey: Uint8Array, salt: Uint8Array): Bytes {
  return new Uint8Array(extract(sha512, key('key', blobKey), requireLength('salt', salt, SALT_BYTES)))
}

/** The same as `streamSecrets`, from the secret of the blob. */
export function secretsOfBlob(
  secret: Uint8Array,
  { purpose, contextId }: Pick<StreamContext, 'purpose' | 'contextId'>,
): StreamSecrets {
  requireLength('secret of a blob', secret, BLOB_SECRET_BYTES)
  return partedStream(new Uint8Array(expand(sha512, secret, streamInfo(purpose, contextId), STREAM_BYTES)))
}

function streamInfo(purpose: Purpose, contextId: Uint8Array): Bytes {
  return concatBytes(serviceLabel('stream/1'), label(purpose), id('context id', contextId))
}

function partedStream(secrets: Bytes): StreamSecrets {
  const prefixEnd = KEY_BYTES + NONCE_PREFIX_BYTES
  return {
    key: secrets.slice(0, KEY_BYTES),
    noncePrefix: secrets.slice(KEY_BYTES, prefixEnd),
    commitment: secrets.slice(prefixEnd),
  }
}

/** 16 bytes for the id of the copy of an asset that moves: the same for each client of the account, and each try. */
export function movedAssetId(
  accountKey: Uint8Array,
  moved: {
    readonly assetId: Uint8Array
    readonly albumId: Uint8Array
    /** SHA-256 of its provenance blob. */
    readonly provenanceHash: Uint8Array
    /** From 0 on: copies that were deleted before. */
    readonly turn: number
  },
): Bytes {
  const ids = [
    id('asset_id', moved.assetId),
    id('album_id', moved.albumId),
    key('provenance hash', moved.provenanceHash),
  ]
  const info = concatBytes(serviceLabel('moved-asset/1'), ...ids, uint32be(moved.turn))
  return derive({ ikm: key('account key', accountKey), info, bytes: ID_BYTES })
}
