import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FeedRolledBack } from '@blindkeep/client/errors'
import type { AssetFacts, Change, ChangePage, Owner } from '@blindkeep/client/owner'
import {
  type AssetId,
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseProtocolVersion,
  parseSha256Hex,
} from '@blindkeep/protocol/ids'
import type { SeenChange } from '../browser/seenByBrowser.ts'
import { createAssetFeed, newestByAlbum } from './assetFeed.ts'

const idOf = (digit: number): AssetId => {
  const id = parseAssetId(`00000000-0000-4000-8000-00000000000${digit}`)
  assert.ok(id)
  return id
}

function assetOf(digit: number, createdAt: string, album = 1): AssetFacts {
  const albumId = parseAlbumId(`00000000-0000-4000-8000-00000000001${album}`)
  const hash = parseSha256Hex('0'.repeat(64))
  const version = parseProtocolVersion('2026-11-01')
  const [account, device] = [parseAccountId(idOf(8)), parseDeviceId(idOf(9))]
  assert.ok(albumId && hash && version && account && device)
  const envelope: AssetFacts['envelope'] = {
    crypto_suite_id: 1,
    protocol_version: version,
    file_id: idOf(digit),
    amk_version: 1,
    ciphertext_hash: hash,
    plaintext_size: 1,
    chunk_size: 1,
    key_mode: 'derived',
    created_by_user: account,
    created_by_device: device,
    client_version: 'test',
    timestamp: createdAt,
    action: 'create',
  }
  return {
    assetId: idOf(digit),
    albumId,
    complete: true,
    envelope,
    blobs: [],
    drop: undefined,
    createdAt,
    changedAt: createdAt,
    retainedUntil: undefined,
  }
}

const change = (seq: number, asset: AssetFacts): Change => ({
  seq,
  assetId: asset.assetId,
  asset,
  changedAt: asset.changedAt,
})
const deleted = (seq: number, digit: number): Change => ({
  seq,
  assetId: idOf(digit),
  asset: undefined,
  changedAt: '2026-01-01T00:00:00.000Z',
})
const page = (cursor: string, changes: readonly Change[], hasStartedOver = false): ChangePage => ({
  cursor,
  changes,
  hasStartedOver,
})

/** A feed over the given pages; `asked` are the cursors that it asked with. */
function feedOver(...rounds: readonly (readonly ChangePage[])[]) {
  return feedWith(newMemory(), ...rounds)
}

function newMemory(seen = 0): SeenChange & { seen: number } {
  const memory = {
    seen,
    load: async () => memory.seen,
    save: async (seq: number) => {
      memory.seen = Math.max(memory.seen, seq)
    },
    lower: async (seq: number) => {
      memory.seen = seq
    },
  }
  return memory
}

function feedWith(memory: SeenChange, ...rounds: readonly (readonly ChangePage[])[]) {
  const asked: (string | undefined)[] = []
  const remaining = [...rounds]
  const changes: Owner['changes'] = async function* ({ cursor, seen = 0 } = {}) {
    asked.push(cursor)
    let stated = 0
    for (const round of remaining.shift() ?? []) {
      stated = Math.max(stated, ...round.changes.map(({ seq }) => seq))
      yield round
    }
    if (cursor === undefined && stated < seen) throw new FeedRolledBack({ seen, stated })
  }
  const feed = createAssetFeed({ changes }, memory)
  return { feed, asked }
}

const [first, second] = [assetOf(1, '2026-01-01T00:00:00.000Z'), assetOf(2, '2026-02-01T00:00:00.000Z')]

describe('the asset feed', () => {
  it('refuses a list that ends before what this browser has seen, until the owner accepts it', async () => {
    const memory = newMemory()
    const pages = [page('a', [change(1, first), change(2, second)])]
    assert.equal((await feedWith(memory, pages).feed.refresh()).size, 2)
    assert.equal(memory.seen, 2)
    const older = [page('a', [change(1, first)])]
    const { feed } = feedWith(memory, older, older)
    await assert.rejects(feed.refresh(), { name: 'FeedRolledBack', seen: 2, stated: 1 })
    await feed.acceptRollback({ stated: 1 })
    assert.equal((await feed.refresh()).size, 1)
    assert.equal(memory.seen, 1)
  })

  it('refuses a list that is shorter than the one that the owner has accepted', async () => {
    const memory = newMemory(2)
    const { feed } = feedWith(memory, [page('a', [change(1, first)])], [page('b', [])])
    await assert.rejects(feed.refresh(), { name: 'FeedRolledBack', seen: 2, stated: 1 })
    await feed.acceptRollback({ stated: 1 })
    await assert.rejects(feed.refresh(), { name: 'FeedRolledBack', seen: 1, stated: 0 })
  })

  it('continues from the last cursor, and removes deleted assets', async () => {
    const { feed, asked } = feedOver(
      [page('a', [change(1, first)]), page('b', [change(2, second)])],
      [page('c', [deleted(3, 1)])],
    )
    assert.deepEqual([...(await feed.refresh()).keys()], [first.assetId, second.assetId])
    assert.deepEqual([...(await feed.refresh()).keys()], [second.assetId])
    assert.deepEqual(asked, [undefined, 'b'])
  })

  it('gives the same map when nothing has changed, and another one after a change', async () => {
    const { feed } = feedOver([page('a', [change(1, first)])], [page('a', [])], [page('b', [change(2, second)])])
    const before = await feed.refresh()
    assert.equal(await feed.refresh(), before)
    const after = await feed.refresh()
    assert.notEqual(after, before)
    assert.equal(before.size, 1)
  })

  it('starts with an empty map when the server’s feed has started over', async () => {
    const { feed } = feedOver([page('a', [change(1, first)])], [page('z', [change(1, second)], true)])
    await feed.refresh()
    assert.deepEqual([...(await feed.refresh()).keys()], [second.assetId])
  })

  it('refreshes once more for all calls during a refresh', async () => {
    const { feed, asked } = feedOver([page('a', [change(1, first)])], [page('b', [change(2, second)])])
    const [now, later, alsoLater] = await Promise.all([feed.refresh(), feed.refresh(), feed.refresh()])
    assert.deepEqual([now.size, later.size, alsoLater.size], [1, 2, 2])
    assert.deepEqual(asked, [undefined, 'a'])
  })

  it('keeps its cursor when a refresh fails', async () => {
    let round = 0
    const asked: (string | undefined)[] = []
    const changes: Owner['changes'] = async function* ({ cursor } = {}) {
      asked.push(cursor)
      round++
      yield page(`page ${round}`, [change(round, round === 1 ? first : second)])
      if (round === 2) throw new Error('line')
    }
    const feed = createAssetFeed({ changes }, newMemory())
    await feed.refresh()
    await assert.rejects(feed.refresh(), /line/)
    assert.equal((await feed.refresh()).size, 2)
    assert.deepEqual(asked, [undefined, 'page 1', 'page 1'])
  })

  it('is sorted by album, the newest first', () => {
    const other = assetOf(3, '2026-03-01T00:00:00.000Z', 2)
    const all = new Map([first, second, other].map((asset) => [asset.assetId, asset]))
    assert.deepEqual(newestByAlbum(all).get(first.albumId), [second, first])
  })
})
