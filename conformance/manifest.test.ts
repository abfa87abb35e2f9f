/**
 * The checks of a manifest. An adoption makes the same checks as an upload (specification, Adopt, rule 1), so every
 * case sends both and expects the same answer.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type Author,
  addAlbum,
  addDevice,
  adoptBody,
  authorFrom,
  type Bundle,
  DAY_MS,
  landBlob,
  type Members,
  newAuthor,
  newBundle,
  sendAdoption,
  sendUpload,
  uploadBody,
  uploadsOf,
} from './assetWorld.ts'
import type { Reply } from './call.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { asOwner, land, newLink, onlyDrop, quotaOf, sha256 } from './world.ts'

const SIZE = 100
const MINUTE_MS = 60_000
const MAX_DRIFT_MS = 30 * DAY_MS

/** Members that override those of a valid declaration and its envelope; undefined omits one. */
interface Change {
  readonly beside?: Members
  readonly envelope?: Members
}

/** A pending drop, to adopt or to upload the same bytes. */
interface World {
  readonly author: Author
  readonly dropId: string
  readonly bundle: Bundle
}

const server = await connect()
const other = await newAuthor(server)

async function newWorld(): Promise<World> {
  const link = await newLink(server)
  const author = await authorFrom(link.owner)
  const original = randomBytes(SIZE)
  await land(link, original)
  return { author, dropId: (await onlyDrop(link.owner)).drop_id, bundle: newBundle(author, { original }) }
}

function changed(body: Members, { beside, envelope }: Change): Members {
  return { ...body, ...beside, manifest_envelope: { ...Object(body.manifest_envelope), ...envelope } }
}

const upload = ({ author, bundle }: World, change: Change): Promise<Reply> =>
  sendUpload(author, changed(uploadBody(bundle), change))
const adopt = ({ author, bundle, dropId }: World, change: Change): Promise<Reply> =>
  sendAdoption(author.owner, dropId, changed(adoptBody(bundle), change))

/** Expects this refusal on both paths. */
async function expectRefused(world: World, change: Change, answer: string): Promise<void> {
  const what = JSON.stringify(change)
  expectAnswer(await upload(world, change), answer, `upload ${what}`)
  expectAnswer(await adopt(world, change), answer, `adoption ${what}`)
}

/** Expects success on both paths, with one asset each. */
async function expectTaken(change: Change): Promise<void> {
  const what = JSON.stringify(change)
  const world = await newWorld()
  expectAnswer(await adopt(world, change), '200', `adoption ${what}`)
  const { author } = world
  const bundle = newBundle(author, { original: world.bundle.original })
  expectAnswer(await upload({ ...world, bundle }, change), '201', `upload ${what}`)
}

/** A refusal reserves and charges nothing: only the drop counts, no adoption has claimed it, and the id is free. */
async function expectNothingKept({ author, bundle, dropId }: World): Promise<void> {
  assert.equal((await quotaOf(author.owner)).used, SIZE)
  assert.deepEqual(await uploadsOf(author.owner), [])
  const drop = await onlyDrop(author.owner)
  assert.deepEqual([drop.drop_id, drop.adopting], [dropId, false])
  expectAnswer(
    await sendUpload(other, uploadBody(newBundle(other, { assetId: bundle.assetId }))),
    '201',
    'the id is free',
  )
}

const at = (fromNowMs: number) => new Date(Date.now() + fromNowMs).toISOString()
const both = (members: Members): Change => ({ beside: members, envelope: members })

