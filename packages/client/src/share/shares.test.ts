/** Shares of uploaded files and adopted drops at a real server and at a malicious one. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import {
  type Blob,
  type Body,
  changedAsset,
  hashOf,
  servedBlob as servedAssetBlob,
} from '../../../../testing/maliciousAssets.ts'
import { changeBody, flipAt, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, newOwner, sendFile } from '../../../../testing/people.ts'
import type { Message } from '../../../../testing/tamperingProxy.ts'
import { AssetError, AssetIncomplete, AssetUnsigned } from '../assets/assetError.ts'
import { createCalls } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'
import type { CreatedShare, Owner } from '../owner.ts'
import { openBlob } from '../seal/open.ts'
import { SealError } from '../seal/sealError.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf } from '../testing/expectations.ts'
import { replaceAsset, sealReplacement } from '../testing/replaceAsset.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { newVisit, openShare, type SharedAsset, ShareError, type ShareFault } from './openShare.ts'
import { parseShare } from './shareAddress.ts'
import { openShareIndex, type ShareEntry, sealShareIndex } from './shareIndex.ts'

const MIB = 1024 * 1024
const FACTS = {
  name: 'naïve \u202Efdp.exe',
  type: 'image/jpeg',
  note: 'for me alone',
  modifiedAt: '2026-01-02T02:04:05Z',
}

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner
/** A file from the owner and one from a guest, both in one share. */
let files: { readonly assetId: string; readonly content: Uint8Array }[]
let created: CreatedShare

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
  files = [await uploaded(2 * MIB + 5), await adopted(MIB)]
  created = await owner.createShare(files.map(({ assetId }) => assetId))
})

async function uploaded(bytes: number) {
  const content = new Uint8Array(randomBytes(bytes))
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), ...keeper, ...FACTS })
  return { assetId, content }
}

async function adopted(bytes: number) {
  const content = new Uint8Array(randomBytes(bytes))
  const { url } = await owner.createLink()
  const { landed } = await sendFile(url, content, { name: 'from a guest.pdf', type: 'application/pdf', note: 'hello' })
  const drop = await dropOf(owner, landed)
  return { assetId: (await owner.adoptDrop(drop, keeper)).assetId, content }
}

const read = async (asset: SharedAsset | undefined) =>
  new Uint8Array(await new Response(await asset?.open()).arrayBuffer())
const failing = (reason: ShareFault) => (error: unknown) => error instanceof ShareError && error.reason === reason
const isNotFound = (error: unknown) => error instanceof ProblemError && error.code === 'error.share.not_found'

async function entriesOf({ url }: CreatedShare): Promise<readonly ShareEntry[]> {
  const { shareKey, opaqueId } = parseShare(url)
  const { body } = await createCalls({ baseUrl: proxy.url }).call('share', { path: { opaque_id: opaqueId } })
  return openShareIndex({ shareKey, opaqueId: fromHex(opaqueId) }, Buffer.from(body.sealed_index, 'base64'))
}

