/** Another name for a file of a real server, through crashes and beside another client. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { anotherClient, type Keeper, newKeeper, quickEnvironment, sendFile } from '../../../../testing/people.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { SendError } from '../send/sendError.ts'
import { openShare } from '../share.ts'
import { dropOf } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'

const { proxy } = await sharedServer()
let keeper: Keeper

before(async () => {
  keeper = await newKeeper(proxy.url)
})

const content = new Uint8Array(randomBytes(1000))
const picture = new Uint8Array(Buffer.concat([Buffer.from('RIFF....WEBPVP8 '), randomBytes(500)]))
const FACTS = {
  type: 'text/plain',
  note: 'for you',
  modifiedAt: '2026-02-03T04:05:06.000Z',
  fields: [['Matter number', '2026/17']],
} as const

async function uploaded(): Promise<string> {
  const { owner, ...rest } = keeper
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), ...rest, name: 'before.txt', ...FACTS })
  return assetId
}

/** As a client sees it that has only the account. */
async function read(assetId: string) {
  const opened = await anotherClient(proxy.url, keeper.owner).openAsset(assetId)
  const { name, type, note, modifiedAt, sender, fields } = opened
  const bytes = new Uint8Array(await new Response(opened.content).arrayBuffer())
  return { name, type, note, modifiedAt, sender, fields, isWhole: Buffer.compare(bytes, content) === 0 }
}

/** Another client, whose requests wait for `meanwhile` before it opens the session of its manifest. */
function slowClient(meanwhile: () => Promise<unknown>) {
  let creations = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (init?.method === 'POST' && String(input).endsWith('/v1/upload') && ++creations === 2) await meanwhile()
    return quickEnvironment.fetch(input, init)
  }
  return anotherClient(proxy.url, keeper.owner, { ...quickEnvironment, fetch })
}

describe('a file that gets another name', () => {
  it('keeps its content, its other facts, its thumbnail and its shares, and may be destroyed elsewhere', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    const { hash: originalHash } = (await owner.asset(assetId)).blobs[0] ?? assert.fail()
    await owner.addThumbnail({ assetId, originalHash }, picture)
    const { url } = await owner.createShare([assetId])
    await owner.renameAsset(assetId, { name: '  after.txt ', device })
    assert.deepEqual(await read(assetId), { name: 'after.txt', ...FACTS, sender: undefined, isWhole: true })
    const other = anotherClient(proxy.url, owner)
    assert.ok(await other.readThumbnail(assetId))
    const [shared] = (await openShare(url)).assets
    const received = await new Response(await shared?.open()).arrayBuffer()
    assert.deepEqual(new Uint8Array(received), content)
    const answer = await other.verifyBeforeDestroying({ assetId, source: sourceOfBytes(content) })
    assert.ok(answer.safe, JSON.stringify(answer))
    await owner.addThumbnail({ assetId, originalHash }, picture)
  })

  it('can be a guest’s, and get one name after the other', async () => {
    const { owner, device, album } = keeper
    const { landed } = await sendFile((await owner.createLink()).url, content, { sender: 'Ada' })
    const { assetId } = await owner.adoptDrop(await dropOf(owner, landed), { album, device })
    for (const name of ['one', 'two', 'two', 'three']) {
      await owner.renameAsset(assetId, { name, device })
      const { name: shown, sender, isWhole } = await read(assetId)
      assert.deepEqual([shown, sender, isWhole], [name, 'Ada', true])
    }
    assert.ok((await owner.asset(assetId)).drop)
  })

  it('has its former name until the new one is signed, also after a kill at each request', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    const isWrite = ({ method, path }: { method: string; path: string }) =>
      method !== 'GET' && path.startsWith('/v1/upload')
    const names = new Set<string | undefined>()
    for (let survived = 0; survived < 4; survived++) {
      const killed = new AbortController()
      let writes = 0
      proxy.tamper({
        matches: (exchange) => {
          if (isWrite(exchange) && writes++ === survived) killed.abort(new Error('killed'))
          return false
        },
      })
      const name = `name ${survived}`
      await assert.rejects(owner.renameAsset(assetId, { name, device, signal: killed.signal }), /killed/)
      const shown = await read(assetId)
      assert.ok(shown.isWhole)
      // A receipt of metadata that wait is no sign of tampering.
      await anotherClient(proxy.url, owner).assetReceipts(assetId)
      names.add(shown.name)
      assert.notEqual(shown.name, undefined)
    }
    proxy.tamper()
    assert.ok(
      [...names].every((name) => name === 'before.txt' || name === 'name 3'),
      [...names].join(),
    )
    await owner.renameAsset(assetId, { name: 'at last', device })
    assert.equal((await read(assetId)).name, 'at last')
    assert.equal((await owner.asset(assetId)).blobs.length, 3)
  })

  it('gets the name of one of two clients, and the other client hears of it', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    const slow = slowClient(() => owner.renameAsset(assetId, { name: 'theirs', device }))
    const isTaken = (error: unknown) => error instanceof SendError && error.reason === 'asset_taken'
    await assert.rejects(slow.renameAsset(assetId, { name: 'mine', device }), isTaken)
    assert.deepEqual([(await read(assetId)).name, (await read(assetId)).isWhole], ['theirs', true])
    await slow.renameAsset(assetId, { name: 'mine', device })
    assert.equal((await read(assetId)).name, 'mine')
  })

  it('needs a name that can be read, of at most 600 bytes', async () => {
    const { owner, device } = keeper
    const assetId = await uploaded()
    for (const name of ['', ' \n ', 'ä'.repeat(301)])
      await assert.rejects(owner.renameAsset(assetId, { name, device }), RangeError)
    assert.equal((await read(assetId)).name, 'before.txt')
  })
})