// Covers: string or null; Adopt 1; ManifestEnvelope, crypto_suite_id; ManifestEnvelope, protocol_version; ManifestEnvelope, album_id;
// ManifestEnvelope, file_id; ManifestEnvelope, ciphertext_hash; ManifestEnvelope, key_mode; ManifestEnvelope,
// metadata_blob_hash; ManifestEnvelope, original_blob_hash; Uploads
describe('manifest and declaration', () => {
  it('are answered 400 manifest.mismatch when any member that must be equal differs', async () => {
    const world = await newWorld()
    const second = await addAlbum(world.author.owner)
    const hash = sha256(randomBytes(1))
    const { headers } = await asOwner(world.author.owner, 'GET', '/v1/drops')
    const protocol_version = String(headers['x-service-protocol-min'])
    const wrong: readonly Change[] = [
      { envelope: { crypto_suite_id: 2 } },
      { envelope: { protocol_version } },
      { beside: { protocol_version } },
      { envelope: { album_id: second } },
      { beside: { album_id: second } },
      { envelope: { ciphertext_hash: hash } },
      { envelope: { key_mode: 'wrapped' } },
      { beside: { key_mode: 'wrapped' } },
      { envelope: { original_blob_hash: hash } },
    ]
    for (const change of wrong) await expectRefused(world, change, '400 manifest.mismatch')
    expectAnswer(await adopt(world, { beside: { asset_id: randomUUID() } }), '400 manifest.mismatch')
    expectAnswer(await adopt(world, { envelope: { file_id: randomUUID() } }), '400 manifest.mismatch')
    await expectNothingKept(world)
  })

  it('are answered 400 manifest.mismatch for a metadata blob that the manifest does not name', async () => {
    const author = await newAuthor(server)
    const metadata = randomBytes(20)
    const bundle = newBundle(author, { manifest: { metadata_blob_hash: sha256(metadata) } })
    expectAnswer(await sendUpload(author, uploadBody(bundle, 'metadata', randomBytes(20))), '400 manifest.mismatch')
    expectAnswer(await sendUpload(author, uploadBody(bundle, 'metadata', metadata)), '201')
    expectAnswer(await sendUpload(author, uploadBody(bundle, 'original')), '201', 'other roles have other hashes')
  })

  it('may omit the album in the envelope, and may have null for every optional member', async () => {
    await expectTaken({ envelope: { album_id: undefined } })
    const optional = [
      'album_id',
      'metadata_blob_hash',
      'original_blob_hash',
      'prior_provenance_hash',
      'retention_until',
    ]
    await expectTaken({ envelope: Object.fromEntries(optional.map((name) => [name, null])) })
    await expectTaken({ envelope: { original_blob_hash: undefined } })
  })
})

// Covers: Adopt 1; AdoptRequest, content_type; AdoptRequest, crypto_suite_id; ManifestEnvelope, crypto_suite_id;
// ManifestEnvelope, plaintext_size; ManifestEnvelope, original_blob_hash; ManifestEnvelope, timestamp;
// ManifestEnvelope, prior_provenance_hash; Uploads; Provenance
describe('manifest: values', () => {
  it('answers 400 manifest.suite_unknown to an unknown suite', async () => {
    const world = await newWorld()
    for (const crypto_suite_id of [0, 2, 2 ** 53 - 1])
      await expectRefused(world, both({ crypto_suite_id }), '400 manifest.suite_unknown')
    await expectRefused(world, { beside: { crypto_suite_id: 2 } }, '400 manifest.suite_unknown')
    await expectNothingKept(world)
  })

  it('answers 400 upload.unsupported_content_type to a type outside the protocol', async () => {
    const world = await newWorld()
    for (const content_type of ['text/html', '', 'application/json'])
      await expectRefused(world, { beside: { content_type } }, '400 upload.unsupported_content_type')
    await expectNothingKept(world)
  })

  it('answers 400 manifest.invalid to a manifest that contradicts itself', async () => {
    const world = await newWorld()
    const prior_provenance_hash = sha256(randomBytes(1))
    const replace = { action: 'replace', prior_provenance_hash }
    const wrong: readonly Members[] = [
      { plaintext_size: SIZE + 1 },
      { plaintext_size: 2 ** 53 - 1 },
      { prior_provenance_hash },
      { ...replace, original_blob_hash: undefined },
      { ...replace, original_blob_hash: null },
    ]
    for (const envelope of wrong) await expectRefused(world, { envelope }, '400 manifest.invalid')
    await expectNothingKept(world)
  })

  it('accepts a plaintext size up to the ciphertext size, and any with other roles', async () => {
    await expectTaken({ envelope: { plaintext_size: SIZE } })
    await expectTaken({ envelope: { plaintext_size: 0 } })
    const author = await newAuthor(server)
    const bundle = newBundle(author, { original: randomBytes(500), manifest: { plaintext_size: 400 } })
    for (const role of ['metadata', 'derivative', 'original'] as const) await landBlob(bundle, role)
  })

  it('answers 400 manifest.invalid to a provenance blob declared above 64 KiB', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    const declare = (bytes: number) => sendUpload(author, uploadBody(bundle, 'provenance', Buffer.alloc(bytes)))
    expectAnswer(await declare(65_537), '400 manifest.invalid')
    expectAnswer(await declare(65_536), '201')
  })

  it('answers 422 manifest.retention_too_long to a retention of the year 9999', async () => {
    const world = await newWorld()
    const envelope = { retention_until: '9999-12-31T23:59:59Z' }
    await expectRefused(world, { envelope }, '422 manifest.retention_too_long')
    await expectNothingKept(world)
  })

  it('answers 400 manifest.timestamp_out_of_range to a time more than 30 days away', async () => {
    const world = await newWorld()
    for (const timestamp of [
      at(MAX_DRIFT_MS + MINUTE_MS),
      at(-MAX_DRIFT_MS - MINUTE_MS),
      '1970-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
    ])
      await expectRefused(world, { envelope: { timestamp } }, '400 manifest.timestamp_out_of_range')
    await expectNothingKept(world)
    for (const timestamp of [at(MAX_DRIFT_MS - MINUTE_MS), at(-MAX_DRIFT_MS + MINUTE_MS)])
      await expectTaken({ envelope: { timestamp } })
    await expectTaken({ envelope: { timestamp: at(0).replace('Z', '123+00:00').toLowerCase() } })
  })
})

