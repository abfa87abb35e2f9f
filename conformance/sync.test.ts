import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Author,
  assetOf,
  type Bundle,
  deleteAsset,
  landAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
} from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { asOwner, newLink, type Owner, quotaOf } from './world.ts'

const server = await connect()

interface Entry {
  readonly seq: number
  readonly change: 'upsert' | 'delete'
  readonly asset_id: string
  readonly asset?: unknown
  readonly changed_at: string
}

interface Page {
  readonly entries: readonly Entry[]
  readonly next_cursor: string
  readonly has_more: boolean
}

const ask = (owner: Owner, query: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  asOwner(owner, 'GET', `/v1/sync?${new URLSearchParams(query)}`)

async function pageOf({ owner }: Author, cursor?: string, limit?: number): Promise<Page> {
  const given = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
  }
  const reply = await ask(owner, given)
  assert.equal(reply.status, 200, reply.body.toString())
  return json<Page>(reply)
}

async function landed(author: Author, count: number): Promise<readonly Bundle[]> {
  const bundles = Array.from({ length: count }, () => newBundle(author))
  for (const bundle of bundles) await landBlob(bundle)
  return bundles
}

const idsOf = ({ entries }: Page) => entries.map(({ asset_id }) => asset_id)

// Covers: Other operations, shares and sync feed; Feed and events
describe('the sync feed', () => {
  it('is empty for an account without assets, with a cursor to continue from', async () => {
    const author = await newAuthor(server)
    const page = await pageOf(author)
    assert.deepEqual([page.entries, page.has_more], [[], false])
    const [bundle] = await landed(author, 1)
    assert.deepEqual(idsOf(await pageOf(author, page.next_cursor)), [bundle?.assetId])
  })

  it('has each asset as GET shows it, at the position of its last change', async () => {
    const author = await newAuthor(server)
    const [first, second] = [await landAsset(newBundle(author)), newBundle(author)]
    await landBlob(second)
    const page = await pageOf(author)
    assert.deepEqual(idsOf(page), [first.assetId, second.assetId])
    const [entry] = page.entries
    const asset = await assetOf(first)
    assert.deepEqual([entry?.change, entry?.asset, entry?.changed_at], ['upsert', asset, asset.changed_at])
    await landBlob(first, 'derivative')
    const again = await pageOf(author)
    assert.deepEqual(idsOf(again), [second.assetId, first.assetId])
    assert.deepEqual(again.entries[1]?.asset, await assetOf(first))
    assert.deepEqual(idsOf(await pageOf(author, page.next_cursor)), [first.assetId])
  })

  it('has a tombstone for a deleted asset, and no entry before the first blob has landed', async () => {
    const author = await newAuthor(server)
    const [bundle, coming] = [newBundle(author), newBundle(author)]
    await landBlob(bundle)
    const { next_cursor } = await pageOf(author)
    await openUpload(coming)
    await deleteAsset(bundle)
    for (const page of [await pageOf(author), await pageOf(author, next_cursor)]) {
      assert.deepEqual(
        page.entries.map(({ change, asset_id, asset }) => [change, asset_id, asset]),
        [['delete', bundle.assetId, undefined]],
      )
    }
  })

  it('has each change once over pages of any size, during other changes', async () => {
    const author = await newAuthor(server)
    const bundles = [...(await landed(author, 5))]
    for (const limit of [1, 2, 4]) {
      const seen = new Map<string, Entry>()
      const seqs: number[] = []
      let page = await pageOf(author, undefined, limit)
      const read = () => {
        for (const entry of page.entries) {
          seqs.push(entry.seq)
          seen.set(entry.asset_id, entry)
        }
      }
      read()
      for (let turn = 0; page.has_more; turn += 1) {
        assert.equal(page.entries.length, limit)
        if (turn < 2) bundles.push(...(await landed(author, 1)))
        if (turn === 1 && bundles[0] !== undefined) await landBlob(bundles[0], 'derivative')
        page = await pageOf(author, page.next_cursor, limit)
        read()
      }
      assert.deepEqual(
        seqs,
        [...new Set(seqs)].toSorted((a, b) => a - b),
        'each number once, rising',
      )
      assert.deepEqual([...seen.keys()].toSorted(), bundles.map(({ assetId }) => assetId).toSorted())
      for (const bundle of bundles) assert.deepEqual(seen.get(bundle.assetId)?.asset, await assetOf(bundle))
    }
  })

  it('has 100 entries by default, and at most 1,000', async () => {
    const author = await newAuthor(server)
    await Promise.all(Array.from({ length: 4 }, () => landed(author, 26)))
    const page = await pageOf(author)
    assert.deepEqual([page.entries.length, page.has_more], [100, true])
    assert.equal((await pageOf(author, page.next_cursor)).entries.length, 4)
    assert.equal((await pageOf(author, undefined, 1000)).entries.length, 104)
    for (const limit of ['0', '1001', '-1', '1.5', '01', '1e2', '', 'x'])
      expectAnswer(await ask(author.owner, { limit }), '400 request.malformed', limit)
    expectAnswer(await asOwner(author.owner, 'GET', '/v1/sync?limit=1&limit=2'), '400 request.malformed')
    expectAnswer(await ask(author.owner, { since: '1' }), '400 request.malformed')
  })

  it('answers 400 cursor_invalid to a cursor that is malformed, ahead or another account’s', async () => {
    const [author, other] = [await newAuthor(server), await newAuthor(server)]
    await landed(other, 2)
    const { next_cursor: ahead } = await pageOf(other)
    await landed(author, 1)
    const { next_cursor: cursor } = await pageOf(author)
    for (const wrong of [
      '',
      'nonsense',
      ahead,
      `${cursor}0`,
      `${cursor}00000000000000000000`,
      ` ${cursor}`,
      cursor.slice(0, -1),
    ])
      expectAnswer(await ask(author.owner, { cursor: wrong }), '400 sync.cursor_invalid', wrong)
    assert.deepEqual((await pageOf(author, cursor)).entries, [])
  })

  it('has only assets of the caller', async () => {
    const [author, other] = [await newAuthor(server), await newAuthor(server)]
    await landed(author, 1)
    assert.deepEqual((await pageOf(other)).entries, [])
    const link = await newLink(server)
    assert.deepEqual(json<Page>(await ask(link.owner)).entries, [])
    assert.equal((await quotaOf(link.owner)).used, 0)
  })
})