describe('a share', () => {
  it('shows names and files to a receiver who has only the address', async () => {
    const { assets } = await openShare(created.url)
    assert.deepEqual(
      assets.map(({ open: _, hash: __, ...file }) => file),
      [
        { name: FACTS.name, type: FACTS.type, modifiedAt: '2026-01-02T02:04:05.000Z', size: 2 * MIB + 5 },
        { name: 'from a guest.pdf', type: 'application/pdf', modifiedAt: undefined, size: MIB },
      ],
    )
    for (const [index, { content, assetId }] of files.entries()) {
      assert.deepEqual(await read(assets[index]), content)
      const { blobs } = await owner.asset(assetId)
      assert.equal(assets[index]?.hash, blobs.find(({ role }) => role === 'original')?.hash)
    }
  })

  it('has its key and names only in the address: no request and no answer contains them', async () => {
    const fragment = new URL(created.url).hash.slice(1)
    const { shareKey } = parseShare(created.url)
    const seen: string[] = []
    const note = <Noted extends Message>(message: Noted): Noted => {
      seen.push(JSON.stringify(message.headers), message.body.toString('latin1'))
      return message
    }
    proxy.tamper({ matches: ({ path }) => seen.push(path) > 0, request: note, answer: note })
    const ownName = 'For the grandparents'
    const again = await owner.createShare(
      files.map(({ assetId }) => assetId),
      { name: ownName },
    )
    await openShare(created.url)
    await openShare(again.url)
    await owner.listShares()
    const traffic = seen.join('\n')
    assert.ok(traffic.includes(again.opaqueId))
    const secrets = [
      fragment,
      new URL(again.url).hash.slice(1),
      toBase64(shareKey),
      Buffer.from(shareKey).toString('latin1'),
    ]
    for (const secret of [...secrets, ownName, Buffer.from(FACTS.name).toString('latin1'), 'from a guest'])
      assert.ok(!traffic.includes(secret), secret)
    await owner.deleteShare(again.opaqueId)
  })

  it('opens exactly these blobs: no other blob or original of their assets', async () => {
    const [file] = files
    const [entry] = await entriesOf(created)
    assert.ok(file && entry)
    const { blobs } = await owner.asset(file.assetId)
    const { call } = createCalls({ baseUrl: proxy.url })
    const metadata = blobs.find(({ role }) => role === 'metadata')
    assert.ok(metadata)
    for (const { hash } of blobs.filter(({ role }) => role !== 'original'))
      await assert.rejects(call('shareBlob', { path: { opaque_id: created.opaqueId, hash } }), isNotFound)
    const tokens = { access: () => owner.tokens().accessToken, renew: assert.fail }
    const { body } = await createCalls({ baseUrl: proxy.url, tokens }).call('blob', { path: { hash: metadata.hash } })
    await assert.rejects(
      openBlob(body, { secrets: entry.secrets }),
      (error) => error instanceof SealError && error.reason === 'wrong_key',
      'even if the server returns it',
    )
  })

  it('is listed with its name, its address and what was in it, for each client of its owner', async () => {
    const share = await owner.createShare(
      files.map(({ assetId }) => assetId),
      { name: ' For the\ngrandparents ' },
    )
    const [unnamed, named] = await anotherClient(proxy.url, owner).listShares()
    // Without what would turn the direction of the list.
    const names = (await openShare(share.url)).assets.map(({ name }) => name?.replace('\u202E', ''))
    const bytes = files.reduce((sum, { content }) => sum + content.length, 0)
    const contents = { files: files.length, bytes, names }
    const faults = { nameFault: undefined, recordFault: undefined, follows: undefined }
    const { opaqueId, url } = share
    assert.deepEqual(named, {
      ...{ opaqueId, url, name: 'For the grandparents', contents, expiresAt: undefined, ...faults },
      passphraseRequired: false,
      visits: { opened: 0, downloaded: 0, lastAt: undefined },
      maxDownloads: undefined,
      createdAt: named?.createdAt,
    })
    assert.deepEqual([unnamed?.name, unnamed?.url], [undefined, created.url])
    const nameOfIt = async () => (await owner.listShares()).find((each) => each.opaqueId === opaqueId)?.name
    for (const [given, now] of [
      [' Grandma\n', 'Grandma'],
      ['', undefined],
      ['Both', 'Both'],
    ] as const) {
      await owner.nameShare(opaqueId, given)
      assert.equal(await nameOfIt(), now)
    }
    await assert.rejects((await newOwner(proxy.url)).nameShare(opaqueId, 'mine'), isNotFound)
    assert.deepEqual([await nameOfIt(), (await openShare(url)).assets.length], ['Both', contents.files])
    await assert.rejects(owner.nameShare(opaqueId, 'x'.repeat(601)), RangeError)
    await assert.rejects(
      owner.createShare([files[0]?.assetId ?? ''], { name: 'x'.repeat(601) }),
      (error) => error instanceof RangeError,
    )
    await owner.deleteShare(opaqueId)
  })

  it('of an older client, without a record, is listed by its id and time', async () => {
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/shares(\?|$)/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.shares))
        for (const row of body.shares) for (const name of ['sealed_name', 'sealed_record']) delete row[name]
      }),
    })
    const [listed] = await owner.listShares()
    proxy.tamper()
    assert.deepEqual([listed?.opaqueId, listed?.url, listed?.contents], [created.opaqueId, undefined, undefined])
    assert.deepEqual([listed?.nameFault, listed?.recordFault], [undefined, undefined])
  })

  it('is made without name and record at a server that refuses them, and says that it is not kept', async () => {
    const asked: number[] = []
    proxy.tamper({
      matches: isRequest('POST', /^\/v1\/shares$/),
      request: changeBody((body) => {
        asked.push(Object.keys(body).filter((name) => name.startsWith('sealed_')).length)
        // What an earlier version does with a name that it does not know.
        if ('sealed_record' in body) body.unknown = true
      }),
    })
    const share = await owner.createShare([files[0]?.assetId ?? ''], { name: 'For the notary' })
    proxy.tamper()
    assert.deepEqual([share.isKept, asked], [false, [3, 1]])
    assert.equal((await openShare(share.url)).assets.length, 1)
    const listed = (await owner.listShares()).find(({ opaqueId }) => opaqueId === share.opaqueId)
    assert.deepEqual([listed?.name, listed?.url], [undefined, undefined])
    await owner.deleteShare(share.opaqueId)
  })

  it('is counted once a visit, whatever breaks, and not when its owner looks; beyond a limit it gives nothing', async () => {
    const [file] = files
    assert.ok(file !== undefined)
    const { url, opaqueId } = await owner.createShare([file.assetId], { maxDownloads: 2 })
    const listed = async () => (await owner.listShares()).find((share) => share.opaqueId === opaqueId)
    const seen = async () => {
      const { visits, maxDownloads } = (await listed()) ?? {}
      return [visits?.opened, visits?.downloaded, maxDownloads]
    }
    assert.deepEqual([await seen(), (await listed())?.visits?.lastAt], [[0, 0, 2], undefined])
    const visit = newVisit()
    const isBlob = ({ path }: { readonly path: string }) => path.startsWith(`/s/${opaqueId}/blob/`)
    for (let reload = 0; reload < 2; reload += 1) {
      proxy.tamper({ matches: isBlob, cut: { afterBytes: MIB }, times: 1 })
      const { assets } = await openShare(url, undefined, { visit })
      assert.deepEqual(await read(assets[0]), file.content)
      proxy.tamper()
    }
    const hashes = (await owner.sharedFiles(url)).map(({ hash }) => hash)
    assert.deepEqual(
      hashes,
      (await openShare(url, undefined, { visit })).assets.map(({ hash }) => hash),
    )
    assert.deepEqual(await seen(), [1, 1, 2])
    const early = await openShare(url)
    assert.deepEqual(await read((await openShare(url)).assets[0]), file.content)
    const isUsedUp = (error: unknown) => error instanceof ProblemError && error.code === 'error.share.used_up'
    await assert.rejects(read(early.assets[0]), isUsedUp)
    await assert.rejects(openShare(url), isUsedUp)
    assert.deepEqual(await seen(), [3, 2, 2])
    await owner.limitShare(opaqueId, undefined)
    assert.deepEqual(await read(early.assets[0]), file.content)
    assert.deepEqual(await seen(), [3, 3, undefined])
    await owner.deleteShare(opaqueId)
  })

  it('can be deleted, by its owner alone', async () => {
    const other = (await newKeeper(proxy.url)).owner
    const [file] = files
    assert.ok(file)
    const expiresAt = '2999-01-01T00:00:00.000Z'
    const share = await owner.createShare([file.assetId, file.assetId], { expiresAt })
    assert.equal((await entriesOf(share)).length, 1)
    const listed = (await owner.listShares()).at(-1)
    assert.deepEqual([listed?.opaqueId, listed?.expiresAt], [share.opaqueId, expiresAt])
    await other.deleteShare(share.opaqueId)
    const { assets } = await openShare(share.url)
    await owner.deleteShare(share.opaqueId)
    await owner.deleteShare(share.opaqueId)
    await assert.rejects(openShare(share.url), isNotFound)
    await assert.rejects(read(assets[0]), isNotFound)
    assert.deepEqual(
      (await owner.listShares()).map(({ opaqueId }) => opaqueId),
      [created.opaqueId],
    )
  })

  it('loses the file of a deleted asset, and no other', async () => {
    const deleted = await uploaded(10)
    const share = await owner.createShare([deleted.assetId, ...files.map(({ assetId }) => assetId)])
    await owner.deleteAsset(deleted.assetId)
    const { assets } = await openShare(share.url)
    assert.equal(assets.length, 3)
    await assert.rejects(read(assets[0]), isNotFound)
    assert.deepEqual(await read(assets[2]), files[1]?.content)
    await owner.deleteShare(share.opaqueId)
  })

  it('is not created without assets, or with another account’s', async () => {
    await assert.rejects(owner.createShare([]), RangeError)
    const stranger = await newOwner(proxy.url)
    await assert.rejects(
      stranger.createShare(files.map(({ assetId }) => assetId)),
      (error) => error instanceof ProblemError && error.code === 'error.asset.not_found',
    )
  })
})

