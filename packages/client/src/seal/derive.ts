/**
 * Every derivation of crypto suite 1, HKDF-SHA-512 (RFC 5869) throughout. Ids enter as their raw 16 bytes, numbers as 4 bytes big-endian,
 * labels as ASCII followed by one zero byte, and fields are just concatenated. Keys in and out are 32 bytes unless said.
 * All functions throw `RangeError` for inputs of another length: a short key would derive without complaint otherwise.
 */

import { type Bytes, concatBytes, uint32be, utf8 } from '@blindkeep/protocol/bytes'
import {
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
import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'

/** What a sealed blob is for; enters its stream key, so that bytes sealed for one purpose never open as another. */
export const PURPOSES = [
  'original',
  'derivative',
  'metadata',
  'account-key',
  'asset-key',
  'album-name',
  'link-label',
  'share-index',
  'device-secret',
] as const
export type Purpose = (typeof PURPOSES)[number]

/** ASCII and its zero byte, which keeps one label from being the start of another. */
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
  return hkdf(sha512, ikm, salt, info, bytes)
}

function requireLength(what: string, bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new RangeError(`${what} is ${length} bytes`)
  return bytes
}

const key = (what: string, bytes: Uint8Array) => requireLength(what, bytes, KEY_BYTES)
const id = (what: string, bytes: Uint8Array) => requireLength(what, bytes, ID_BYTES)

/** What the server gets instead of the password, base64. */
export function authenticationSecret(master: Uint8Array): Bytes {
  return derive({ ikm: key('master', master), info: serviceLabel('auth/1') })
}

/** Seals the account key under the password. */
export function accountWrapKey(master: Uint8Array): Bytes {
  return derive({ ikm: key('master', master), info: serviceLabel('account-wrap/1') })
}

/** Seals the account key under the 32 bytes behind the 24 recovery words (BIP-39). */
export function recoveryWrapKey(recoverySecret: Uint8Array): Bytes {
  return derive({ ikm: key('recovery secret', recoverySecret), info: serviceLabel('recovery-wrap/1') })
}

/** Shows the server that the recovery words are known. */
export function recoveryProof(recoverySecret: Uint8Array): Bytes {
  return derive({ ikm: key('recovery secret', recoverySecret), info: serviceLabel('recovery-proof/1') })
}

/** Seed of a link's X-Wing key pair. */
export function dropKeySeed(accountKey: Uint8Array, opaqueId: Uint8Array): Bytes {
  const salt = id('opaque_id', opaqueId)
  return derive({ ikm: key('account key', accountKey), salt, info: serviceLabel('drop-key/1') })
}

/** 16 bytes that a link's fragment carries and the server never sees. */
export function linkSecret(accountKey: Uint8Array, opaqueId: Uint8Array): Bytes {
  const salt = id('opaque_id', opaqueId)
  return derive({
    ikm: key('account key', accountKey),
    salt,
    info: serviceLabel('link-secret/1'),
    bytes: LINK_SECRET_BYTES,
  })
}

/** An album's key of one epoch; `amkVersion` is 1 and up. */
export function albumKey(accountKey: Uint8Array, albumId: Uint8Array, amkVersion: number): Bytes {
  const info = concatBytes(serviceLabel('album/1'), uint32be(amkVersion))
  return derive({ ikm: key('account key', accountKey), salt: id('album_id', albumId), info })
}

/** K of an asset whose `key_mode` is `derived`. */
export function assetKey(ofAlbum: Uint8Array, fileId: Uint8Array): Bytes {
  return derive({ ikm: key('album key', ofAlbum), salt: id('file_id', fileId), info: serviceLabel('asset/1') })
}

/** Seals the K of an adopted drop, whose `key_mode` is `wrapped`. */
export function assetWrapKey(ofAlbum: Uint8Array, fileId: Uint8Array): Bytes {
  return derive({ ikm: key('album key', ofAlbum), salt: id('file_id', fileId), info: serviceLabel('asset-wrap/1') })
}

export interface DropKeyInputs {
  /** X-Wing's, 32 bytes. */
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

/** K of a drop. It takes the link secret besides the shared secret: whoever has the public key alone, the server too, can't make one that opens. */
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

/** Key of the MAC by which an account's clients tell their own devices from ones that a server invented. */
export function deviceMacKey(accountKey: Uint8Array, deviceId: Uint8Array): Bytes {
  const salt = id('device_id', deviceId)
  return derive({ ikm: key('account key', accountKey), salt, info: serviceLabel('device/1') })
}

/** HMAC-SHA-256 (RFC 2104) under the device's MAC key over device_id ‖ public_key (1984 bytes); 32 bytes. */
export function deviceMac(accountKey: Uint8Array, deviceId: Uint8Array, publicKey: Uint8Array): Bytes {
  const record = concatBytes(deviceId, requireLength('public_key', publicKey, HYBRID_PUBLIC_KEY_BYTES))
  return hmac(sha256, deviceMacKey(accountKey, deviceId), record)
}

/** 16 zero bytes, for what is sealed and has no id: the account key. */
export const NO_CONTEXT: Readonly<Uint8Array> = new Uint8Array(ID_BYTES)

export interface StreamContext {
  /** K, 32 bytes. */
  readonly key: Uint8Array
  /** 16 bytes, new for every blob. */
  readonly salt: Uint8Array
  readonly purpose: Purpose
  /** The file_id, album_id or opaque_id as 16 raw bytes, or `NO_CONTEXT`. */
  readonly contextId: Uint8Array
}

/** What seals one blob: the AES-256 key, the 7 bytes before a nonce's counter, and 32 bytes that commit to the key. */
export interface StreamSecrets {
  readonly key: Bytes
  readonly noncePrefix: Bytes
  readonly commitment: Bytes
}

export function streamSecrets({ key: blobKey, salt, purpose, contextId }: StreamContext): StreamSecrets {
  const secrets = derive({
    ikm: key('key', blobKey),
    salt: requireLength('salt', salt, SALT_BYTES),
    info: concatBytes(serviceLabel('stream/1'), label(purpose), id('context id', contextId)),
    bytes: KEY_BYTES + NONCE_PREFIX_BYTES + COMMITMENT_BYTES,
  })
  const prefixEnd = KEY_BYTES + NONCE_PREFIX_BYTES
  return {
    key: secrets.slice(0, KEY_BYTES),
    noncePrefix: secrets.slice(KEY_BYTES, prefixEnd),
    commitment: secrets.slice(prefixEnd),
  }
}
