/** Shares with a passphrase, at a real server and at a malicious one. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, newKeeper, quickEnvironment } from '../../../../testing/people.ts'
import type { Message } from '../../../../testing/tamperingProxy.ts'
import { createCalls } from '../http/call.ts'
import { ProblemError } from '../http/errors.ts'
import type { CreatedShare, Owner } from '../owner.ts'
import { sharePassphraseKey, sharePassphraseSalt } from '../seal/derive.ts'
import { normalPassphrase } from '../seal/passphraseSpellings.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { openShare, type SharedAsset, ShareError, type ShareFault } from './openShare.ts'
import { makeShareFragment, parseShare } from './shareAddress.ts'
import { openShareIndex } from './shareIndex.ts'
import { stretchSharePassphrase } from './sharePassphrase.ts'

const { proxy } = await sharedServer()
let owner: Owner
let assetId: string
/** A share without a passphrase. */
let created: CreatedShare
const content = new Uint8Array(randomBytes(100_000))
const passphrase = 'Open Sesame'

before(async () => {
  const keeper = await newKeeper(proxy.url)
  owner = keeper.owner
  assetId = (await owner.upload({ source: sourceOfBytes(content), ...keeper, name: 'a.bin' })).assetId
  created = await owner.createShare([assetId])
})

const withPassphrase = () => owner.createShare([assetId], { passphrase })
const open = (url: string, typed?: string) => openShare(url, quickEnvironment, { passphrase: typed })
const read = async (asset: SharedAsset | undefined) =>
  new Uint8Array(await new Response(await asset?.open()).arrayBuffer())
const isNotFound = (error: unknown) => error instanceof ProblemError && error.code === 'error.share.not_found'
const failing = (reason: ShareFault) => (error: unknown) => error instanceof ShareError && error.reason === reason

function partsOf(url: string) {
  const { baseUrl, opaqueId, ...fragment } = parseShare(url)
  return { rest: `${baseUrl}/v/${opaqueId}`, fragment }
}

async function proofOf(url: string): Promise<string> {
  const { shareKey, opaqueId } = parseShare(url)
  const given = { shareKey, opaqueId: fromHex(opaqueId), passphrase }
  return toBase64((await stretchSharePassphrase(quickEnvironment, given)).proof)
}