describe('a share of a malicious server', () => {
  const shareAnswer = isRequest('GET', /^\/s\/[^/]+$/)
  const blobAnswer = isRequest('GET', /^\/s\/[^/]+\/blob\/[^/]+$/)
  const servedBlob = (body: Uint8Array) => ({
    matches: blobAnswer,
    answer: <Message>(message: Message) => ({ ...message, status: 200, headers: {}, body: Buffer.from(body) }),
  })

  async function sealedOf(assetId: string): Promise<Uint8Array> {
    const original = (await owner.asset(assetId)).blobs.find(({ role }) => role === 'original')
    assert.ok(original)
    const { opaqueId } = await owner.createShare([assetId])
    const { body } = await createCalls({ baseUrl: proxy.url }).call('shareBlob', {
      path: { opaque_id: opaqueId, hash: original.hash },
    })
    const bytes = new Uint8Array(await new Response(body).arrayBuffer())
    await owner.deleteShare(opaqueId)
    return bytes
  }

  it('detects an index of another share, and an altered one', async () => {
    const other = await owner.createShare(files.map(({ assetId }) => assetId))
    const { body } = await createCalls({ baseUrl: proxy.url }).call('share', { path: { opaque_id: other.opaqueId } })
    proxy.tamper({ matches: shareAnswer, answer: changeBody((answer) => Object.assign(answer, body)) })
    await assert.rejects(openShare(created.url), failing('index_swapped'))
    for (const position of [0, 1, 40, 100, 1200]) {
      const flip = changeBody((answer) => {
        const bytes = Buffer.from(String(answer.sealed_index), 'base64')
        bytes[position] = (bytes[position] ?? 0) ^ 1
        answer.sealed_index = bytes.toString('base64')
      })
      proxy.tamper({ matches: shareAnswer, answer: flip })
      await assert.rejects(openShare(created.url), failing('index_swapped'), String(position))
    }
    proxy.tamper({
      matches: shareAnswer,
      answer: changeBody((answer) => Object.assign(answer, { sealed_index: 'not base64' })),
    })
    await assert.rejects(openShare(created.url), AnswerError)
    await owner.deleteShare(other.opaqueId)
  })

  it('detects another blob, an altered one, and a truncated one', async () => {
    const [first, second] = await Promise.all(files.map(({ assetId }) => sealedOf(assetId)))
    assert.ok(first && second)
    const { assets } = await openShare(created.url)
    proxy.tamper(servedBlob(second))
    await assert.rejects(read(assets[0]), SealError)
    proxy.tamper(servedBlob(first.subarray(0, -1)))
    await assert.rejects(read(assets[0]), SealError)
    proxy.tamper(servedBlob(first.subarray(0, 1105 + MIB)))
    await assert.rejects(read(assets[0]), (error) => error instanceof SealError && error.reason === 'truncated')
    for (const position of [0, 5, 30, 500, MIB, 2 * MIB]) {
      proxy.tamper({ matches: blobAnswer, answer: flipAt(position) })
      await assert.rejects(read(assets[0]), SealError, String(position))
    }
    proxy.tamper()
    assert.deepEqual(await read(assets[0]), files[0]?.content)
  })

  it('detects a file of another hash or size than the shared one, even under the right key', async () => {
    const { shareKey, opaqueId } = parseShare(created.url)
    const [entry, other] = await entriesOf(created)
    assert.ok(entry && other)
    const showing = async (changed: Partial<ShareEntry>) => {
      const sealed = await sealShareIndex({ shareKey, opaqueId: fromHex(opaqueId) }, [{ ...entry, ...changed }])
      proxy.tamper({
        matches: shareAnswer,
        answer: changeBody((answer) => Object.assign(answer, { sealed_index: toBase64(sealed) })),
      })
      return read((await openShare(created.url)).assets[0])
    }
    assert.deepEqual(await showing({}), files[0]?.content)
    await assert.rejects(showing({ size: entry.size + 1 }), failing('asset_differs'))
    await assert.rejects(showing({ hash: other.hash }), SealError)
    const bytes = await sealedOf(files[0]?.assetId ?? '')
    const sealed = await sealShareIndex({ shareKey, opaqueId: fromHex(opaqueId) }, [{ ...entry, hash: other.hash }])
    proxy.tamper(
      {
        matches: shareAnswer,
        answer: changeBody((answer) => Object.assign(answer, { sealed_index: toBase64(sealed) })),
      },
      servedBlob(bytes),
    )
    await assert.rejects(read((await openShare(created.url)).assets[0]), failing('asset_differs'))
  })
})

