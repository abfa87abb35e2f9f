import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type Author,
  adoptBody,
  assetOf,
  authorFrom,
  type Bundle,
  blobNamesOf,
  DAY_MS,
  deleteAsset,
  expectConsistentQuota,
  landAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  provenanceOf,
  receiptsOf,
  sendAdoption,
  successorOf,
} from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import { expectAnswer } from './expect.ts'
import { signManifest } from './provenanceWriter.ts'
import { connect } from './server.ts'
import {
  append,
  asOwner,
  entryOf,
  guestView,
  type InboxEntry,
  inboxOf,
  type Link,
  land,
  newLink,
  onlyDrop,
  provision,
  quotaOf,
  type Session,
  sessionPath,
  sha256,
} from './world.ts'

interface World {
  readonly link: Link
  readonly author: Author
  readonly session: Session
  readonly drop: InboxEntry
  /** The bundle of the asset that the drop may become. */
  readonly bundle: Bundle
}

const server = await connect()

/** A pending drop of an author: the only one, unless the author is given. */
async function newWorld(over: { readonly author?: Author; readonly caps?: object } = {}): Promise<World> {
  const link = over.author === undefined ? await newLink(server, over.caps) : await provision(over.author.owner)
  const author = over.author ?? (await authorFrom(link.owner))
  const session = await land(link)
  const drop = (await inboxOf(link.owner)).at(-1)
  assert.ok(drop !== undefined)
  return { link, author, session, drop, bundle: newBundle(author, { original: session.file }) }
}

const adopt = ({ author, drop }: World, bundle: Bundle, over: object = {}): Promise<Reply> =>
  sendAdoption(author.owner, drop.drop_id, { ...adoptBody(bundle), ...over })
const discard = ({ author, drop }: World) => asOwner(author.owner, 'DELETE', `/v1/drops/${drop.drop_id}`)

/** The drop is pending as before, and no adoption has claimed it. */
async function expectWaiting({ author, drop }: World): Promise<void> {
  assert.deepEqual(await onlyDrop(author.owner), drop)
}

/** The same file as a new original of that asset. */
const replacing = (world: World, asset: Bundle, provenance: Buffer | undefined, manifest: object = {}): Bundle =>
  newBundle(world.author, {
    original: world.session.file,
    assetId: asset.assetId,
    manifest: {
      action: 'replace',
      ...(provenance === undefined ? {} : { prior_provenance_hash: sha256(provenance) }),
      ...manifest,
    },
  })

