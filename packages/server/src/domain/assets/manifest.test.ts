import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  addSeconds,
  formatInstant,
  type Instant,
  instantOf,
  parseAccountId,
  parseAlbumId,
  parseDeviceId,
  parseProtocolVersion,
} from '@blindkeep/protocol/ids'
import { MAX_PROVENANCE_BYTES } from '@blindkeep/protocol/manifest'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { BLOB_ROLES } from '@blindkeep/protocol/schemas/receipts'
import { contentTypesOf } from '@blindkeep/protocol/window'
import { otherAlbum } from '../../testing/assetSessions.ts'
import { type AlbumOwner, declaredFor, newAlbumOwner, newAssetId, type Overrides } from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { type Declared, judgeAuthor, judgeManifest } from './manifest.ts'

const DRIFT_DAYS = 30
const DAY_MS = 86_400_000
const SETTINGS = { manifestDriftDays: DRIFT_DAYS, retentionDaysMax: 400 }
const content = bytes(100)
const elsewhere = sha256(bytes(1))
const version = defined(parseProtocolVersion('2026-10-31'))

type Judge = (overrides?: Overrides, absent?: 'album_id' | 'original_blob_hash') => ReturnType<typeof judgeManifest>

/** Judges a valid declaration with the changes of a test. */
function judging(work: (judge: Judge, albumOwner: AlbumOwner, world: World) => Promise<void> | void) {
  return inWorld(async (world) => {
    const albumOwner = await newAlbumOwner(world)
    const judge: Judge = (overrides, absent) => {
      const { envelope, ...declared } = declaredFor(world, albumOwner, content, overrides)
      const changed = { ...envelope }
      if (absent !== undefined) delete changed[absent]
      return judgeManifest({ ...declared, envelope: changed }, world.clock.now(), SETTINGS)
    }
    await work(judge, albumOwner, world)
  })
}

const mismatch = (name: keyof ManifestEnvelope) => ({
  refused: 'manifest_mismatch',
  detail: `/manifest_envelope/${name} differs from the declared value`,
})

