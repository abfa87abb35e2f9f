/** Shares that follow their album, at a real server: with other clients, killed ones, and a server that lies. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { type AlbumId, instantOf, parseSha256Hex } from '@blindkeep/protocol/ids'
import { changeBody, flipInBase64, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, quickEnvironment } from '../../../../testing/people.ts'
import type { CreatedShare, CreateShare, Owner } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { hasCode } from '../testing/expectations.ts'
import { callsOf } from '../testing/replaceAsset.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { type OpenedShare, openShare } from './openShare.ts'
import { parseShare } from './shareAddress.ts'
import { sealShareIndex } from './shareIndex.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
})

interface Following {
  readonly albumId: AlbumId
  readonly share: CreatedShare
  add(name: string, client?: Owner): Promise<string>
  names(passphrase?: string): Promise<readonly (string | undefined)[]>
  shown(): Promise<OpenedShare>
}

async function following(options: Omit<CreateShare, 'follow'> = {}): Promise<Following> {
  const { albumId } = await owner.createAlbum()
  const add = async (name: string, client = owner) => {
    const source = sourceOfBytes(new Uint8Array(randomBytes(10)))
    return (await client.upload({ source, album: albumId, device: keeper.device, name })).assetId
  }
  const share = await owner.createShare([await add('a')], { ...options, follow: albumId })
  const shown = (passphrase?: string) => openShare(share.url, quickEnvironment, { passphrase })
  const names = async (passphrase?: string) => (await shown(passphrase)).assets.map(({ name }) => name).toSorted()
  return { albumId, share, add, names, shown }
}

/** What the client asks the server for, while it works. */
async function asked(work: () => Promise<unknown>): Promise<readonly string[]> {
  const requests: string[] = []
  proxy.tamper({
    matches: ({ method, path }) => {
      requests.push(`${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f-]{32,}/, 'ID')}`)
      return false
    },
  })
  await work()
  proxy.tamper()
  return requests
}