// Covers: Quota; Adopt; Adopt 3; AdoptRequest, album_id; AdoptRequest, asset_id; AdoptRequest, content_type;
// AdoptRequest, protocol_version; AdoptRequest, key_mode; AdoptRequest, manifest_envelope; AdoptResponse; State:
// pending drop, adopt; Errors 4, 426; Versioning 3; Provenance; Assets and blobs; Inbox and content
describe('adoption', () => {
  it('makes the drop the original of an asset, and answers the id of the asset', async () => {
    const world = await newWorld()
    const { author, bundle, drop, link, session } = world
    const reply = await adopt(world, bundle)
    expectAnswer(reply, '200')
    assert.deepEqual(json(reply), { asset_id: bundle.assetId })
    const { created_at, changed_at, ...asset } = await assetOf(bundle)
    assert.deepEqual(asset, {
      asset_id: bundle.assetId,
      album_id: author.albumId,
      complete: false,
      envelope: { ...bundle.manifest },
      blobs: [{ role: 'original', hash: sha256(session.file), size: session.file.length }],
      drop: {
        drop_id: drop.drop_id,
        opaque_id: link.opaqueId,
        kem_ct: drop.kem_ct,
        received_at: drop.received_at,
      },
    })
    assert.ok(created_at >= drop.received_at && changed_at >= created_at)
    assert.deepEqual(await inboxOf(author.owner), [])
  })

  it('changes neither the quota nor the used caps of the link', async () => {
    const world = await newWorld({ caps: { max_file_count: 3, max_total_bytes: 1000, max_file_size: 500 } })
    const { author, bundle, link } = world
    const [quota, entry, view] = [await quotaOf(author.owner), await entryOf(link), await guestView(link)]
    expectAnswer(await adopt(world, bundle), '200')
    assert.deepEqual(await quotaOf(author.owner), quota)
    assert.deepEqual(await entryOf(link), { ...entry, pending: 0 })
    assert.deepEqual(await guestView(link), view)
    assert.equal(await expectConsistentQuota(author, [bundle.assetId]), world.drop.size)
  })

  it('gives an asset that metadata and provenance complete, also with a wrapped key', async () => {
    const world = await newWorld()
    const { author, session } = world
    const manifest = { key_mode: 'wrapped', original_blob_hash: undefined }
    const bundle = newBundle(author, { original: session.file, manifest })
    expectAnswer(await adopt(world, bundle), '200')
    await landBlob(bundle, 'metadata')
    const wrapped_key = Uint8Array.from(randomBytes(1150))
    const provenance = signManifest({ ...bundle.manifest, wrapped_key }, author.keys)
    await landBlob(bundle, 'provenance', provenance)
    const asset = await assetOf(bundle)
    assert.deepEqual([asset.complete, asset.drop?.kem_ct], [true, world.drop.kem_ct])
    assert.equal((await receiptsOf(bundle)).at(-1)?.envelope_hash, sha256(provenance))
  })

  it('accepts both key modes, and a content type that the owner corrects', async () => {
    const author = await newAuthor(server)
    for (const key_mode of ['derived', 'wrapped'])
      for (const content_type of ['application/octet-stream', 'image/png']) {
        const world = await newWorld({ author })
        const bundle = newBundle(author, { original: world.session.file, manifest: { key_mode } })
        expectAnswer(await adopt(world, bundle, { content_type }), '200', `${key_mode} ${content_type}`)
      }
    assert.deepEqual(await inboxOf(author.owner), [])
  })

  it('accepts an asset that already has other blobs', async () => {
    const world = await newWorld()
    const { bundle } = world
    await landBlob(bundle, 'metadata')
    await landBlob(bundle, 'provenance')
    expectAnswer(await adopt(world, bundle), '200')
    assert.ok((await assetOf(bundle)).complete)
    await expectConsistentQuota(world.author, [bundle.assetId])
  })

  it('leaves the state of the guest and the answers to its repeats unchanged', async () => {
    const world = await newWorld()
    const { session, bundle } = world
    await adopt(world, bundle)
    expectAnswer(await append(session), '204')
    assert.equal((await server.send({ method: 'HEAD', path: sessionPath(session) })).status, 200)
  })

  it('answers 426 to a protocol version outside the window, in the header or the body', async () => {
    const world = await newWorld()
    const { author, drop, session } = world
    for (const protocol_version of ['1999-12-31', '2999-01-01']) {
      const bundle = newBundle(author, { original: session.file, manifest: { protocol_version } })
      expectAnswer(await adopt(world, bundle), '426 protocol.version_unsupported')
      const headers = { 'x-service-protocol': protocol_version }
      const reply = await sendAdoption(author.owner, drop.drop_id, adoptBody(world.bundle), headers)
      expectAnswer(reply, '426 protocol.version_unsupported')
    }
    await expectWaiting(world)
    const { headers } = await asOwner(author.owner, 'GET', '/v1/drops')
    const manifest = { protocol_version: String(headers['x-service-protocol-min']) }
    expectAnswer(await adopt(world, newBundle(author, { original: session.file, manifest })), '200', 'the oldest')
  })
})

// Covers: Adopt 2; AdoptRequest, size; AdoptRequest, hash; Inbox and content
describe('adoption: bytes of the drop', () => {
  it('answers 400 to a hash or size that is not the drop’s, even to those of another drop of the caller', async () => {
    const world = await newWorld()
    const { author, bundle, session } = world
    const own = newBundle(author)
    await landBlob(own)
    for (const original of [randomBytes(100), own.original])
      expectAnswer(await adopt(world, newBundle(author, { original })), '400 drop.adoption_mismatch')
    for (const size of [session.file.length - 1, session.file.length + 1, 2 ** 53 - 1])
      expectAnswer(await adopt(world, bundle, { size }), '400 drop.adoption_mismatch', `size ${size}`)
    await expectWaiting(world)
    expectAnswer(await adopt(world, bundle), '200')
  })

  it('answers 404 to a later discard of the drop, and keeps its bytes', async () => {
    const world = await newWorld()
    expectAnswer(await adopt(world, world.bundle), '200')
    expectAnswer(await discard(world), '404 drop.not_found')
    const pile = await asOwner(world.author.owner, 'DELETE', `/v1/drops?opaque_id=${world.link.opaqueId}`)
    expectAnswer(pile, '204')
    assert.deepEqual(await blobNamesOf(world.bundle), [`original ${world.drop.ciphertext_hash}`])
    assert.equal((await quotaOf(world.author.owner)).used, world.drop.size)
  })

  it('adopts only one of two drops with the same bytes', async () => {
    const author = await newAuthor(server)
    const link = await provision(author.owner)
    const file = randomBytes(50)
    await land(link, file)
    await land(link, file)
    const [one, two] = await inboxOf(author.owner)
    assert.ok(one !== undefined && two !== undefined)
    const bundle = newBundle(author, { original: file })
    expectAnswer(await sendAdoption(author.owner, two.drop_id, adoptBody(bundle)), '200')
    assert.deepEqual(await onlyDrop(author.owner), one)
    expectAnswer(await asOwner(author.owner, 'DELETE', `/v1/drops/${one.drop_id}`), '204')
    assert.deepEqual((await asOwner(author.owner, 'GET', `/v1/blob/${sha256(file)}`)).body, file)
    assert.equal(await expectConsistentQuota(author, [bundle.assetId]), file.length)
  })
})

