/** The signed manifest. At its last byte both signatures, and each field against the envelope, are checked. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type Author,
  addDevice,
  assetOf,
  type Bundle,
  blobNamesOf,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  provenanceOf,
  receiptsOf,
  uploadsOf,
} from './assetWorld.ts'
import { expectAnswer } from './expect.ts'
import {
  assemble,
  cbor,
  newDeviceKeys,
  type Parts,
  partsOf,
  payloadOf,
  signManifest,
  type Variation,
} from './provenanceWriter.ts'
import { connect } from './server.ts'
import { append, quotaOf, sha256, stateOf } from './world.ts'

const FLIPS = 24

const server = await connect()

/** A bundle whose original has landed, without provenance. */
async function newLanded(author?: Author, manifest: object = {}): Promise<Bundle> {
  const bundle = newBundle(author ?? (await newAuthor(server)), { manifest: { ...manifest } })
  await landBlob(bundle)
  return bundle
}

/** Sends an invalid manifest: the session fails, nothing is kept, and a repeat gets the same answer. */
async function expectRefused(bundle: Bundle, provenance: Buffer, what: string): Promise<void> {
  const session = await openUpload(bundle, 'provenance', provenance)
  for (let round = 0; round < 2; round += 1) expectAnswer(await append(session), '409 manifest.mismatch', what)
  assert.equal((await stateOf(session)).state, 'failed', what)
}

/** After refusals: only the original is kept and charged, and a valid manifest lands. */
async function expectValidAccepted(bundle: Bundle, provenance = provenanceOf(bundle)): Promise<void> {
  const { author, original } = bundle
  assert.equal((await quotaOf(author.owner)).used, original.length)
  assert.deepEqual(await uploadsOf(author.owner), [])
  assert.deepEqual(await blobNamesOf(bundle), [`original ${sha256(original)}`])
  assert.equal((await receiptsOf(bundle)).length, 1, 'a refused blob gets no receipt')
  await landBlob(bundle, 'provenance', provenance)
}

const wrappedWith = (bundle: Bundle, wrapped_key: unknown): Buffer =>
  signManifest({ ...bundle.manifest, wrapped_key }, bundle.author.keys)

function flipped(bytes: Uint8Array, at: number, bit = at % 8): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ (1 << bit)
  return copy
}