describe('a share that follows its album', () => {
  it('shows what comes, has another name, leaves and comes back; compares without reading, and counts the same visits', async () => {
    const { albumId, share, add, names, shown } = await following({ name: 'Family' })
    const [b, c] = [await add('b'), await add('c')]
    assert.deepEqual(await names(), ['a'])
    const { following: count, changed } = await owner.refreshShares()
    assert.deepEqual(
      [count, changed.map(({ share: { name, follows }, ...facts }) => ({ name, follows, ...facts }))],
      [1, [{ name: 'Family', follows: albumId, files: 3, added: 2, removed: 0, left: 0 }]],
    )
    assert.deepEqual(await names(), ['a', 'b', 'c'])
    assert.deepEqual(await asked(() => owner.refreshShares()), ['GET /v1/shares', 'GET /v1/sync'])
    await owner.renameAsset(b, { name: 'beta', device: keeper.device })
    const before = await shown()
    await owner.deleteAsset(c)
    const readC = async () => new Response(await before.assets.find(({ name }) => name === 'c')?.open()).arrayBuffer()
    await assert.rejects(readC(), hasCode('error.share.not_found'), 'before the share is up to date')
    const requests = await asked(() => owner.refreshShares())
    assert.equal(requests.filter((request) => request === 'PATCH /v1/shares/ID').length, 1)
    assert.ok(requests.length < 12, `only the renamed file is read: ${requests.join(', ')}`)
    assert.deepEqual(await names(), ['a', 'beta'])
    const [gone] = (await owner.bin().next()).value ?? []
    await owner.restore(gone?.id ?? assert.fail())
    await anotherClient(proxy.url, owner).refreshShares()
    assert.deepEqual(await names(), ['a', 'beta', 'c'])
    const listed = (await owner.listShares()).find(({ opaqueId }) => opaqueId === share.opaqueId)
    assert.deepEqual([listed?.contents?.files, listed?.visits?.opened, listed?.name], [3, 5, 'Family'])
    await owner.deleteShare(share.opaqueId)
  })

  it('has a passphrase that no refresh needs, and becomes empty with its album', async () => {
    const { albumId, share, add, names } = await following({ passphrase: 'Open Sesame' })
    await add('b')
    await owner.refreshShares()
    assert.deepEqual(await names('open sesame'), ['a', 'b'])
    await assert.rejects(names('another'), /does not open/)
    for await (const { changes } of owner.changes())
      for (const { asset } of changes) if (asset?.albumId === albumId) await owner.deleteAsset(asset.assetId)
    const [refreshed] = (await owner.refreshShares()).changed
    assert.deepEqual([refreshed?.files, refreshed?.removed], [0, 2])
    assert.deepEqual(await names('open sesame'), [])
    await owner.deleteShare(share.opaqueId)
  })

  it('has no file of a moved one, nor of a revoked device, and stays as it is where it does not follow', async () => {
    const { albumId, share, add, names } = await following()
    const still = await owner.createShare([await add('b')])
    const { albumId: other } = await owner.createAlbum()
    await owner.refreshShares()
    const [entry] = await owner.sharedFiles(still.url)
    const device = await owner.addDevice(undefined, { tie: false })
    const source = sourceOfBytes(new Uint8Array(randomBytes(10)))
    await owner.upload({ source, album: albumId, device, name: 'stolen' })
    await owner.revokeDevice(device.deviceId)
    const b = (await owner.showingShares([entry?.hash ?? ''])).map(({ share: { opaqueId } }) => opaqueId)
    assert.deepEqual(new Set(b), new Set([share.opaqueId, still.opaqueId]))
    for await (const { changes } of owner.changes())
      for (const { asset } of changes)
        if (asset?.blobs.some(({ hash }) => hash === entry?.hash))
          await owner.moveAsset({ assetId: asset.assetId, album: other, device: keeper.device })
    const { changed } = await owner.refreshShares()
    assert.deepEqual(
      changed.map(({ files, added, removed, left }) => ({ files, added, removed, left })),
      [{ files: 1, added: 0, removed: 1, left: 1 }],
    )
    assert.deepEqual(await names(), ['a'])
    assert.deepEqual((await owner.refreshShares()).changed, [])
    assert.equal((await owner.sharedFiles(still.url)).length, 1)
    for (const { opaqueId } of [share, still]) await owner.deleteShare(opaqueId)
  })

  it('loses nothing that two clients add at once', async () => {
    const { share, add, names } = await following()
    const other = anotherClient(proxy.url, owner)
    const work = async (client: Owner, name: string) => {
      for (let turn = 0; turn < 4; turn += 1) {
        await add(`${name}${turn}`, client)
        await client.refreshShares()
      }
    }
    await Promise.all([work(owner, 'x'), work(other, 'y')])
    const all = ['a', 'x0', 'x1', 'x2', 'x3', 'y0', 'y1', 'y2', 'y3']
    assert.deepEqual(await names(), all)
    await owner.deleteShare(share.opaqueId)
  })

  it('is brought up to date by the next client, whatever the last request before a kill', async () => {
    const { share, add, names } = await following()
    for (let survived = 0, isDone = false; !isDone; survived += 1) {
      assert.ok(survived < 30, 'it never ends')
      await add(`f${survived}`)
      const killed = new AbortController()
      let requests = 0
      proxy.tamper({
        matches: () => {
          requests += 1
          if (requests > survived) killed.abort(new Error('killed'))
          return false
        },
      })
      isDone = await owner.refreshShares({ signal: killed.signal }).then(
        () => requests <= survived,
        () => false,
      )
      proxy.tamper()
      await anotherClient(proxy.url, owner).refreshShares()
      assert.equal((await names()).length, survived + 2)
    }
    await owner.deleteShare(share.opaqueId)
  })

  it('is not overwritten by what a server gives out again: an older index, or an older record', async () => {
    const { share, add, names } = await following()
    const old: Record<string, unknown> = {}
    const oneShare = isRequest('GET', /^\/v1\/shares\/[0-9a-f]+$/)
    const list = isRequest('GET', /^\/v1\/shares(\?|$)/)
    const rowOf = (body: Record<string, unknown>) =>
      (body.shares as Record<string, unknown>[]).find(({ opaque_id }) => opaque_id === share.opaqueId) ?? {}
    proxy.tamper({ matches: list, answer: changeBody((body) => Object.assign(old, rowOf(body))) })
    await owner.listShares()
    const entries = await owner.sharedFiles(share.url)
    let index: unknown
    proxy.tamper({
      matches: oneShare,
      answer: changeBody((body) => {
        index = body.sealed_index
      }),
    })
    await add('b')
    await owner.refreshShares()
    assert.equal(entries.length, 1)
    proxy.tamper({ matches: list, answer: changeBody((body) => Object.assign(rowOf(body), old)) })
    const again = await owner.refreshShares()
    assert.deepEqual(
      again.changed.map(({ files, added }) => [files, added]),
      [[2, 0]],
      'it is sealed again, and shows the same',
    )
    proxy.tamper()
    await add('c')
    proxy.tamper({ matches: oneShare, answer: changeBody((body) => Object.assign(body, { sealed_index: index })) })
    const refused = await owner.refreshShares()
    proxy.tamper()
    assert.deepEqual([refused.changed, refused.behind], [[], 1], 'the server itself refuses the hash of the older one')
    assert.deepEqual(await names(), ['a', 'b'])
    await owner.refreshShares()
    assert.deepEqual(await names(), ['a', 'b', 'c'])
    await owner.deleteShare(share.opaqueId)
  })

  it('shows nothing that comes after its end, also to a server that says that it has none', async () => {
    const expiresAt = await owner.endIn(3600)
    const { share, add, names } = await following({ expiresAt })
    const late = anotherClient(proxy.url, owner, { ...quickEnvironment, now: () => instantOf(Date.now() + 7_200_000) })
    await add('b')
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/shares(\?|$)/),
      answer: changeBody((body) => {
        for (const row of body.shares as Record<string, unknown>[]) row.expires_at = null
      }),
    })
    const refused = await late.refreshShares()
    assert.deepEqual([refused.following, await names()], [0, ['a']])
    const { following: count } = await owner.refreshShares()
    proxy.tamper()
    assert.deepEqual([count, await names()], [1, ['a', 'b']], 'before its end')
    await owner.deleteShare(share.opaqueId)
  })

  it('takes over nothing of an index that a thief of a token has sealed with the key of the address', async () => {
    const { albumId, share, add, names } = await following()
    const device = await owner.addDevice(undefined, { tie: false })
    const source = sourceOfBytes(new Uint8Array(randomBytes(10)))
    const { assetId } = await owner.upload({ source, album: albumId, device, name: 'stolen' })
    await owner.refreshShares()
    const { opaqueId, shareKey } = parseShare(share.url)
    const forged = (await owner.sharedFiles(share.url)).map((entry) => ({ ...entry, name: `forged ${entry.name}` }))
    await owner.revokeDevice(device.deviceId)
    const call = callsOf(proxy.url, owner)
    const path = { opaque_id: opaqueId }
    const { sealed_index: prior, blob_hashes } = (await call('ownShare', { path })).body
    const sealed = await sealShareIndex({ shareKey, opaqueId: fromHex(opaqueId) }, forged)
    const record = (await call('listShares')).body.shares.find(({ opaque_id: id }) => id === opaqueId)?.sealed_record
    const body = {
      ...{ sealed_index: toBase64(sealed), blob_hashes, sealed_record: record ?? assert.fail() },
      prior_index_hash: parseSha256Hex(createHash('sha256').update(fromBase64(prior)).digest('hex')) ?? assert.fail(),
    }
    await call('changeShare', { path, body })
    assert.deepEqual(await names(), ['forged a', 'forged stolen'])
    await add('b')
    const { changed } = await owner.refreshShares()
    assert.deepEqual([changed.map(({ left }) => left), await names()], [[1], ['a', 'b']])
    await owner.deleteAsset(assetId)
    await owner.deleteShare(share.opaqueId)
  })

  it('does not wait for another share, whose index does not open', async () => {
    const [broken, whole] = [await following(), await following()]
    await broken.add('b')
    await whole.add('b')
    proxy.tamper({
      matches: isRequest('GET', new RegExp(`^/v1/shares/${broken.share.opaqueId}$`)),
      answer: changeBody((body) => Object.assign(body, { sealed_index: flipInBase64(body.sealed_index, 9) })),
    })
    await assert.rejects(owner.refreshShares(), { reason: 'index_swapped' })
    proxy.tamper()
    assert.deepEqual(await whole.names(), ['a', 'b'])
    for (const { share } of [broken, whole]) await owner.deleteShare(share.opaqueId)
  })

  it('does not wait for another share, for which there is no room', async () => {
    const [large, whole] = [await following(), await following()]
    await large.add('b')
    await whole.add('b')
    proxy.tamper({
      matches: isRequest('PATCH', new RegExp(`^/v1/shares/${large.share.opaqueId}$`)),
      // It changes nothing.
      request: changeBody((body) => Object.assign(body, { unknown: true })),
      answer: ({ headers }) => ({
        headers: { ...headers, 'content-type': 'application/problem+json' },
        body: Buffer.from(JSON.stringify({ code: 'error.request.limit_reached' })),
        status: 403,
      }),
    })
    await assert.rejects(owner.refreshShares(), hasCode('error.request.limit_reached'))
    proxy.tamper()
    assert.deepEqual(await whole.names(), ['a', 'b'])
    for (const { share } of [large, whole]) await owner.deleteShare(share.opaqueId)
  })

  it('is not made at a server that never changes what a share shows', async () => {
    proxy.tamper({
      matches: isRequest('PATCH', /^\/v1\/shares\//),
      // What an earlier version does with a name that it does not know.
      request: changeBody((body) => Object.assign(body, { unknown: true })),
    })
    const shares = (await owner.listShares()).length
    await assert.rejects(following(), hasCode('error.request.malformed'))
    proxy.tamper()
    assert.equal((await owner.listShares()).length, shares)
  })
})