describe('an asset that a malicious server wants to have shared', () => {
  // An accomplice who has the address could read whatever the index opens: it must contain nothing but the
  // requested assets.
  async function assertNotShared(change: (body: Body, blobs: Blob[]) => void, expected: (error: unknown) => boolean) {
    const [asked, victim] = files
    assert.ok(asked && victim)
    const [asset, other] = [await owner.asset(asked.assetId), await owner.asset(victim.assetId)]
    const tokens = { access: () => owner.tokens().accessToken, renew: assert.fail }
    const { call } = createCalls({ baseUrl: proxy.url, tokens })
    const { body } = await call('blob', { path: { hash: hashOf(other, 'original') } })
    const sealed = new Uint8Array(await new Response(body).arrayBuffer())
    const seenBefore = proxy.seen.length
    proxy.tamper(
      changedAsset((answer) => {
        assert.ok(Array.isArray(answer.blobs) && other.drop)
        const { dropId, opaqueId, kemCt, receivedAt } = other.drop
        answer.drop = { drop_id: dropId, opaque_id: opaqueId, kem_ct: kemCt, received_at: receivedAt }
        change(answer, answer.blobs)
      }),
      servedAssetBlob(hashOf(asset, 'original'), sealed),
    )
    await assert.rejects(owner.createShare([asked.assetId]), expected)
    assert.ok(proxy.seen.slice(seenBefore).every(({ method }) => method === 'GET'))
  }

  it('is not shared when the server calls it an unsigned drop', () =>
    assertNotShared(
      (answer, blobs) => {
        answer.blobs = blobs.filter(({ role }) => role === 'original')
        Object.assign(answer.envelope ?? {}, { key_mode: 'wrapped' })
      },
      (error) => error instanceof AssetUnsigned && error.revoked === undefined,
    ))

  it('is not shared when the server calls it a drop although it was signed with a derived key', () =>
    assertNotShared(
      () => undefined,
      (error) => error instanceof SealError && error.reason === 'wrong_key',
    ))

  it('is not shared under the name of its original when the server withholds the signed one', () =>
    assertNotShared(
      (answer, blobs) => {
        answer.blobs = blobs.filter(({ role }) => role !== 'metadata')
      },
      (error) => error instanceof AssetIncomplete && error.missing.join() === 'metadata',
    ))

  it('is not shared with the header of a longer former original', async () => {
    const asset = await owner.asset((await uploaded(10)).assetId)
    const present = await sealReplacement(keeper, asset, new Uint8Array(5))
    await replaceAsset(proxy.url, keeper, { asset, replacement: present })
    const former = await sealReplacement(keeper, asset, new Uint8Array(randomBytes(3 * MIB)))
    proxy.tamper(servedAssetBlob(present.original.hash, former.original.bytes))
    await assert.rejects(
      owner.createShare([asset.assetId]),
      (error) => error instanceof AssetError && error.reason === 'asset_differs',
    )
  })
})
