/** Assets whose original was replaced: receipts of the former blobs stay listed, and are not tampering. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { changedReceipts } from '../../../../testing/maliciousAssets.ts'
import { anotherClient, type Keeper, newKeeper, sendFile } from '../../../../testing/people.ts'
import type { Owner } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf, finish } from '../testing/expectations.ts'
import { callsOf, replaceAsset, replacingEnvelope, sealReplacement } from '../testing/replaceAsset.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { uploadPath } from '../upload/uploadPath.ts'
import { AuditError, type AuditReason } from '../verify/auditError.ts'
import type { AssetFacts } from './assetFacts.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
})

const file = () => new Uint8Array(randomBytes(1000))
const hasReason = (reason: AuditReason) => (error: unknown) => error instanceof AuditError && error.reason === reason

async function adopted(): Promise<AssetFacts> {
  const { url } = await owner.createLink()
  const { landed } = await sendFile(url, file())
  const drop = await dropOf(owner, landed)
  const { assetId } = await owner.adoptDrop(drop, keeper)
  return owner.asset(assetId)
}

async function uploaded(): Promise<AssetFacts> {
  const { assetId } = await owner.upload({ source: sourceOfBytes(file()), ...keeper })
  return owner.asset(assetId)
}

/** The asset, replaced once for each content; the same content has the same sealed bytes. */
async function replaced(asset: AssetFacts, contents: readonly Uint8Array<ArrayBuffer>[]) {
  const sealings = new Map<Uint8Array, Awaited<ReturnType<typeof sealReplacement>>>()
  const sent = []
  let present = asset
  for (const content of contents) {
    const replacement = sealings.get(content) ?? (await sealReplacement(keeper, asset, content))
    sealings.set(content, replacement)
    sent.push(await replaceAsset(proxy.url, keeper, { asset: present, replacement }))
    present = await owner.asset(asset.assetId)
  }
  return { asset: present, sent }
}

async function assertMayBeDestroyed({ assetId }: AssetFacts, content: Uint8Array<ArrayBuffer>): Promise<void> {
  const source = sourceOfBytes(content)
  const answer = await anotherClient(proxy.url, owner).verifyBeforeDestroying({ assetId, source })
  assert.ok(answer.safe, JSON.stringify(answer))
}

describe('an asset that was adopted and then replaced', () => {
  it('has the receipts of its drop beside its own, and its file may be destroyed', async () => {
    const content = file()
    const { asset, sent } = await replaced(await adopted(), [content])
    assert.equal(asset.drop, undefined)
    const { receipts } = await owner.assetReceipts(asset.assetId, { uploads: sent[0] })
    assert.equal(receipts.filter(({ signed }) => signed.payload.drop_id !== undefined).length, 1)
    await assertMayBeDestroyed(asset, content)
  })
})

describe('an asset that was replaced by its first original again', () => {
  it('has two receipts for each blob, and its file may be destroyed', async () => {
    const [first, second] = [file(), file()]
    const { asset, sent } = await replaced(await uploaded(), [first, second, first])
    const { receipts } = await owner.assetReceipts(asset.assetId, { uploads: sent[2] })
    const hash = asset.envelope.ciphertext_hash
    assert.equal(receipts.filter(({ signed }) => signed.payload.ciphertext_hash === hash).length, 2)
    await assertMayBeDestroyed(asset, first)
  })

  it('detects the receipt of another upload than the current one', async () => {
    const [first, second] = [file(), file()]
    const { asset, sent } = await replaced(await uploaded(), [first, second, first])
    const { assetId } = asset
    await assert.rejects(owner.assetReceipts(assetId, { uploads: sent[0] }), hasReason('wrong_upload'))
    const newest = new Set(Object.values(sent[2] ?? {}))
    proxy.tamper(changedReceipts((all) => all.filter(({ upload_id }) => ![...newest].some((id) => id === upload_id))))
    await assert.rejects(owner.assetReceipts(assetId, { uploads: sent[2] }), hasReason('wrong_upload'))
  })
})

describe('an asset that is completed while another original is being uploaded', () => {
  it('loses the session that occupies its slot, and no other', async () => {
    const source = sourceOfBytes(file())
    const state = await owner.prepareUpload({ source, ...keeper })
    const isMetadataOpen = new AbortController()
    const onState = (changed: typeof state) =>
      changed.metadata.uploadId === undefined ? undefined : isMetadataOpen.abort(new Error('died'))
    const sending = owner.finishUpload({ state, source, onState, signal: isMetadataOpen.signal })
    await assert.rejects(sending, /died/)
    const asset = await owner.asset(state.envelope.file_id)
    const replacement = await sealReplacement(keeper, asset, file())
    const { hash, bytes } = replacement.original
    const envelope = replacingEnvelope(asset, replacement)
    const call = callsOf(proxy.url, owner)
    const path = uploadPath(call, { role: 'original', hash, size: bytes.length, envelope })
    const { uploadId } = await path.create({})
    await finish(owner, asset.assetId, keeper)
    assert.ok((await owner.asset(asset.assetId)).complete)
    const { body } = await call('listUploads')
    assert.deepEqual(
      body.uploads.map(({ upload_id }) => upload_id),
      [uploadId],
    )
  })
})
