/** One honest yes; each difference of the file and each silence of the server is a no, with its reason. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import {
  assetAnswer,
  devicesAnswer,
  hashOf,
  keysAnswer,
  receiptsAnswer,
  verdictAnswer,
} from '../../../../testing/maliciousAssets.ts'
import { sendFile } from '../../../../testing/people.ts'
import { openFile } from '../node/node.ts'
import { type Source, sourceOfBytes } from '../seal/source.ts'
import { dropOf } from '../testing/expectations.ts'
import { createVerificationWorld } from '../testing/verificationWorld.ts'

const world = await createVerificationWorld()
const { proxy, blobPath, keeper, content, asset, other, keep, ask, assertNo } = world
const { owner } = keeper

describe('a file that the server holds', () => {
  it('may be destroyed, with its hashes, signer and receipts', async () => {
    const answer = await ask()
    assert.ok(answer.safe)
    const { examined, hashes, signed, receipts } = answer
    assert.equal(examined, 'deep')
    assert.deepEqual(
      hashes,
      Object.fromEntries(['original', 'metadata', 'provenance'].map((role) => [role, hashOf(asset, role)])),
    )
    assert.equal(signed.deviceId, keeper.device.deviceId)
    assert.equal(receipts.receipts.length, 3)
    const again = await ask({ pinned: receipts.keys })
    assert.ok(again.safe)
  })

  it('may be destroyed for any size', async () => {
    for (const size of [0, 1, 1_048_560, 1_048_561]) {
      const bytes = new Uint8Array(randomBytes(size))
      const { assetId } = await keep(bytes)
      assert.ok((await ask({ assetId, source: sourceOfBytes(bytes) })).safe, `${size} bytes`)
    }
  })

  it('may be destroyed by the guest who sent it, once it was adopted', async () => {
    const { url } = await owner.createLink()
    const sent = await sendFile(url, content, { name: 'from a guest', note: 'n'.repeat(3000) })
    const drop = await dropOf(owner, sent.landed)
    const { assetId } = await owner.adoptDrop(drop, keeper)
    assert.ok((await ask({ assetId })).safe)
    await assertNo('file_differs', { assetId, source: sourceOfBytes(content.with(5, (content[5] ?? 0) ^ 1)) })
  })
})

describe('a local file that differs', () => {
  const flipped = (position: number) => content.with(position, (content[position] ?? 0) ^ 1)

  it('may not be destroyed when any byte differs', async () => {
    for (const position of [0, 1_048_559, 1_048_560, content.length - 1])
      await assertNo('file_differs', { source: sourceOfBytes(flipped(position)) })
  })

  it('may not be destroyed when it is shorter or longer', async () => {
    const others = [
      content.slice(0, -1),
      content.slice(0, 1_048_560),
      new Uint8Array(0),
      new Uint8Array([...content, 0]),
    ]
    for (const bytes of others) await assertNo('file_differs', { source: sourceOfBytes(bytes) })
  })

  it('may not be destroyed when it shrinks during the comparison', async () => {
    const source: Source = {
      ...sourceOfBytes(content),
      read: async (from, to) => content.slice(from, Math.min(to, 1_048_570)),
    }
    await assertNo('file_differs', { source })
  })

  it('may not be destroyed when it goes on behind the size that the system stated', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'blindkeep-longer-')), 'file')
    await writeFile(path, content)
    const { source, close } = await openFile(path)
    await appendFile(path, 'more')
    await assertNo('file_differs', { source })
    await close()
    await rm(dirname(path), { recursive: true })
  })

  it('may not be destroyed when it is another asset’s file', async () => {
    await assertNo('file_differs', { assetId: other.assetId })
  })

  it('rejects when it cannot be read', async () => {
    const source: Source = { ...sourceOfBytes(content), read: () => Promise.reject(new Error('disk on fire')) }
    await assert.rejects(ask({ source }), /disk on fire/)
  })
})

describe('a server that does not answer', () => {
  const questions = [
    ['the asset', assetAnswer],
    ['its devices', devicesAnswer],
    ['its receipts', receiptsAnswer],
    ['its keys', keysAnswer],
    ['its verdict', verdictAnswer],
  ] as const
  for (const [what, matches] of questions)
    it(`is a no when it does not return ${what}, or fails`, async () => {
      proxy.tamper({ matches, lose: 'answer' })
      await assertNo('unreachable')
      proxy.tamper({ matches, instead: 500 })
      await assertNo('refused')
    })

  it('is a no for an asset that does not exist', async () => {
    await assertNo('asset_missing', { assetId: keeper.device.deviceId })
    const { assetId } = await keep(content)
    await owner.deleteAsset(assetId)
    await assertNo('asset_missing', { assetId })
  })

  it('is a no when it has really damaged the file', async () => {
    const bytes = new Uint8Array(randomBytes(100))
    const { assetId } = await keep(bytes)
    const source = sourceOfBytes(bytes)
    assert.ok((await ask({ assetId, source })).safe)
    await damage(hashOf(await owner.asset(assetId), 'original'))
    await assertNo('corrupt', { assetId, source })
  })

  it('rejects when the caller aborts', async () => {
    const controller = new AbortController()
    proxy.tamper({
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

/** Flips the last byte of this blob on the server's disk. */
async function damage(hash: string): Promise<void> {
  const path = await blobPath(hash)
  const bytes = await readFile(path)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  await writeFile(path, bytes)
}
