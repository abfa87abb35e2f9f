/** Lists of an account in pages. The inbox, whose drops lose their places, has its own tests (`inbox.test.ts`). */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Author, addAlbum, addDevice, newAuthor, newBundle, openUpload, sendJson } from './assetWorld.ts'
import { json } from './call.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { endShare, makeShare, shareBody } from './sharing.ts'
import { asOwner, newOpaqueId, provision } from './world.ts'

interface List {
  readonly path: (author: Author) => string
  readonly member: string
  readonly id: string
  /** Makes an entry; answers its id. */
  readonly add: (author: Author) => Promise<string>
  /** Takes an entry out of the list, if something does; its place stays. */
  readonly remove?: (author: Author, id: string) => Promise<unknown>
  /** The answer to a page after an unknown entry. */
  readonly gone: string
  readonly newId: () => string
}

const server = await connect()
const capabilities = ({ albumId }: Author) => `/v1/albums/${albumId}/capabilities`

const LISTS: Readonly<Record<string, List>> = {
  links: {
    path: () => '/v1/drops/links',
    member: 'links',
    id: 'opaque_id',
    add: async ({ owner }) => (await provision(owner)).opaqueId,
    gone: '404 drop.link_not_found',
    newId: newOpaqueId,
  },
  devices: {
    path: () => '/v1/devices',
    member: 'devices',
    id: 'device_id',
    add: async ({ owner }) => (await addDevice(owner)).deviceId,
    gone: '404 device.not_found',
    newId: randomUUID,
  },
  albums: {
    path: () => '/v1/albums',
    member: 'albums',
    id: 'album_id',
    add: ({ owner }) => addAlbum(owner),
    remove: ({ owner }, albumId) => asOwner(owner, 'DELETE', `/v1/albums/${albumId}`),
    gone: '403 album.not_available',
    newId: randomUUID,
  },
  shares: {
    path: () => '/v1/shares',
    member: 'shares',
    id: 'opaque_id',
    async add({ owner }) {
      const body = shareBody()
      expectAnswer(await makeShare(owner, body), '201')
      return body.opaque_id
    },
    remove: ({ owner }, opaqueId) => endShare(owner, opaqueId),
    gone: '404 share.not_found',
    newId: newOpaqueId,
  },
  'capability tokens': {
    path: capabilities,
    member: 'capabilities',
    id: 'jti',
    async add(author) {
      const grant = { peer: 'https://peer.example', expires_at: new Date(Date.now() + 3_600_000).toISOString() }
      return json<{ jti: string }>(await sendJson(author.owner, capabilities(author), grant)).jti
    },
    remove: (author, jti) => asOwner(author.owner, 'DELETE', `${capabilities(author)}/${jti}`),
    gone: '404 request.not_found',
    newId: randomUUID,
  },
  'upload sessions': {
    path: () => '/v1/upload/sessions',
    member: 'uploads',
    id: 'upload_id',
    add: async (author) => (await openUpload(newBundle(author))).uploadId,
    remove: ({ owner }, uploadId) => asOwner(owner, 'DELETE', `/v1/upload/${uploadId}`),
    gone: '404 upload.session_not_found',
    newId: randomUUID,
  },
}

type Entry = Readonly<Record<string, unknown>>

async function open({ path, member, id, add }: List) {
  const author = await newAuthor(server)
  const ask = (query: string) => asOwner(author.owner, 'GET', `${path(author)}${query}`)
  const page = async (query: string) => json<Readonly<Record<string, readonly Entry[]>>>(await ask(query))[member] ?? []
  // An author has an album and a device before.
  while ((await page('')).length < 5) await add(author)
  const all = await page('')
  return { author, ask, page, all, ids: all.map((entry) => String(entry[id])) }
}

// Covers: Links; Devices, albums and capabilities; Shares; Uploads; Requests
describe('a list in pages', () => {
  it('is the whole list, oldest or newest first', async () => {
    for (const [name, list] of Object.entries(LISTS)) {
      const { page, all, ids } = await open(list)
      const expectPage = async (query: string, entries: readonly Entry[]) =>
        assert.deepEqual(await page(query), entries, `${name}${query}`)
      for (const query of ['?order=oldest', '?limit=1000']) await expectPage(query, all)
      await expectPage('?limit=2', all.slice(0, 2))
      await expectPage(`?limit=2&after=${ids[1]}`, all.slice(2, 4))
      await expectPage(`?after=${ids[3]}`, all.slice(4))
      await expectPage(`?after=${ids[4]}`, [])
      await expectPage('?order=newest', all.toReversed())
      await expectPage(`?order=newest&limit=2&after=${ids[3]}`, all.slice(1, 3).toReversed())
    }
  })

  it('loses and repeats nothing when entries come, and when the last one of a page leaves', async () => {
    for (const [name, list] of Object.entries(LISTS)) {
      const { author, page, ids } = await open(list)
      await list.remove?.(author, String(ids[1]))
      const added = await list.add(author)
      const rest = await page(`?after=${ids[1]}`)
      assert.deepEqual(
        rest.map((entry) => entry[list.id]),
        [...ids.slice(2), added],
        name,
      )
    }
  })

  it('does not begin after an unknown entry or another account’s', async () => {
    for (const [name, list] of Object.entries(LISTS)) {
      const [mine, theirs] = [await open(list), await open(list)]
      for (const id of [theirs.ids[0], list.newId()]) expectAnswer(await mine.ask(`?after=${id}`), list.gone, name)
    }
  })

  it('answers 400 to a malformed question', async () => {
    for (const [name, list] of Object.entries(LISTS)) {
      const { ask } = await open(list)
      for (const query of ['limit=0', 'limit=1001', 'limit=x', 'after=x', 'after=', 'order=x', 'before=1'])
        expectAnswer(await ask(`?${query}`), '400 request.malformed', `${name}?${query}`)
    }
  })
})
