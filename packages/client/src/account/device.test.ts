import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAccountId, parseAssetId, parseProtocolVersion, parseSha256Hex } from '@blindkeep/protocol/ids'
import { decodeManifest, ManifestError, verifyManifest } from '@blindkeep/protocol/manifest'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import packageFile from '../../package.json' with { type: 'json' }
import { systemEnvironment } from '../ground/environment.ts'
import { newId } from '../seal/newId.ts'
import { SealError } from '../seal/sealError.ts'
import { verifiers } from '../seal/signatures.ts'
import { SendError } from '../send/sendError.ts'
import { CLIENT_VERSION, protocolVersionFor } from '../upload/clientVersion.ts'
import { type Device, newDevice, openDevice, openSealedDevice, sealDevice, signManifest } from './device.ts'

function known<Value>(value: Value | undefined): Value {
  assert.ok(value !== undefined)
  return value
}

const hash = known(parseSha256Hex('a'.repeat(64)))

function envelopeBy({ deviceId }: Device): ManifestEnvelope {
  return {
    crypto_suite_id: 1,
    protocol_version: known(parseProtocolVersion('2026-01-01')),
    file_id: newId(systemEnvironment, parseAssetId),
    amk_version: 1,
    ciphertext_hash: hash,
    plaintext_size: 1,
    chunk_size: 1_048_560,
    key_mode: 'derived',
    created_by_user: newId(systemEnvironment, parseAccountId),
    created_by_device: deviceId,
    client_version: 'test',
    timestamp: '2026-03-01T00:00:00.000Z',
    action: 'create',
  }
}

describe('a device', () => {
  const device = newDevice()

  it('is restored from its secret', () => {
    assert.equal(device.secret.length, 81)
    assert.equal(device.publicKey.length, 1984)
    assert.deepEqual(openDevice(device.secret), device)
  })

  it('signs a manifest that verifies under its own key only', async () => {
    const envelope = envelopeBy(device)
    const provenance = signManifest(openDevice(device.secret), { envelope })
    const read = await verifyManifest({ provenance, publicKey: device.publicKey, verify: verifiers })
    assert.deepEqual(read.envelope, envelope)
    assert.equal(decodeManifest(provenance).keyId, device.keyId)
    await assert.rejects(
      verifyManifest({ provenance, publicKey: newDevice().publicKey, verify: verifiers }),
      ManifestError,
    )
  })

  it('refuses to sign a manifest that names another device as its creator', () => {
    assert.throws(() => signManifest(device, { envelope: envelopeBy(newDevice()) }), RangeError)
  })

  it('is restored from its seal under the same account key only', async () => {
    const accountKey = systemEnvironment.randomBytes(32)
    const sealed = await sealDevice(device, accountKey)
    assert.deepEqual(await openSealedDevice(sealed, accountKey), device)
    await assert.rejects(openSealedDevice(sealed, systemEnvironment.randomBytes(32)), SealError)
  })

  it('is not restored from any other bytes', () => {
    const { secret } = device
    const otherVersion = secret.with(0, 2)
    for (const bytes of [new Uint8Array(0), secret.slice(1), new Uint8Array([...secret, 0]), otherVersion])
      assert.throws(() => openDevice(bytes), RangeError)
  })
})

describe('the writer in a manifest', () => {
  it('has the name and release of this package', () => {
    assert.equal(CLIENT_VERSION, `blindkeep-client ${packageFile.version}`)
  })

  it('names the protocol version that this client speaks, and no other one that the server accepts', () => {
    const version = (text: string) => known(parseProtocolVersion(text))
    const accepts = (min: string, max: string) =>
      protocolVersionFor({ protocol_version: { min: version(min), max: version(max) } })
    assert.equal(accepts('2026-01-01', '2031-01-01'), '2026-11-01')
    assert.equal(accepts('2026-11-01', '2026-11-01'), '2026-11-01')
    for (const [min, max] of [
      ['2020-01-01', '2026-05-01'],
      ['2026-11-02', '2031-01-01'],
    ] as const)
      assert.throws(
        () => accepts(min, max),
        (error) => error instanceof SendError && error.reason === 'version_unknown',
      )
  })
})
