/** Provenance and original must agree on asset, epoch, key mode, sizes and retention, in either order. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type Author,
  addDevice,
  assetOf,
  type Bundle,
  blobNamesOf,
  landBlob,
  type Members,
  newAuthor,
  newBundle,
  openUpload,
  sendUpload,
  uploadBody,
  uploadsOf,
} from './assetWorld.ts'
import { expectAnswer } from './expect.ts'
import { signManifest } from './provenanceWriter.ts'
import { connect } from './server.ts'
import { append } from './world.ts'

const server = await connect()

/** Members in which two manifests of one asset differ. Each manifest is valid by itself. */
const DIFFERENT: readonly (readonly [Members, Members])[] = [
  [{ amk_version: 1 }, { amk_version: 2 }],
  [{ key_mode: 'derived' }, { key_mode: 'wrapped' }],
  [{ key_mode: 'wrapped' }, { key_mode: 'derived' }],
  [{ plaintext_size: 1 }, { plaintext_size: 2 }],
  [{ chunk_size: 1_048_560 }, { chunk_size: 4096 }],
  [{}, { retention_until: '2026-02-03T04:05:06Z' }],
  [{ retention_until: '2026-02-03T04:05:06Z' }, {}],
  [{ retention_until: '2026-02-03T04:05:06Z' }, { retention_until: '2026-02-03T04:05:06.001Z' }],
]

const orderOf = (first: Members, second: Members) => `${JSON.stringify(first)}, then ${JSON.stringify(second)}`

function twoOf(author: Author, first: Members, second: Members): readonly [Bundle, Bundle] {
  const bundle = newBundle(author, { manifest: first })
  const { assetId, original } = bundle
  return [bundle, newBundle(author, { assetId, original, manifest: second })]
}

/** With random bytes as wrapped key when it needs one. */
function signed({ manifest, author }: Bundle): Buffer {
  const wrapped = manifest.key_mode === 'wrapped' ? { wrapped_key: Uint8Array.from(randomBytes(60)) } : {}
  return signManifest({ ...manifest, ...wrapped }, author.keys)
}

// Covers: Provenance
describe('provenance and original', () => {
  it('may land in either order when the provenance names its original; otherwise the session is refused with 409', async () => {
    const author = await newAuthor(server)
    for (const original_blob_hash of [undefined, null]) {
      const silent = newBundle(author, { manifest: { original_blob_hash } })
      const refused = () => sendUpload(author, uploadBody(silent, 'provenance'))
      expectAnswer(await refused(), '409 manifest.stale', 'no original has landed')
      await landBlob(silent, 'metadata')
      const session = await openUpload(silent)
      expectAnswer(await refused(), '409 manifest.stale', 'the original is still being uploaded')
      expectAnswer(await append(session), '204')
      await landBlob(silent, 'provenance')
      assert.ok((await assetOf(silent)).complete)
    }
    await landBlob(newBundle(author), 'provenance')
  })

  it('are answered 409 when the provenance differs from the landed original', async () => {
    const author = await newAuthor(server)
    for (const [first, second] of DIFFERENT) {
      const [bundle, other] = twoOf(author, first, second)
      await landBlob(bundle)
      expectAnswer(
        await sendUpload(author, uploadBody(other, 'provenance')),
        '409 manifest.stale',
        orderOf(first, second),
      )
      assert.deepEqual(await uploadsOf(author.owner), [])
      await landBlob(bundle, 'provenance', signed(bundle))
    }
  })

  it('are answered 409 when the original differs from the landed provenance', async () => {
    const author = await newAuthor(server)
    for (const [first, second] of DIFFERENT) {
      const [bundle, other] = twoOf(author, first, second)
      await landBlob(bundle, 'provenance', signed(bundle))
      expectAnswer(await sendUpload(author, uploadBody(other)), '409 manifest.stale', orderOf(first, second))
      assert.deepEqual(await uploadsOf(author.owner), [])
      await landBlob(bundle)
    }
  })

  it('may differ in time, device, client version and the way in which they write the same instant', async () => {
    const author = await newAuthor(server)
    const otherAuthor = { ...author, ...(await addDevice(author.owner)) }
    const until = { retention_until: '2026-02-03T04:05:06Z' }
    const same = { retention_until: '2026-02-03T06:05:06.000+02:00', client_version: 'conformance/2' }
    for (const roles of [['original', 'provenance'] as const, ['provenance', 'original'] as const]) {
      const bundle = newBundle(author, { manifest: until })
      const { assetId, original } = bundle
      const timestamp = new Date(Date.now() - 60_000).toISOString()
      const other = newBundle(otherAuthor, { assetId, original, manifest: { ...same, timestamp } })
      for (const role of roles) await landBlob(role === 'original' ? bundle : other, role)
      assert.equal((await blobNamesOf(bundle)).length, 2)
    }
  })
})