// Covers: ManifestEnvelope, amk_version; ManifestEnvelope, ciphertext_hash; ManifestEnvelope, chunk_size; ManifestEnvelope, key_mode;
// AssetReceipt, envelope_hash; Provenance
describe('provenance', () => {
  it('lands when the device has signed it, and only its receipt has the envelope_hash', async () => {
    const bundle = await newLanded()
    const provenance = provenanceOf(bundle)
    await landBlob(bundle, 'metadata')
    await landBlob(bundle, 'provenance', provenance)
    assert.ok((await assetOf(bundle)).complete)
    assert.deepEqual(
      (await receiptsOf(bundle)).map(({ blob_role, envelope_hash }) => [blob_role, envelope_hash]),
      [
        ['original', undefined],
        ['metadata', undefined],
        ['provenance', sha256(provenance)],
      ],
    )
  })

  it('has a wrapped key exactly when key_mode says so', async () => {
    const wrapped = await newLanded(undefined, { key_mode: 'wrapped' })
    await expectRefused(wrapped, provenanceOf(wrapped), 'no wrapped_key')
    for (const wrapped_key of ['text', new Uint8Array(0), new Uint8Array(4097), 1])
      await expectRefused(wrapped, wrappedWith(wrapped, wrapped_key), `wrapped_key ${typeof wrapped_key}`)
    await expectValidAccepted(wrapped, wrappedWith(wrapped, Uint8Array.from(randomBytes(1200))))
    const derived = await newLanded()
    await expectRefused(derived, wrappedWith(derived, Uint8Array.from(randomBytes(60))), 'an uncalled-for wrapped_key')
    await expectValidAccepted(derived)
  })

  it('omits absent members, which are those that are null in the envelope', async () => {
    const absent = { album_id: null, metadata_blob_hash: null, retention_until: undefined }
    const bundle = await newLanded(undefined, absent)
    const spelled = cbor(new Map(Object.entries(bundle.manifest).filter(([, value]) => value !== undefined)))
    await expectRefused(bundle, signManifest({}, bundle.author.keys, { payload: spelled }), 'with null')
    await expectValidAccepted(bundle)
  })

  it('is refused with one flipped bit, in either signature or elsewhere', async () => {
    const bundle = await newLanded()
    const parts = partsOf(bundle.manifest, bundle.author.keys)
    const valid = assemble(parts)
    for (const { signature } of parts.signers) {
      const start = valid.indexOf(signature)
      for (const at of [0, signature.length >> 1, signature.length - 1])
        await expectRefused(bundle, flipped(valid, start + at, 0), `signature of ${signature.length} bytes, byte ${at}`)
    }
    for (let at = 0; at < valid.length; at += Math.ceil(valid.length / FLIPS))
      await expectRefused(bundle, flipped(valid, at), `byte ${at}`)
    await expectValidAccepted(bundle, valid)
  })

  it('is refused when another device made one or both signatures', async () => {
    const bundle = await newLanded()
    const { manifest, author } = bundle
    const stranger = newDeviceKeys()
    const second = await addDevice(author.owner)
    const ownId = { keyId: Uint8Array.from(Buffer.from(sha256(author.keys.publicKey), 'hex')) }
    await expectRefused(bundle, signManifest(manifest, stranger), 'an unknown device')
    await expectRefused(bundle, signManifest(manifest, second.keys), 'another device of the account')
    await expectRefused(bundle, signManifest(manifest, stranger, ownId), 'an unknown device with the right key id')
    for (const half of [{ ed25519: stranger.ed25519 }, { mlDsa65: stranger.mlDsa65 }])
      await expectRefused(bundle, signManifest(manifest, { ...author.keys, ...half }), Object.keys(half).join())
    const named = { ...manifest, created_by_device: second.deviceId }
    await expectRefused(bundle, signManifest(named, second.keys), 'another device, named in the manifest')
    await expectValidAccepted(bundle)
  })

  it('is refused with any field that differs from the envelope', async () => {
    const author = await newAuthor(server)
    const bundle = await newLanded(author, { metadata_blob_hash: sha256(randomBytes(1)) })
    const hash = sha256(randomBytes(2))
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      crypto_suite_id: [2, '1'],
      protocol_version: ['2026-01-01'],
      album_id: [randomUUID(), undefined],
      file_id: [randomUUID()],
      amk_version: [2, '1'],
      plaintext_size: [0, 2],
      chunk_size: [1_048_561],
      key_mode: ['wrapped'],
      metadata_blob_hash: [hash, undefined],
      original_blob_hash: [hash, undefined],
      created_by_user: [randomUUID()],
      created_by_device: [randomUUID()],
      client_version: ['conformance/2'],
      timestamp: [new Date(0).toISOString()],
      action: ['replace', 'delete'],
      prior_provenance_hash: [hash],
      retention_until: ['2099-01-01T00:00:00Z'],
      ciphertext_hash: [hash],
      unknown: [1, 'x'],
    }
    for (const [name, values] of Object.entries(wrong))
      for (const value of values) {
        const manifest = { ...bundle.manifest, [name]: value }
        await expectRefused(bundle, signManifest(manifest, author.keys), `${name} ${value}`)
      }
    for (const name of Object.keys(bundle.manifest))
      await expectRefused(bundle, signManifest({ ...bundle.manifest, [name]: undefined }, author.keys), `no ${name}`)
    await expectValidAccepted(bundle)
  })

  it('names the original in its ciphertext_hash, whichever blob is uploaded', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author, { manifest: { original_blob_hash: undefined } })
    await landBlob(bundle)
    const metadata = await landBlob(bundle, 'metadata')
    const other = { ...bundle.manifest, ciphertext_hash: sha256(metadata) }
    const session = await openUpload(bundle, 'provenance', signManifest(other, author.keys))
    expectAnswer(await append(session), '409 manifest.mismatch')
    await landBlob(bundle, 'provenance')
    assert.ok((await assetOf(bundle)).complete)
  })
})