// Covers: Timestamps; Hashes; Adopt, 422; AdoptRequest, required; AdoptRequest, key_mode; ManifestEnvelope, unknown keys;
// ManifestEnvelope, required; ManifestEnvelope, protocol_version; ManifestEnvelope, amk_version; ManifestEnvelope,
// chunk_size; ManifestEnvelope, key_mode; ManifestEnvelope, created_by_device; ManifestEnvelope, client_version;
// ManifestEnvelope, timestamp; ManifestEnvelope, action; Errors 4, 400; Errors 4, 422
describe('manifest: form', () => {
  it('answers 400 to an unknown key of the envelope and an unknown member of the declaration', async () => {
    const world = await newWorld()
    for (const name of ['wrapped_key', 'asset_id', 'blob_role', 'amk', '', '__proto__x', 'Action']) {
      await expectRefused(world, { envelope: { [name]: null } }, '400 request.malformed')
      if (name !== 'blob_role' && name !== 'asset_id')
        await expectRefused(world, { beside: { [name]: 1 } }, '400 request.malformed')
    }
    expectAnswer(await adopt(world, { beside: { blob_role: 'original' } }), '400 request.malformed')
    expectAnswer(await upload(world, { beside: { asset_id: world.bundle.assetId } }), '400 request.malformed')
    await expectNothingKept(world)
  })

  it('answers 422 to a required member that is missing, null or of another JSON type', async () => {
    const world = await newWorld()
    const { album_id: _, original_blob_hash: __, ...envelope } = world.bundle.manifest
    for (const name of Object.keys(envelope))
      for (const value of [undefined, null, name, {}].filter((value) => typeof value !== typeof envelope[name]))
        await expectRefused(world, { envelope: { [name]: value } }, '422 request.unprocessable')
    const { blob_role: ___, ...beside } = uploadBody(world.bundle)
    for (const name of Object.keys(beside).filter((name) => name !== 'manifest_envelope'))
      for (const value of [undefined, null, true])
        await expectRefused(world, { beside: { [name]: value } }, '422 request.unprocessable')
    for (const value of [undefined, null, 'x', 1, []]) {
      const wrong = { manifest_envelope: value }
      expectAnswer(
        await sendUpload(world.author, { ...uploadBody(world.bundle), ...wrong }),
        '422 request.unprocessable',
      )
      const adoption = { ...adoptBody(world.bundle), ...wrong }
      expectAnswer(await sendAdoption(world.author.owner, world.dropId, adoption), '422 request.unprocessable')
    }
    expectAnswer(await upload(world, { beside: { blob_role: undefined } }), '422 request.unprocessable')
    expectAnswer(await adopt(world, { beside: { asset_id: undefined } }), '422 request.unprocessable')
    await expectRefused(world, { envelope: { amk_version: 1.5 } }, '422 request.unprocessable')
    await expectNothingKept(world)
  })

  it('answers 400 to a value of a wrong enumeration, format or range', async () => {
    const world = await newWorld()
    const { assetId } = world.bundle
    const hash = sha256(randomBytes(1))
    const ids = ['', 'x', assetId.toUpperCase(), assetId.replaceAll('-', ''), `${assetId}\n`]
    const hashes = ['', hash.toUpperCase(), hash.slice(1), `${hash}0`, Buffer.from(hash, 'hex').toString('base64')]
    const times = ['', '2026-01-01', 'now', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00', '2026-01-01T00:00:00Z[UTC]']
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      action: ['', 'delete', 'Create', 'update'],
      key_mode: ['', 'none', 'Wrapped'],
      protocol_version: ['', '2026-1-1', '2026-02-30', 'newest'],
      album_id: ids.slice(0, 3),
      file_id: ids,
      created_by_user: ids.slice(0, 3),
      created_by_device: ids.slice(0, 3),
      ciphertext_hash: hashes,
      original_blob_hash: hashes.slice(0, 3),
      metadata_blob_hash: hashes.slice(0, 3),
      prior_provenance_hash: hashes.slice(0, 3),
      timestamp: times,
      retention_until: times.slice(0, 4),
      amk_version: [0, -1, 2 ** 53],
      chunk_size: [0, -1],
      plaintext_size: [-1, 2 ** 53],
      crypto_suite_id: [-1],
      client_version: ['', 'v'.repeat(201)],
    }
    for (const [name, values] of Object.entries(wrong))
      for (const value of values) await expectRefused(world, { envelope: { [name]: value } }, '400 request.malformed')
    for (const [name, values] of Object.entries({
      hash: hashes,
      album_id: ids,
      size: [0, -1, 2 ** 53],
      key_mode: ['x'],
    }))
      for (const value of values) await expectRefused(world, { beside: { [name]: value } }, '400 request.malformed')
    for (const blob_role of ['', 'thumbnail', 'Original'])
      expectAnswer(await upload(world, { beside: { blob_role } }), '400 request.malformed')
    for (const asset_id of ids) expectAnswer(await adopt(world, { beside: { asset_id } }), '400 request.malformed')
    await expectNothingKept(world)
    await expectTaken({ envelope: { client_version: '📦'.repeat(200), amk_version: 2 ** 53 - 1, chunk_size: 1 } })
  })
})

