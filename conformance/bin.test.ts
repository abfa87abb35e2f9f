/** What was discarded or deleted, and comes back. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { deleteAsset, getAsset, landAsset, newAuthor, newBundle } from './assetWorld.ts'
import { json } from './call.ts'
import { listen } from './eventReader.ts'
import { expectAnswer } from './expect.ts'
import { expectOtherRanges, expectRanges, type Read } from './servedBytes.ts'
import { connect } from './server.ts'
import { asOwner, inboxOf, land, newLink, type Owner, onlyDrop, quotaOf, sha256, signUp } from './world.ts'

interface Entry {
  readonly bin_id: string
  readonly size: number
  readonly deleted_at: string
  readonly empties_at: string
  readonly drop?: object
  readonly asset?: object
}

const server = await connect()

const binOf = async (owner: Owner, query = ''): Promise<readonly Entry[]> =>
  json<{ readonly entries: readonly Entry[] }>(await asOwner(owner, 'GET', `/v1/bin${query}`)).entries
const restore = (owner: Owner, id: string) => asOwner(owner, 'POST', `/v1/bin/${id}/restore`)

// Covers: Bin
describe('the bin', () => {
  it('has a discarded drop, whose content it serves, and restores it as it was', async () => {
    const [link, file] = [await newLink(server), randomBytes(1000)]
    await land(link, file)
    const drop = await onlyDrop(link.owner)
    const events = await listen(link.owner)
    expectAnswer(await asOwner(link.owner, 'DELETE', `/v1/drops/${drop.drop_id}`), '204')
    const [entry, ...others] = await binOf(link.owner)
    assert.ok(entry !== undefined && others.length === 0)
    assert.deepEqual([entry.bin_id, entry.size, entry.drop, entry.asset], [drop.drop_id, 1000, drop, undefined])
    assert.ok(Date.parse(entry.empties_at) > Date.parse(entry.deleted_at))
    const content = await asOwner(link.owner, 'GET', `/v1/bin/${drop.drop_id}/content/${sha256(file)}`)
    expectAnswer(content, '200')
    assert.deepEqual(content.body, file)
    const read: Read = (headers = {}) =>
      server.send({
        method: 'GET',
        path: `/v1/bin/${drop.drop_id}/content/${sha256(file)}`,
        token: link.owner.token,
        headers,
      })
    await expectRanges(read, file)
    await expectOtherRanges(read, file)
    expectAnswer(await read({ 'if-none-match': `"${sha256(file)}"` }), '304')
    const other = `/v1/bin/${drop.drop_id}/content/${sha256(randomBytes(9))}`
    expectAnswer(await asOwner(link.owner, 'GET', other), '404 bin.not_found')
    expectAnswer(await restore(link.owner, drop.drop_id), '204')
    const { data } = (await events.upTo('drop.restored')).at(-1) ?? {}
    assert.deepEqual(data, { drop_id: drop.drop_id, opaque_id: link.opaqueId })
    events.cut()
    expectAnswer(await restore(link.owner, drop.drop_id), '204', 'a repeat')
    assert.deepEqual(await inboxOf(link.owner), [drop])
    assert.deepEqual([await binOf(link.owner), (await quotaOf(link.owner)).used], [[], 1000])
  })

  it('restores a deleted asset with its blobs, and its album if that was deleted too', async () => {
    const author = await newAuthor(server)
    const { owner, albumId } = author
    const bundle = newBundle(author)
    await landAsset(bundle)
    const { changed_at: _, ...asset } = json<{ readonly changed_at: string }>(await getAsset(bundle))
    expectAnswer(await deleteAsset(bundle), '204')
    expectAnswer(await asOwner(owner, 'DELETE', `/v1/albums/${albumId}`), '204')
    expectAnswer(await restore(owner, bundle.assetId), '204')
    const { changed_at: __, ...after } = json<{ readonly changed_at: string }>(await getAsset(bundle))
    assert.deepEqual(after, asset)
    const { albums } = json<{ albums: readonly { album_id: string }[] }>(await asOwner(owner, 'GET', '/v1/albums'))
    assert.ok(albums.some((album) => album.album_id === albumId))
  })

  it('comes in pages, and what leaves it cannot be restored', async () => {
    const link = await newLink(server)
    for (let round = 0; round < 3; round += 1) await land(link)
    expectAnswer(await asOwner(link.owner, 'DELETE', `/v1/drops?opaque_id=${link.opaqueId}`), '204')
    const all = await binOf(link.owner)
    const [first, second, third] = all
    assert.ok(first && second && third && all.length === 3)
    assert.deepEqual(await binOf(link.owner, '?limit=2'), [first, second])
    assert.deepEqual(await binOf(link.owner, `?limit=2&after=${second.bin_id}`), [third])
    assert.deepEqual(await binOf(link.owner, '?order=newest'), all.toReversed())
    expectAnswer(await asOwner(link.owner, 'GET', `/v1/bin?after=${randomUUID()}`), '404 bin.not_found')
    expectAnswer(await asOwner(link.owner, 'DELETE', `/v1/bin/${first.bin_id}`), '204')
    expectAnswer(await restore(link.owner, first.bin_id), '404 bin.not_found')
    expectAnswer(await asOwner(await signUp(server), 'DELETE', '/v1/bin'), '204')
    assert.deepEqual(await binOf(link.owner), [second, third])
    expectAnswer(await asOwner(link.owner, 'DELETE', '/v1/bin'), '204')
    assert.deepEqual(await binOf(link.owner), [])
    expectAnswer(await restore(link.owner, second.bin_id), '404 bin.not_found')
    expectAnswer(await restore(link.owner, randomUUID()), '404 bin.not_found')
  })
})