// Covers: Provenance
describe('provenance: form', () => {
  it('must be the specified one', async () => {
    const bundle = await newLanded()
    const { manifest, author } = bundle
    const parts = partsOf(manifest, author.keys)
    const { body, payload, signers } = parts
    const [ed25519, mlDsa65] = signers
    assert.ok(ed25519 !== undefined && mlDsa65 !== undefined)
    const valid = assemble(parts)
    const variation = (change: Variation) => signManifest(manifest, author.keys, change)
    const put = (change: Partial<Parts>, tag?: number) => assemble({ ...parts, ...change }, tag)
    const extra = new Map([[1, 2]])
    const wrong: Readonly<Record<string, Buffer>> = {
      'content type of a receipt': variation({ contentType: 'application/service-receipt+cbor' }),
      'an empty content type': variation({ contentType: '' }),
      'another key id': variation({ keyId: Uint8Array.from(randomBytes(32)) }),
      'the order of signatures': put({ signers: [mlDsa65, ed25519] }),
      'one signature': put({ signers: [ed25519] }),
      'the other signature': put({ signers: [mlDsa65] }),
      'three signatures': put({ signers: [ed25519, mlDsa65, mlDsa65] }),
      'no signature': put({ signers: [] }),
      'an unprotected header': put({ unprotected: extra }),
      'an unprotected header of a signature': put({ signers: [ed25519, { ...mlDsa65, unprotected: extra }] }),
      'tag 18': put({}, 18),
      'no tag': Buffer.from(cbor([body, new Map(), payload, []])),
      'a byte behind it': Buffer.concat([valid, Buffer.of(0)]),
      'its last byte missing': valid.subarray(0, -1),
      'one byte': Buffer.of(0xa0),
      'random bytes': randomBytes(valid.length),
      'a payload that is not a map': variation({ payload: cbor([1]) }),
      'a payload in another order': variation({ payload: reversed(manifest) }),
      'a payload with a key twice': variation({ payload: withKeyTwice(payloadOf(manifest)) }),
      'an empty payload': variation({ payload: new Uint8Array(0) }),
    }
    for (const [what, provenance] of Object.entries(wrong)) await expectRefused(bundle, provenance, what)
    await expectValidAccepted(bundle, valid)
  })
})

/** The same entries with the last one first, which is not deterministic CBOR. */
function reversed(manifest: Bundle['manifest']): Uint8Array {
  const entries = Object.entries(manifest).filter(([, value]) => value !== undefined && value !== null)
  const sorted = entries.toSorted(([one], [two]) => one.length - two.length || (one < two ? -1 : 1))
  const pieces = sorted.toReversed().flatMap(([name, value]) => [cbor(name), cbor(value)])
  return Uint8Array.from(Buffer.concat([headOf(entries.length), ...pieces]))
}

/** A second `client_version` at the end, in a map with one more entry. */
function withKeyTwice(payload: Uint8Array): Uint8Array {
  const count = (payload[0] ?? 0) & 0x1f
  assert.ok(count < 23, 'the head of the map is one byte')
  const again = Buffer.concat([cbor('client_version'), cbor('conformance/1')])
  return Uint8Array.from(Buffer.concat([headOf(count + 1), payload.subarray(1), again]))
}

/** The head of a map of fewer than 24 entries. */
const headOf = (entries: number) => Buffer.of(0xa0 | entries)