describe('a share', () => {
  it('with a passphrase opens with address and passphrase, typed anyhow, and with neither alone', async () => {
    const share = await owner.createShare([assetId], { passphrase, name: 'Both' })
    const listed = (await anotherClient(proxy.url, owner).listShares()).at(-1)
    assert.deepEqual([listed?.url, listed?.passphraseRequired, listed?.name], [share.url, true, 'Both'])
    assert.equal((await owner.listShares())[0]?.passphraseRequired, false)
    await assert.rejects(open(share.url), failing('passphrase_missing'))
    await assert.rejects(open(share.url, 'sesame'), failing('passphrase_wrong'))
    for (const typed of [passphrase, 'open-sesame', ' OPENSESAME\n']) {
      const { assets } = await open(share.url, typed)
      assert.deepEqual(await read(assets[0]), content)
    }
    // An address without the fact is another share, which this one is not.
    const { fragment, rest } = partsOf(share.url)
    const downgraded = `${rest}#${makeShareFragment({ ...fragment, needsPassphrase: false })}`
    for (const typed of [undefined, passphrase]) await assert.rejects(open(downgraded, typed), failing('index_swapped'))
    await owner.deleteShare(share.opaqueId)
    for (const typed of [undefined, passphrase]) await assert.rejects(open(share.url, typed), isNotFound)
  })

  it('without a passphrase opens with any, of which the server gets nothing', async () => {
    const headers: string[] = []
    const note = <Noted extends Message>(message: Noted): Noted => {
      headers.push(...Object.keys(message.headers))
      return message
    }
    proxy.tamper({ matches: isRequest('GET', /^\/s\//), request: note })
    assert.equal((await open(created.url, passphrase)).assets.length, 1)
    proxy.tamper()
    assert.ok(headers.includes('host') && !headers.includes('x-service-passphrase-proof'))
  })

  it('with a passphrase is not created at a server that does not know passphrases', async () => {
    proxy.tamper({
      matches: isRequest('POST', /^\/v1\/shares$/),
      request: changeBody((body) =>
        Object.assign(body, { passphrase_verifier: undefined, passphrase: body.passphrase_verifier }),
      ),
    })
    const before = (await owner.listShares()).length
    await assert.rejects(
      withPassphrase(),
      (error) => error instanceof ProblemError && error.code === 'error.request.malformed',
    )
    proxy.tamper()
    assert.equal((await owner.listShares()).length, before)
  })
})

describe('a share with a passphrase at a malicious server', () => {
  const shareAnswer = isRequest('GET', /^\/s\/[^/]+$/)

  it('is asked for although the server asks for none, and opens with the right one only', async () => {
    const share = await withPassphrase()
    const { opaqueId } = parseShare(share.url)
    const { body } = await createCalls({ baseUrl: proxy.url }).call('share', {
      path: { opaque_id: opaqueId },
      headers: { 'X-Service-Passphrase-Proof': await proofOf(share.url) },
    })
    // What a server does that drops its gate, or that has lost it.
    const given = <Noted extends Message>(message: Noted): Noted => ({
      ...message,
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    })
    proxy.tamper({ matches: shareAnswer, answer: given })
    await assert.rejects(open(share.url), failing('passphrase_missing'))
    await assert.rejects(open(share.url, 'sesame'), failing('index_swapped'))
    assert.equal((await open(share.url, passphrase)).assets.length, 1)
    const { shareKey } = parseShare(share.url)
    const sealed = Buffer.from(body.sealed_index, 'base64')
    await assert.rejects(openShareIndex({ shareKey, opaqueId: fromHex(opaqueId) }, sealed), failing('index_swapped'))

    // The index of a share without a passphrase does not take its place.
    proxy.tamper()
    const plain = await createCalls({ baseUrl: proxy.url }).call('share', { path: { opaque_id: created.opaqueId } })
    proxy.tamper({ matches: shareAnswer, answer: changeBody((answer) => Object.assign(answer, plain.body)) })
    await assert.rejects(open(share.url, passphrase), failing('index_swapped'))
    proxy.tamper()
    await owner.deleteShare(share.opaqueId)
  })

  it('is not asked for by a server where the address says that there is none', async () => {
    const refused = <Noted extends Message>(message: Noted): Noted => ({
      ...message,
      status: 403,
      headers: { 'content-type': 'application/problem+json' },
      body: Buffer.from(
        JSON.stringify({
          type: '/problems/error.share.passphrase_required',
          status: 403,
          code: 'error.share.passphrase_required',
        }),
      ),
    })
    proxy.tamper({ matches: shareAnswer, answer: refused })
    for (const given of [undefined, passphrase])
      await assert.rejects(open(created.url, given), failing('index_swapped'))
    proxy.tamper()
  })

  it('gets from owner and receiver neither the passphrase nor what a guess could be tested against', async () => {
    const seen: string[] = []
    const note = <Noted extends Message>(message: Noted): Noted => {
      seen.push(JSON.stringify(message.headers), message.body.toString('latin1'))
      return message
    }
    proxy.tamper({ matches: ({ path }) => seen.push(path) > 0, request: note, answer: note })
    const share = await withPassphrase()
    const { assets } = await open(share.url, passphrase)
    await read(assets[0])
    const traffic = seen.join('\n')
    proxy.tamper()
    const { shareKey, opaqueId } = parseShare(share.url)
    const id = fromHex(opaqueId)
    const stretched = await quickEnvironment.passphraseProof(
      normalPassphrase(passphrase),
      sharePassphraseSalt(shareKey, id),
    )
    const indexKey = sharePassphraseKey({ shareKey, stretched, opaqueId: id })
    assert.ok(traffic.includes(await proofOf(share.url)), 'only what follows from both')
    for (const secret of [shareKey, stretched, indexKey, sharePassphraseSalt(shareKey, id)])
      for (const encoding of ['base64', 'base64url', 'hex', 'latin1'] as const)
        assert.ok(!traffic.includes(Buffer.from(secret).toString(encoding)))
    assert.ok(!/sesame/i.test(traffic))
    await owner.deleteShare(share.opaqueId)
  })

  it('is listed as one with a passphrase although the server says that it has none', async () => {
    const share = await withPassphrase()
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/shares(\?|$)/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.shares))
        for (const row of body.shares) row.passphrase_required = false
      }),
    })
    const listed = (await owner.listShares()).at(-1)
    proxy.tamper()
    assert.deepEqual([listed?.passphraseRequired, listed?.url], [true, share.url], 'the record says it, not the server')
    await owner.deleteShare(share.opaqueId)
  })
})
