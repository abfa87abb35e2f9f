/**
 * The classes of attack of "End-to-End Encrypted Cloud Storage in the Wild" (IACR ePrint 2024/1616) that no
 * other malicious-server test runs: names, folders, previews, shares, truncation and reordering. SECURITY.md
 * lists all of them.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { type Body, blobAnswer, hashOf, pictureOf } from '../../../testing/maliciousAssets.ts'
import { changeBody, isRequest } from '../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper } from '../../../testing/people.ts'
import type { AssetFacts } from './assets/assetFacts.ts'
import { openLink } from './guest.ts'
import { createCalls } from './http/call.ts'
import { SealError } from './seal/sealError.ts'
import { sourceOfBytes } from './seal/source.ts'
import { ShareError } from './share/shareError.ts'
import { openShare } from './share.ts'
import { sharedServer } from './testing/sharedServer.ts'

const MIB = 1024 * 1024
const { proxy } = await sharedServer()
let keeper: Keeper
let asset: AssetFacts
let other: AssetFacts

before(async () => {
  keeper = await newKeeper(proxy.url)
  asset = await keep('one.bin', 2 * MIB + 1000)
  other = await keep('two.bin', 2 * MIB + 1000)
})

async function keep(name: string, size: number): Promise<AssetFacts> {
  const { owner, album, device } = keeper
  const { assetId } = await owner.upload({ source: sourceOfBytes(randomBytes(size)), album, device, name })
  return owner.asset(assetId)
}

/** Changes the rows of a list in an answer. */
const changedList = (path: RegExp, member: string, change: (rows: Body[]) => unknown[]) => ({
  matches: isRequest('GET', path),
  answer: changeBody((body) => {
    const rows = body[member]
    assert.ok(Array.isArray(rows))
    body[member] = change(rows)
  }),
})

/** Gives each row the sealed text of the next one. */
const rotated = (member: string) => (rows: Body[]) =>
  rows.map((row, index) => ({ ...row, [member]: rows[(index + 1) % rows.length]?.[member] }))

const read = (stream: ReadableStream<Uint8Array>) => new Response(stream as ReadableStream<BufferSource>).arrayBuffer()

describe('folders', () => {
  it('do not open under each other’s names', async () => {
    await keeper.owner.createAlbum({ name: 'Second' })
    proxy.tamper(changedList(/^\/v1\/albums(\?|$)/, 'albums', rotated('sealed_name')))
    for (const { name, nameFault } of await keeper.owner.albums()) {
      assert.equal(name, undefined)
      assert.ok(nameFault)
    }
  })

  it('that the server injects have no name, and no file of the owner opens in them', async () => {
    const albumId = crypto.randomUUID()
    const injected = (rows: Body[]) => [...rows, { ...rows[0], album_id: albumId }]
    proxy.tamper(changedList(/^\/v1\/albums(\?|$)/, 'albums', injected))
    const found = (await keeper.owner.albums()).find((album) => album.albumId === albumId)
    assert.equal(found?.name, undefined)
    assert.ok(found?.nameFault)
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/assets\/[^/]+$/),
      answer: changeBody((body) => Object.assign(body, { album_id: albumId })),
    })
    await assert.rejects(keeper.owner.openAsset(asset.assetId), { name: 'AssetError', reason: 'asset_differs' })
  })
})

describe('links', () => {
  it('do not appear under each other’s labels', async () => {
    await keeper.owner.createLink({ label: 'Taxes' })
    await keeper.owner.createLink({ label: 'Wedding' })
    proxy.tamper(changedList(/^\/v1\/drops\/links(\?|$)/, 'links', rotated('sealed_label')))
    for (const { label, labelFault } of await keeper.owner.listLinks()) {
      assert.equal(label, undefined)
      assert.ok(labelFault)
    }
  })
})

describe('the titles of links', () => {
  it('do not appear on another link, neither to its guests nor to its owner, and nothing is sealed beside them', async () => {
    const links = [
      await keeper.owner.createLink({ title: 'Taxes' }),
      await keeper.owner.createLink({ title: 'Wedding', message: 'Until Sunday' }),
    ]
    const { title } = await openLink(links[0]?.url ?? '')
    assert.equal(title, 'Taxes')
    const path = { opaque_id: links[1]?.opaqueId ?? '' }
    const { body: other } = await createCalls({ baseUrl: proxy.url }).call('guestLink', { path })
    proxy.tamper({
      matches: isRequest('GET', new RegExp(`^/d/${links[0]?.opaqueId}$`)),
      answer: changeBody((body) => Object.assign(body, { sealed_title: other.sealed_title })),
    })
    await assert.rejects(openLink(links[0]?.url ?? ''), { name: 'LinkError', reason: 'words_altered' })
    proxy.tamper(changedList(/^\/v1\/drops\/links(\?|$)/, 'links', rotated('sealed_title')))
    const listed = (await keeper.owner.listLinks()).filter(({ opaqueId }) =>
      links.some((link) => link.opaqueId === opaqueId),
    )
    for (const each of listed) assert.deepEqual([each.title, each.message], [undefined, undefined])
    assert.ok(listed.some(({ titleFault }) => titleFault !== undefined))
    proxy.tamper()
  })
})

