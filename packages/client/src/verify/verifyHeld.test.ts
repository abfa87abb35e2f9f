/** Whether the server holds what was signed: honest answers together, and a doubt about the right asset otherwise. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import {
  assetAnswer,
  type Body,
  blobAnswer,
  changedAsset,
  changedReceipts,
  changedVerdict,
  devicesAnswer,
  hashOf,
  keysAnswer,
  pictureOf,
  receiptsAnswer,
  swappedBlob,
  type Verdict,
  verdictAnswer,
} from '../../../../testing/maliciousAssets.ts'
import { changeBody, flipAt, flipInBase64, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, openedDrops, quickEnvironment, sendFile } from '../../../../testing/people.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import { createVerificationWorld } from '../testing/verificationWorld.ts'
import type { DoubtReason } from './doubt.ts'
import type { DoubtedAsset, HeldAnswers, VerifyHeld } from './verifyHeld.ts'

const world = await createVerificationWorld()

/** Asks with a client that has only the account. */
function ask(question: Partial<VerifyHeld> = {}): Promise<HeldAnswers> {
  const { proxy, keeper, asset, other } = world
  const assetIds = [asset.assetId, other.assetId]
  return anotherClient(proxy.url, keeper.owner).verifyHeld({ assetIds, ...question })
}

async function doubted(question: Partial<VerifyHeld> = {}): Promise<DoubtedAsset> {
  const { answers } = await ask({ assetIds: [world.asset.assetId], ...question })
  const [answer] = answers
  assert.ok(answer !== undefined && !answer.held, 'the answer is yes')
  assert.ok(answer.doubts.length > 0)
  return answer
}

async function assertDoubt(reason: DoubtReason, question: Partial<VerifyHeld> = {}): Promise<DoubtedAsset> {
  const answer = await doubted(question)
  for (const doubt of answer.doubts) assert.equal(doubt.reason, reason, doubt.message)
  return answer
}

function notThere(): AssetId {
  // A device's id has the form of an asset's, and no asset has it.
  const id = parseAssetId(world.keeper.device.deviceId)
  assert.ok(id)
  return id
}