// Covers: Adopt, 422; AdoptRequest, asset_id; ManifestEnvelope, prior_provenance_hash; Provenance; Inbox and content
describe('adoption: state of the asset', () => {
  it('answers 422 to an id that is taken: by an asset, an open session, another account or a deleted asset', async () => {
    const world = await newWorld()
    const { author, session } = world
    const stranger = await newAuthor(server)
    const taken = [newBundle(author), newBundle(author), newBundle(author), newBundle(stranger), newBundle(stranger)]
    const [held, open, deleted, theirs, openTheirs] = taken
    assert.ok(held && open && deleted && theirs && openTheirs)
    for (const bundle of [held, deleted, theirs]) await landBlob(bundle)
    for (const bundle of [open, openTheirs]) await openUpload(bundle)
    await deleteAsset(deleted)
    for (const { assetId } of taken) {
      const bundle = newBundle(author, { assetId, original: session.file })
      expectAnswer(await adopt(world, bundle), '422 asset.id_taken')
    }
    const waits = newBundle(author)
    await landBlob(waits, 'metadata')
    const other = newBundle(author, { assetId: waits.assetId, original: session.file })
    expectAnswer(await adopt(world, other), '422 asset.id_taken', 'the metadata names another original')
    assert.equal((await inboxOf(author.owner)).length, 1)
    await expectConsistentQuota(author, [held.assetId, waits.assetId])
    expectAnswer(await adopt(world, world.bundle), '200')
  })

  it('answers 422 when there is nothing to replace, or the manifest does not follow the present one', async () => {
    const world = await newWorld()
    const { author } = world
    const retention_until = new Date(Date.now() + DAY_MS).toISOString()
    const asset = await landAsset(newBundle(author, { manifest: { retention_until } }))
    const unknown = newBundle(author)
    const stale: readonly Bundle[] = [
      replacing(world, unknown, undefined),
      replacing(world, unknown, asset.provenance),
      replacing(world, asset, undefined, { retention_until }),
      replacing(world, asset, randomBytes(9), { retention_until }),
      replacing(world, asset, asset.provenance),
    ]
    for (const bundle of stale) expectAnswer(await adopt(world, bundle), '422 manifest.stale')
    await expectWaiting(world)
    assert.ok((await assetOf(asset)).complete)
    expectAnswer(await adopt(world, replacing(world, asset, asset.provenance, { retention_until })), '200')
  })

  it('answers 422 when an earlier provenance differs, and 200 when it agrees', async () => {
    const author = await newAuthor(server)
    const retention_until = '2026-02-03T04:05:06Z'
    for (const other of [{ amk_version: 2 }, { plaintext_size: 2 }, { chunk_size: 4096 }, { retention_until }]) {
      const world = await newWorld({ author })
      const { bundle } = world
      const differing = { ...bundle, manifest: { ...bundle.manifest, ...other } }
      await landBlob(bundle, 'provenance')
      expectAnswer(await adopt(world, differing), '422 manifest.stale', Object.keys(other).join())
      await expectWaiting(world)
      expectAnswer(await adopt(world, bundle), '200')
      assert.equal((await blobNamesOf(bundle)).length, 2)
    }
  })

  it('replaces an original, and frees the quota of the replaced blobs only', async () => {
    const world = await newWorld()
    const { author, drop } = world
    const asset = await landAsset(newBundle(author, { original: randomBytes(700) }))
    const bundle = replacing(world, asset, asset.provenance)
    expectAnswer(await adopt(world, bundle), '200')
    assert.deepEqual(await blobNamesOf(bundle), [`original ${drop.ciphertext_hash}`])
    assert.deepEqual((await assetOf(bundle)).drop?.drop_id, drop.drop_id)
    assert.equal((await quotaOf(author.owner)).used, drop.size)
    const receipts = await receiptsOf(bundle)
    assert.deepEqual(
      receipts.map(({ ciphertext_hash }) => ciphertext_hash).filter((hash) => hash === drop.ciphertext_hash).length,
      2,
    )
    assert.equal(receipts.length, 3 + 2, 'replaced blobs keep their receipts')
    const provenance = await landBlob(bundle, 'provenance', provenanceOf(bundle))
    const second = await newWorld({ author })
    expectAnswer(await adopt(second, replacing(second, asset, provenance)), '200')
    assert.equal((await assetOf(asset)).drop?.drop_id, second.drop.drop_id, 'the drop of the present original')
    const next = successorOf(asset, undefined)
    await landBlob(next)
    assert.equal(await expectConsistentQuota(author, [asset.assetId]), next.original.length)
  })
})