describe('shares in the list of their owner', () => {
  it('do not appear under each other’s names, nor with each other’s address', async () => {
    const first = await keeper.owner.createShare([asset.assetId], { name: 'Taxes' })
    const second = await keeper.owner.createShare([other.assetId])
    // A name that is given later is bound to its share, too.
    await keeper.owner.nameShare(second.opaqueId, 'Wedding')
    for (const member of ['sealed_name', 'sealed_record'] as const) {
      proxy.tamper(changedList(/^\/v1\/shares(\?|$)/, 'shares', rotated(member)))
      const listed = await keeper.owner.listShares()
      assert.equal(listed.length, 2)
      for (const { opaqueId, name, nameFault, url, contents, recordFault } of listed)
        if (member === 'sealed_name') {
          assert.deepEqual([name, typeof nameFault], [undefined, 'string'])
          assert.equal(url, opaqueId === first.opaqueId ? first.url : second.url)
        } else {
          assert.deepEqual([url, contents, typeof recordFault], [undefined, undefined, 'string'])
          assert.equal(name, opaqueId === first.opaqueId ? 'Taxes' : 'Wedding')
        }
    }
    proxy.tamper()
    for (const { opaqueId } of [first, second]) await keeper.owner.deleteShare(opaqueId)
  })
})

describe('sessions and devices', () => {
  it('do not appear under each other’s names, nor does a session under that of its device', async () => {
    const { owner } = keeper
    const extra = await owner.addDevice(undefined, { tie: false })
    const devices = (await owner.devices()).map(({ deviceId }) => deviceId)
    for (const deviceId of devices) await owner.nameDevice(deviceId, `Desk ${deviceId}`)
    const sessions = await owner.sessions()
    for (const { sessionId } of sessions) await owner.nameSession(sessionId, 'Firefox on Linux')
    for (const { deviceId, name, nameFault } of await owner.devices())
      assert.deepEqual([name, nameFault], [`Desk ${deviceId}`, undefined])
    proxy.tamper(changedList(/^\/v1\/devices(\?|$)/, 'devices', rotated('sealed_name')))
    const listed = await owner.devices()
    assert.ok(listed.length >= 2)
    for (const { name, nameFault, isOwn } of listed)
      assert.deepEqual([name, typeof nameFault, isOwn], [undefined, 'string', true])
    let ofDevice: unknown
    proxy.tamper(
      changedList(/^\/v1\/devices(\?|$)/, 'devices', (rows) => {
        ofDevice = rows[0]?.sealed_name
        return rows
      }),
    )
    await owner.devices()
    // A session with the id of the device: what is named is bound, not only its id.
    proxy.tamper(
      changedList(/^\/v1\/auth\/sessions$/, 'sessions', (rows) =>
        rows.map((row) => ({ ...row, session_id: devices[0], sealed_name: ofDevice })),
      ),
    )
    for (const { name, nameFault } of await owner.sessions())
      assert.deepEqual([name, typeof nameFault], [undefined, 'string'])
    proxy.tamper()
    assert.equal((await owner.sessions())[0]?.name, 'Firefox on Linux')
    await owner.revokeDevice(extra.deviceId)
  })
})

describe('previews', () => {
  it('of another file do not open', async () => {
    const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'), randomBytes(500)])
    for (const each of [asset, other]) await keeper.owner.addThumbnail(pictureOf(each), new Uint8Array(picture))
    const [ours, theirs] = [await keeper.owner.asset(asset.assetId), await keeper.owner.asset(other.assetId)]
    const swapped = { ...ours, blobs: [...ours.blobs.filter(({ role }) => role !== 'derivative')] }
    const derivative = theirs.blobs.find(({ role }) => role === 'derivative')
    assert.ok(derivative)
    const client = anotherClient(proxy.url, keeper.owner)
    assert.equal(await client.readThumbnail({ ...swapped, blobs: [...swapped.blobs, derivative] }), undefined)
    assert.ok(await client.readThumbnail(ours))
  })
})

describe('the content of a file', () => {
  const alterations: readonly (readonly [string, (sealed: Buffer) => Buffer])[] = [
    ['truncated', (sealed) => sealed.subarray(0, -1)],
    ['truncated between segments', (sealed) => sealed.subarray(0, sealed.length - (sealed.length % MIB))],
    ['empty', () => Buffer.alloc(0)],
    ['lengthened', (sealed) => Buffer.concat([sealed, sealed.subarray(-MIB)])],
    [
      'with two parts exchanged',
      (sealed) => Buffer.concat([sealed.subarray(0, MIB), sealed.subarray(2 * MIB), sealed.subarray(MIB, 2 * MIB)]),
    ],
  ]
  for (const [what, alter] of alterations)
    it(`does not open ${what}, for the owner and for the receiver of a share`, async () => {
      const { url } = await keeper.owner.createShare([asset.assetId])
      const altered = (message: { body: Buffer }) => ({ body: alter(message.body) })
      const matches = blobAnswer(hashOf(asset, 'original'))
      const isShared = isRequest('GET', new RegExp(`${hashOf(asset, 'original')}$`))
      proxy.tamper({
        matches: (exchange) => matches(exchange) || isShared(exchange),
        answer: (message) => ({ ...message, ...altered(message) }),
      })
      await assert.rejects(keeper.owner.openAsset(asset.assetId).then(({ content }) => read(content)))
      const [shared] = (await openShare(url)).assets
      await assert.rejects(async () => shared && read(await shared.open()))
    })
})

describe('a share', () => {
  it('does not open with the index of another share', async () => {
    const first = await keeper.owner.createShare([asset.assetId])
    const second = await keeper.owner.createShare([other.assetId])
    let index: unknown
    proxy.tamper({
      matches: (exchange) => exchange.path.includes(second.opaqueId),
      answer: changeBody((body) => {
        index = body.sealed_index
      }),
    })
    await openShare(second.url)
    assert.ok(index)
    proxy.tamper({
      matches: (exchange) => exchange.path.includes(first.opaqueId),
      answer: changeBody((body) => {
        body.sealed_index = index
      }),
    })
    await assert.rejects(openShare(first.url), (error) => error instanceof ShareError || error instanceof SealError)
  })
})