describe('judgeManifest', () => {
  it(
    'accepts every role, with optional members given, null or absent',
    judging((judge, albumOwner) => {
      for (const role of BLOB_ROLES) {
        const original_blob_hash = role === 'original' ? sha256(content) : elsewhere
        const metadata_blob_hash = role === 'metadata' ? sha256(content) : elsewhere
        const retention_until = '2027-01-01T00:00:00Z'
        const given = { album_id: albumOwner.albumId, original_blob_hash, metadata_blob_hash, retention_until }
        for (const name of ['album_id', 'original_blob_hash', 'metadata_blob_hash', 'retention_until'] as const)
          for (const value of [given[name], null])
            assert.equal(judge({ role, envelope: { ...given, [name]: value } }), undefined, `${name} of a ${role}`)
        assert.equal(judge({ role }, 'album_id'), undefined)
        assert.equal(judge({ role, envelope: { prior_provenance_hash: null } }), undefined)
      }
    }),
  )

  it(
    'refuses each member that differs from the declaration',
    judging((judge) => {
      const others: readonly (readonly [keyof ManifestEnvelope, Partial<ManifestEnvelope>])[] = [
        ['crypto_suite_id', { crypto_suite_id: 2 }],
        ['protocol_version', { protocol_version: version }],
        ['album_id', { album_id: defined(parseAlbumId(randomUUID())) }],
        ['file_id', { file_id: newAssetId() }],
        ['ciphertext_hash', { ciphertext_hash: elsewhere }],
        ['key_mode', { key_mode: 'wrapped' }],
      ]
      for (const role of BLOB_ROLES)
        for (const [name, envelope] of others) assert.deepEqual(judge({ role, envelope }), mismatch(name))
      // The other way round: the declaration differs.
      const envelope = { key_mode: 'derived', protocol_version: defined(parseProtocolVersion('2026-11-01')) } as const
      assert.deepEqual(judge({ keyMode: 'wrapped', envelope }), mismatch('key_mode'))
      assert.deepEqual(judge({ protocolVersion: version, envelope }), mismatch('protocol_version'))
    }),
  )

  it(
    'requires the blob’s own hash for its own role, and accepts any hash for another role',
    judging((judge) => {
      for (const role of BLOB_ROLES)
        for (const named of ['original', 'metadata'] as const)
          assert.deepEqual(
            judge({ role, envelope: { [`${named}_blob_hash`]: elsewhere } }),
            role === named ? mismatch(`${named}_blob_hash`) : undefined,
          )
    }),
  )

  it(
    'refuses an original with more plaintext than sealed bytes',
    judging((judge) => {
      const invalid = {
        refused: 'manifest_invalid',
        detail: '/manifest_envelope/plaintext_size is larger than the sealed size',
      }
      for (const plaintext_size of [0, 99, 100]) assert.equal(judge({ envelope: { plaintext_size } }), undefined)
      for (const plaintext_size of [101, Number.MAX_SAFE_INTEGER])
        assert.deepEqual(judge({ envelope: { plaintext_size } }), invalid)
      for (const role of ['derivative', 'metadata', 'provenance'] as const)
        assert.equal(judge({ role, envelope: { plaintext_size: 101 } }), undefined)
    }),
  )

  it(
    'refuses a provenance blob above 64 KiB, and no other blob for its size',
    judging((judge) => {
      assert.equal(MAX_PROVENANCE_BYTES, 65_536)
      assert.equal(judge({ role: 'provenance', size: 65_536 }), undefined)
      assert.deepEqual(judge({ role: 'provenance', size: 65_537 }), {
        refused: 'manifest_invalid',
        detail: '/size of a provenance blob is at most 65536',
      })
      for (const role of ['original', 'derivative', 'metadata'] as const)
        assert.equal(judge({ role, size: 65_537 }), undefined)
    }),
  )

  it(
    'refuses a create with a prior provenance, and a replace without its original',
    judging((judge) => {
      const original_blob_hash = sha256(content)
      for (const role of BLOB_ROLES) {
        const create = { action: 'create', prior_provenance_hash: elsewhere } as const
        assert.deepEqual(judge({ role, envelope: create }), {
          refused: 'manifest_invalid',
          detail: '/manifest_envelope/prior_provenance_hash must be absent in a create',
        })
        const nameless = {
          refused: 'manifest_invalid',
          detail: '/manifest_envelope/original_blob_hash is missing: a replace must give it',
        }
        const replace = { action: 'replace', original_blob_hash } as const
        assert.deepEqual(judge({ role, envelope: { ...replace, original_blob_hash: null } }), nameless)
        assert.deepEqual(judge({ role, envelope: replace }, 'original_blob_hash'), nameless)
        assert.equal(judge({ role, envelope: replace }), undefined)
        for (const prior_provenance_hash of [elsewhere, null])
          assert.equal(judge({ role, envelope: { ...replace, prior_provenance_hash } }), undefined)
      }
    }),
  )

  it(
    'refuses an unknown suite or content type',
    judging((judge) => {
      for (const suiteId of [0, 2, -1, Number.MAX_SAFE_INTEGER])
        assert.deepEqual(judge({ suiteId, envelope: { crypto_suite_id: suiteId } }), { refused: 'suite_unknown' })
      for (const contentType of contentTypesOf(version)) assert.equal(judge({ contentType }), undefined)
      for (const contentType of ['', 'text/html', 'image/PNG', 'image/png;q=1', ' image/png', 'image/svg+xml'])
        assert.deepEqual(judge({ contentType }), { refused: 'content_type_unsupported' })
    }),
  )

  it(
    'accepts a timestamp within the drift on either side, both ends included',
    judging((_judge, albumOwner, world) => {
      const now = world.clock.now()
      const at = (timestamp: string, driftDays: number) =>
        judgeManifest(declaredFor(world, albumOwner, content, { envelope: { timestamp } }), now, {
          ...SETTINGS,
          manifestDriftDays: driftDays,
        })
      const off = (ms: number): Instant => instantOf(now + ms)
      const farther = { refused: 'timestamp_out_of_range' }
      for (const driftDays of [0, 1, 30]) {
        const driftMs = driftDays * 86_400_000
        for (const sign of [-1, 1]) {
          assert.equal(at(formatInstant(off(sign * driftMs)), driftDays), undefined)
          assert.deepEqual(at(formatInstant(off(sign * (driftMs + 1))), driftDays), farther)
        }
      }
      // Other notations of an instant: the clock shows 2026-06-01T00:00:00Z.
      assert.equal(at('2026-07-01T02:00:00+02:00', DRIFT_DAYS), undefined)
      assert.deepEqual(at('2026-07-01T00:00:00-00:01', DRIFT_DAYS), farther)
      assert.equal(at('2026-05-02t00:00:00.0009z', DRIFT_DAYS), undefined)
      for (const timestamp of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])
        assert.deepEqual(at(timestamp, DRIFT_DAYS), farther)
    }),
  )

  it(
    'accepts a retention up to the bound, counted from the clock of the server, and none with a bound of 0',
    judging((_judge, albumOwner, world) => {
      const now = world.clock.now()
      const until = (ms: number, retentionDaysMax: number) => {
        const retention_until = formatInstant(instantOf(now + ms))
        // The timestamp is the client's: it moves nothing.
        const timestamp = formatInstant(instantOf(now + DRIFT_DAYS * DAY_MS))
        const declared = declaredFor(world, albumOwner, content, { envelope: { retention_until, timestamp } })
        const refused = judgeManifest(declared, now, { ...SETTINGS, retentionDaysMax })
        return refused?.refused
      }
      for (const days of [1, 400]) {
        assert.equal(until(days * DAY_MS, days), undefined)
        assert.equal(until(days * DAY_MS + 1, days), 'retention_too_long')
      }
      for (const ms of [-DAY_MS, 0, 1]) assert.equal(until(ms, 0), 'retention_too_long')
      const none = declaredFor(world, albumOwner, content, { envelope: { retention_until: null } })
      assert.equal(judgeManifest(none, now, { ...SETTINGS, retentionDaysMax: 0 }), undefined)
    }),
  )
})