describe('what the server holds', () => {
  it('is reported for each asset in the order of the question, with hashes, signer and receipts', async () => {
    const { asset, other, keeper } = world
    const ready: number[] = []
    const { answers, keys } = await ask({ onProgress: (count) => ready.push(count) })
    assert.deepEqual(
      answers.map(({ assetId }) => assetId),
      [asset.assetId, other.assetId],
    )
    assert.deepEqual(ready, [1, 2])
    for (const [index, facts] of [asset, other].entries()) {
      const answer = answers[index]
      assert.ok(answer?.held)
      assert.equal(answer.examined, 'deep')
      assert.equal(answer.file.name, 'a plan.pdf')
      assert.equal(answer.file.size, 2 * 1024 * 1024)
      assert.equal(answer.signed.deviceId, keeper.device.deviceId)
      assert.equal(answer.receipts.receipts.length, 3)
      for (const role of ['original', 'metadata', 'provenance'] as const)
        assert.equal(answer.hashes[role], hashOf(facts, role))
    }
    const again = await ask({ pinned: keys })
    assert.ok(again.answers.every(({ held }) => held))
  })

  it('is reported as not read again when no deep scan was requested', async () => {
    const { answers } = await ask({ depth: 'structural' })
    assert.ok(answers.every((answer) => answer.held && answer.examined === 'structural'))
  })

  it('includes a drop that was adopted', async () => {
    const { owner } = world.keeper
    const { url } = await owner.createLink()
    await sendFile(url, new Uint8Array(randomBytes(5000)), { name: 'from a guest' })
    const [drop] = await openedDrops(owner)
    assert.ok(drop)
    const { assetId } = await owner.adoptDrop(drop, world.keeper)
    const [answer] = (await ask({ assetIds: [assetId] })).answers
    assert.ok(answer?.held)
    assert.equal(answer.file.name, 'from a guest')
    assert.equal(answer.receipts.receipts.length, 4)
  })

  it('includes a file that gets a thumbnail while it is asked about', async () => {
    const { keeper, keep, proxy } = world
    const { assetId } = await keep(new Uint8Array(randomBytes(100)))
    const { fetch } = quickEnvironment
    let isAdded = false
    const meanwhile: typeof fetch = async (url, init) => {
      if (!isAdded && String(url).endsWith(`/${assetId}/receipts`)) {
        isAdded = true
        const picture = pictureOf(await keeper.owner.asset(assetId))
        await keeper.owner.addThumbnail(picture, Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))
      }
      return fetch(url, init)
    }
    const client = anotherClient(proxy.url, keeper.owner, { ...quickEnvironment, fetch: meanwhile })
    const [answer] = (await client.verifyHeld({ assetIds: [assetId] })).answers
    assert.ok(isAdded)
    assert.ok(answer?.held)
    assert.equal(answer.receipts.receipts.length, 4)
  })

  it('is doubted as damaged, by the server’s own verdict, when its header does not open', async () => {
    const { blobPath, keep } = world
    const rotten = await keep(new Uint8Array(randomBytes(100)))
    const path = await blobPath(hashOf(rotten, 'original'))
    const bytes = await readFile(path)
    bytes[30] = (bytes[30] ?? 0) ^ 1
    await writeFile(path, bytes)
    const answer = await doubted({ assetIds: [rotten.assetId] })
    assert.deepEqual(
      answer.doubts.map(({ reason }) => reason),
      ['unreadable', 'corrupt'],
    )
  })

  it('is doubted for each asset separately', async () => {
    const { blobPath, keep, other } = world
    const lost = await keep(new Uint8Array(randomBytes(100)))
    await rm(await blobPath(hashOf(lost, 'original')))
    const { answers } = await ask({ assetIds: [lost.assetId, notThere(), other.assetId] })
    const [first, second, third] = answers
    assert.ok(first !== undefined && !first.held && second !== undefined && !second.held)
    // The server does not return its header, and the verdict says why.
    assert.deepEqual(
      first.doubts.map(({ reason }) => reason),
      ['refused', 'not_durable'],
    )
    assert.equal(first.verdict?.blobs[0]?.stored, false)
    assert.equal(first.file?.name, 'a plan.pdf')
    assert.deepEqual(
      second.doubts.map(({ reason }) => reason),
      ['asset_missing'],
    )
    assert.ok(third?.held)
  })
})

describe('a verdict of a malicious server', () => {
  const changes: readonly (readonly [string, DoubtReason, (verdict: Verdict, body: Body) => void])[] = [
    ['is none', 'tampered', (_, body) => Object.assign(body, { verdicts: [] })],
    [
      'is durable over a blob that is not stored',
      'tampered',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { stored: false }),
    ],
    ['was not deep, though asked', 'not_examined', ({ blobs }) => blobs.forEach((blob) => void delete blob.deep)],
    [
      'had no budget for one of three',
      'rate_limited',
      ({ blobs }) => Object.assign(blobs[2] ?? {}, { deep: 'rate_limited' }),
    ],
    ['is not durable', 'not_durable', (verdict) => Object.assign(verdict, { durable: false })],
    [
      'found one damaged',
      'corrupt',
      (verdict) =>
        Object.assign(verdict, { durable: false }) &&
        Object.assign(verdict.blobs[0] ?? {}, { retrievable: false, deep: 'corrupt' }),
    ],
  ]
  for (const [how, reason, change] of changes)
    it(`is a doubt when it ${how}`, async () => {
      world.proxy.tamper(changedVerdict(change))
      const answer = await assertDoubt(reason)
      // The name was read before. The verdict is there if it could be read at all.
      assert.equal(answer.file?.name, 'a plan.pdf')
      assert.equal(answer.verdict === undefined, reason === 'tampered')
    })

  it('is a doubt about every requested asset', async () => {
    world.proxy.tamper(
      changedVerdict((_, body) => Object.assign(body, { verdicts: (body.verdicts as unknown[]).toReversed() })),
    )
    const { answers } = await ask()
    assert.deepEqual(
      answers.map((answer) => !answer.held && answer.doubts.map(({ reason }) => reason)),
      [['tampered'], ['tampered']],
    )
  })
})

