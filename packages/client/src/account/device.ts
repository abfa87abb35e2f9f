/** The signing key pair of one device. The server gets the public keys; the private keys never leave the device. */
import { type Bytes, concatBytes, uuidBytes } from '@blindkeep/protocol/bytes'
import type { CoseToBeSigned } from '@blindkeep/protocol/cose'
import { type DeviceId, type KeyId, parseDeviceId } from '@blindkeep/protocol/ids'
import { joinHybridPublicKey, keyId } from '@blindkeep/protocol/keys'
import { assembleManifest, manifestToBeSigned, type SignedManifest } from '@blindkeep/protocol/manifest'
import { ID_BYTES, KEY_BYTES } from '@blindkeep/protocol/suites'
import { primitives } from '#primitives'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { NO_CONTEXT } from '../seal/derive.ts'
import { newId, uuidOf } from '../seal/newId.ts'
import { openSmall } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'

/** A private key of Ed25519 (RFC 8032) and a seed of ML-DSA-65 (FIPS 204, algorithm 1) have 32 random bytes each. */
const SEED_BYTES = KEY_BYTES
const SECRET_VERSION = 1
/** version ‖ device_id ‖ Ed25519 seed ‖ ML-DSA-65 seed. */
const SECRET_BYTES = 1 + ID_BYTES + 2 * SEED_BYTES

export interface Device {
  readonly deviceId: DeviceId
  /** Ed25519 ‖ ML-DSA-65, 1984 bytes. */
  readonly publicKey: Bytes
  /** SHA-256 of `publicKey`; the signatures of a manifest name it. */
  readonly keyId: KeyId
  /** 81 bytes, SECRET: `openDevice` restores the device from it. It signs as this device and opens nothing. */
  readonly secret: Bytes
}

/** A new device with random keys. It may write for an account after `Owner.addDevice`. */
export function newDevice(environment: Pick<Environment, 'randomBytes'> = systemEnvironment): Device {
  const deviceId = newId(environment, parseDeviceId)
  const seeds = environment.randomBytes(2 * SEED_BYTES)
  return openDevice(concatBytes(Uint8Array.of(SECRET_VERSION), uuidBytes(deviceId), seeds))
}

/** Restores a device from its `secret`. Throws `RangeError` for other bytes. */
export function openDevice(secret: Uint8Array): Device {
  if (secret.length !== SECRET_BYTES || secret[0] !== SECRET_VERSION)
    throw new RangeError('not the secret of a device, or one of a newer client')
  const deviceId = parseDeviceId(uuidOf(secret.subarray(1, 1 + ID_BYTES)))
  if (deviceId === undefined) throw new Error('16 bytes always spell a UUID')
  const { ed25519Seed, mlDsa65Seed } = seedsOf(secret)
  const publicKey = joinHybridPublicKey({
    ed25519: primitives.ed25519.publicKeyOf(ed25519Seed),
    mlDsa65: primitives.mlDsa65.publicKeyOf(mlDsa65Seed),
  })
  return { deviceId, publicKey, keyId: keyId(publicKey), secret: Uint8Array.from(secret) }
}

/**
 * Seals the secret under the account key, so that it can be kept where others can read it, such as a browser's storage
 * after a sign-out. The next sign-in to the same account continues with the same device.
 */
export function sealDevice({ secret }: Device, accountKey: Bytes): Promise<Bytes> {
  return sealSmall(secret, deviceSeal(accountKey))
}

/** Restores a device from `sealDevice`. Throws `SealError` for another account's, `RangeError` for other content. */
export async function openSealedDevice(sealed: Uint8Array, accountKey: Bytes): Promise<Device> {
  return openDevice(await openSmall(sealed, deviceSeal(accountKey)))
}

/** The device's id is inside the sealed bytes, so the context cannot contain it. */
function deviceSeal(accountKey: Bytes) {
  return { key: accountKey, purpose: 'device-secret', contextId: NO_CONTEXT } as const
}

function seedsOf(secret: Uint8Array): { readonly ed25519Seed: Bytes; readonly mlDsa65Seed: Bytes } {
  const start = 1 + ID_BYTES
  return {
    ed25519Seed: Uint8Array.from(secret.subarray(start, start + SEED_BYTES)),
    mlDsa65Seed: Uint8Array.from(secret.subarray(start + SEED_BYTES)),
  }
}

/**
 * The provenance blob: the manifest with both signatures of the device. Takes some tens of milliseconds. Throws
 * `ManifestError` for a manifest that a reader would refuse, and `RangeError` for one that names another device as
 * its creator.
 */
export function signManifest(device: Device, manifest: SignedManifest): Bytes {
  if (manifest.envelope.created_by_device !== device.deviceId)
    throw new RangeError('a device signs only manifests that name it as their creator')
  const toBeSigned = manifestToBeSigned(manifest, device.keyId)
  return assembleManifest(toBeSigned, signaturesOf(device, toBeSigned))
}

function signaturesOf({ secret }: Device, toBeSigned: CoseToBeSigned) {
  const { ed25519Seed, mlDsa65Seed } = seedsOf(secret)
  return {
    ed25519: primitives.ed25519.sign(toBeSigned.ed25519, ed25519Seed),
    mlDsa65: primitives.mlDsa65.sign(toBeSigned.mlDsa65, mlDsa65Seed),
  }
}