describe('judgeAuthor', () => {
  async function scene(world: World) {
    const [albumOwner, stranger] = [await newAlbumOwner(world), await newAlbumOwner(world)]
    const judge = (overrides: Overrides & Pick<Partial<Declared>, 'albumId'> = {}) => {
      const declared = declaredFor(world, albumOwner, content, overrides)
      return world.store.read((tx) => judgeAuthor(tx, albumOwner.accountId, declared))
    }
    return { albumOwner, stranger, judge }
  }
  const noDevice = { refused: 'device_not_authorized' }

  it(
    'accepts the caller with any of its live devices, in any of its albums',
    inWorld(async (world) => {
      const { albumOwner, judge } = await scene(world)
      assert.equal(await judge(), undefined)
      const second = await newAlbumOwner(world, albumOwner.accountId)
      assert.equal(await judge({ envelope: { created_by_device: second.deviceId } }), undefined)
      assert.equal(await judge({ albumId: (await otherAlbum(world, albumOwner)).albumId }), undefined)
    }),
  )

  it(
    'refuses a device that is revoked, unknown or another account’s',
    inWorld(async (world) => {
      const { albumOwner, stranger, judge } = await scene(world)
      const unknown = defined(parseDeviceId(randomUUID()))
      for (const created_by_device of [stranger.deviceId, unknown])
        assert.deepEqual(await judge({ envelope: { created_by_device } }), noDevice)
      notRefused(await world.rules.devices.revoke(albumOwner.accountId, albumOwner.deviceId))
      assert.deepEqual(await judge(), noDevice)
      world.clock.set(addSeconds(world.clock.now(), -86_400))
      assert.deepEqual(await judge(), noDevice, 'also when the clock is set back before the revocation')
    }),
  )

  it(
    'refuses another author, with the caller’s device or its own',
    inWorld(async (world) => {
      const { stranger, judge } = await scene(world)
      const unknown = defined(parseAccountId(randomUUID()))
      for (const created_by_user of [stranger.accountId, unknown])
        assert.deepEqual(await judge({ envelope: { created_by_user } }), noDevice)
      const both = { created_by_user: stranger.accountId, created_by_device: stranger.deviceId }
      assert.deepEqual(await judge({ envelope: both }), noDevice)
    }),
  )
})