// Covers: Adopt 1; Adopt, 403; AdoptRequest, album_id; ManifestEnvelope, created_by_user; ManifestEnvelope, created_by_device
describe('manifest: access', () => {
  it('answers 403 to a device that is unknown, another account’s or revoked, and to another user', async () => {
    const world = await newWorld()
    const { owner } = world.author
    const { deviceId: revoked } = await addDevice(owner)
    expectAnswer(await asOwner(owner, 'DELETE', `/v1/devices/${revoked}`), '204')
    for (const created_by_device of [randomUUID(), other.deviceId, revoked])
      await expectRefused(world, { envelope: { created_by_device } }, '403 device.not_authorized')
    for (const created_by_user of [randomUUID(), other.owner.accountId])
      await expectRefused(world, { envelope: { created_by_user } }, '403 device.not_authorized')
    await expectNothingKept(world)
  })

  it('answers 403 to an album that is unknown or another account’s', async () => {
    const world = await newWorld()
    for (const album_id of [randomUUID(), other.albumId]) {
      await expectRefused(world, both({ album_id }), '403 album.not_available')
      await expectRefused(world, { beside: { album_id }, envelope: { album_id: null } }, '403 album.not_available')
    }
    await expectNothingKept(world)
  })
})

interface Fault extends Change {
  /** Undefined for a path that does not have this fault. */
  readonly upload?: string
  readonly adopt?: string
  readonly dropId?: string
}

const same = (answer: string, change: Change): Fault => ({ upload: answer, adopt: answer, ...change })

// Covers: Adopt 1; Versioning 3; Uploads
describe('manifest: order of refusals', () => {
  it('is form, protocol, drop, manifest, device, album, bytes of the drop, state', async () => {
    const world = await newWorld()
    await landBlob(newBundle(world.author, { assetId: world.bundle.assetId }))
    const missing = randomUUID()
    // In the order of the checks. Each request has all later faults too.
    const faults: readonly Fault[] = [
      same('400 request.malformed', { envelope: { unknown: 1 } }),
      same('422 request.unprocessable', { envelope: { amk_version: undefined } }),
      same('400 request.malformed', { envelope: { client_version: '' } }),
      same('426 protocol.version_unsupported', both({ protocol_version: '1999-12-31' })),
      { adopt: '404 drop.not_found', dropId: missing },
      same('400 manifest.suite_unknown', both({ crypto_suite_id: 2 })),
      same('400 upload.unsupported_content_type', { beside: { content_type: 'text/html' } }),
      same('400 manifest.mismatch', { beside: { key_mode: 'wrapped' } }),
      same('400 manifest.invalid', { envelope: { plaintext_size: 10 ** 6 } }),
      same('400 manifest.timestamp_out_of_range', { envelope: { timestamp: at(2 * MAX_DRIFT_MS) } }),
      same('403 device.not_authorized', { envelope: { created_by_device: other.deviceId } }),
      same('403 album.not_available', both({ album_id: other.albumId })),
      { adopt: '400 drop.adoption_mismatch', beside: { size: SIZE + 1 } },
      { upload: '409 asset.id_taken', adopt: '422 asset.id_taken' },
    ]
    for (const path of ['upload', 'adopt'] as const) {
      const own = faults.filter((fault) => fault[path] !== undefined)
      for (const [index, fault] of own.entries()) {
        // An earlier fault replaces a later one in the same member.
        const rest = own.slice(index).toReversed()
        const change = {
          beside: Object.assign({}, ...rest.map(({ beside }) => beside)),
          envelope: Object.assign({}, ...rest.map(({ envelope }) => envelope)),
        }
        const dropId = rest.find((later) => later.dropId !== undefined)?.dropId ?? world.dropId
        const reply = path === 'upload' ? await upload(world, change) : await adopt({ ...world, dropId }, change)
        expectAnswer(reply, String(fault[path]), `${path} ${JSON.stringify(change)}`)
      }
    }
  })
})