describe('other tampering and failures', () => {
  it('raise a doubt: receipts, keys, signer, hashes, and bytes', async () => {
    const { proxy, asset, other } = world
    const changes: readonly (readonly [DoubtReason, Tampering])[] = [
      ['tampered', changedReceipts((receipts) => receipts.toSpliced(0, 1))],
      [
        'tampered',
        changedReceipts((receipts) =>
          receipts.map((one) => ({ ...one, receipt_cbor: flipInBase64(one.receipt_cbor, 900) })),
        ),
      ],
      ['tampered', swappedBlob('original', { hash: hashOf(other, 'original') })],
      ['tampered', { matches: devicesAnswer, answer: changeBody((body) => Object.assign(body, { devices: [] })) }],
      ['tampered', { matches: blobAnswer(hashOf(asset, 'metadata')), answer: flipAt(300) }],
      ['tampered', { matches: blobAnswer(hashOf(asset, 'provenance')), answer: flipAt(300) }],
      ['unreadable', { matches: blobAnswer(hashOf(asset, 'original')), answer: flipAt(30) }],
      ['unsigned', changedAsset((body) => Object.assign(body, { blobs: (body.blobs as Body[]).slice(0, 2) }))],
      ['incomplete', changedAsset((body) => Object.assign(body, { blobs: (body.blobs as Body[]).toSpliced(1, 1) }))],
      ['tampered', changedAsset((body) => Object.assign(body, { blobs: other.blobs, envelope: other.envelope }))],
    ]
    for (const [reason, tampering] of changes) {
      proxy.tamper(tampering)
      await assertDoubt(reason)
    }
  })

  it('raise doubts about all assets when the keys are not the pinned ones', async () => {
    const { keys } = await ask()
    world.proxy.tamper({
      matches: keysAnswer,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.keys))
        for (const key of body.keys) key.active_from = '2001-01-01T00:00:00Z'
      }),
    })
    const answered = await ask({ pinned: keys })
    assert.equal(answered.keys, undefined)
    assert.ok(answered.answers.length === 2 && answered.answers.every(({ held }) => !held))
  })

  it('raise a doubt when there is no answer', async () => {
    const questions = [
      assetAnswer,
      devicesAnswer,
      receiptsAnswer,
      keysAnswer,
      verdictAnswer,
      isRequest('GET', /server-info$/),
    ]
    for (const matches of questions) {
      world.proxy.tamper({ matches, lose: 'answer' })
      await assertDoubt('unreachable')
    }
  })

  it('reject when the caller aborts', async () => {
    const controller = new AbortController()
    world.proxy.tamper({
      matches: (exchange) => {
        const isAsked = verdictAnswer(exchange)
        if (isAsked) controller.abort(new Error('never mind'))
        return isAsked
      },
      lose: 'answer',
    })
    await assert.rejects(ask({ signal: controller.signal }), /never mind/)
  })
})

describe('many assets', () => {
  it('need one audit of the server and one list of devices', async () => {
    const { proxy, keep } = world
    const small = []
    for (let count = 0; count < 4; count++) small.push(await keep(new Uint8Array(randomBytes(10))))
    const before = proxy.seen.length
    const { answers } = await ask({ assetIds: small.map(({ assetId }) => assetId) })
    assert.ok(answers.every(({ held }) => held))
    const seen = proxy.seen.slice(before)
    for (const matches of [keysAnswer, devicesAnswer, verdictAnswer]) assert.equal(seen.filter(matches).length, 1)
  })
})

describe('an asset with a part that the server refuses', () => {
  it('is doubted even if the verdict is durable', async () => {
    const { proxy, asset } = world
    proxy.tamper({ matches: blobAnswer(hashOf(asset, 'original')), instead: 500 })
    const { answers } = await ask()
    const [first, second] = answers
    assert.ok(first !== undefined && !first.held && second?.held)
    assert.deepEqual(
      first.doubts.map(({ reason }) => reason),
      ['refused'],
    )
    assert.equal(first.verdict?.durable, true)
  })
})
