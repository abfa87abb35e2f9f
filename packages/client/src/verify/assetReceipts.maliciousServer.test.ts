/** A malicious server, played by a proxy, tampers with receipts or signs false ones. The client detects each. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { parseDropId, parseUploadId, type Sha256Hex } from '@blindkeep/protocol/ids'
import {
  assembleReceipt,
  decodeReceipt,
  type ReceiptPayload,
  readReceipt,
  receiptToBeSigned,
} from '@blindkeep/protocol/receipt'
import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import { changedBlobs, changedReceipts, keysAnswer, swappedBlob } from '../../../../testing/maliciousAssets.ts'
import { changeBody, flipInBase64 } from '../../../../testing/maliciousServer.ts'
import { type Keeper, newKeeper, openedDrops, sendFile } from '../../../../testing/people.ts'
import { assertPrompt } from '../../../../testing/prompt.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import { newDevice } from '../account/device.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import { systemEnvironment } from '../ground/environment.ts'
import type { Owner } from '../owner.ts'
import { newId } from '../seal/newId.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { AuditError, type AuditReason } from './auditError.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner
/** The asset under attack, and another one of the same account to take data from. */
let asset: AssetFacts
let other: AssetFacts

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
  other = await kept()
  asset = await kept()
})

async function kept(): Promise<AssetFacts> {
  const { assetId } = await owner.upload({ source: sourceOfBytes(randomBytes(1000)), ...keeper })
  return owner.asset(assetId)
}

describe('the receipts of an asset of a malicious server', () => {
  const knownUpload = newId(systemEnvironment, parseUploadId)
  const audit = async () => owner.assetReceipts(asset.assetId)
  const hasReason =
    (...reasons: AuditReason[]) =>
    (error: unknown) =>
      error instanceof AuditError && reasons.includes(error.reason)

  it('are those of its three blobs, in order, when nothing was changed', async () => {
    const { receipts } = await audit()
    assert.deepEqual(
      receipts.map(({ signed }) => signed.payload.blob_role),
      ['original', 'metadata', 'provenance'],
    )
  })

  it('are refused when any of them is missing', async () => {
    for (const index of [0, 1, 2]) {
      proxy.tamper(changedReceipts((receipts) => receipts.toSpliced(index, 1)))
      await assert.rejects(audit(), hasReason('receipt_missing'))
    }
    proxy.tamper(changedReceipts(() => []))
    await assert.rejects(audit(), hasReason('receipt_missing'))
  })

  it('are refused out of order, and twice', async () => {
    proxy.tamper(changedReceipts((receipts) => receipts.toReversed()))
    await assert.rejects(audit(), hasReason('chain_broken'))
    proxy.tamper(changedReceipts((receipts) => [...receipts, ...receipts.slice(-1)]))
    await assert.rejects(audit(), hasReason('chain_broken'))
  })

  it('are refused without stopping the page when there are hundreds', async () => {
    proxy.tamper(changedReceipts((receipts) => Array.from({ length: 200 }, () => receipts).flat()))
    await assertPrompt(1000, async () => {
      let [lastMs, longestMs] = [performance.now(), 0]
      const note = () => {
        const nowMs = performance.now()
        longestMs = Math.max(longestMs, nowMs - lastMs)
        lastMs = nowMs
      }
      const timer = setInterval(note, 10)
      await assert.rejects(audit(), hasReason('chain_broken'))
      clearInterval(timer)
      note()
      return longestMs
    })
  })

  it('are refused when they are another asset’s, though the answer names this one', async () => {
    const { receipts } = await owner.assetReceipts(other.assetId)
    proxy.tamper(changedReceipts(() => receipts.map(({ receipt }) => receipt)))
    await assert.rejects(audit(), hasReason('wrong_asset'))
  })

  it('are refused when one is of a drop that the asset never was', async () => {
    const link = await owner.createLink()
    await sendFile(link.url, randomBytes(10))
    const [drop] = await openedDrops(owner)
    assert.ok(drop)
    const adopted = await owner.adoptDrop(drop, keeper)
    const [landing] = (await owner.assetReceipts(adopted.assetId)).receipts
    assert.ok(landing)
    proxy.tamper(changedReceipts((receipts) => [...receipts, landing.receipt]))
    await assert.rejects(audit(), hasReason('wrong_drop'))
  })

  it('are refused with a flipped byte, and with another reading than the signed one', async () => {
    for (const position of [40, 400, 2000]) {
      proxy.tamper(
        changedReceipts(([first, ...rest]) => [
          { ...first, receipt_cbor: flipInBase64(first?.receipt_cbor, position) },
          ...rest,
        ]),
      )
      await assert.rejects(audit(), hasReason('receipt_malformed', 'signature_invalid', 'unknown_key'))
    }
    proxy.tamper(changedReceipts(([first, ...rest]) => [{ ...first, size: 1 }, ...rest]))
    await assert.rejects(audit(), hasReason('reading_differs'))
  })

  it('are refused under other keys than the pinned ones', async () => {
    const { keys } = await audit()
    proxy.tamper({
      matches: keysAnswer,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.keys))
        for (const key of body.keys) key.public = flipInBase64(key.public, 1000)
      }),
    })
    await assert.rejects(owner.assetReceipts(asset.assetId, { pinned: keys }), hasReason('key_changed'))
    await assert.rejects(audit(), hasReason('key_malformed'))
  })

  it('are refused when the server states other blobs of the asset', async () => {
    proxy.tamper(changedBlobs((blobs) => blobs.map((blob) => ({ ...blob, size: blob.size + 1 }))))
    await assert.rejects(audit(), hasReason('wrong_size'))
    proxy.tamper(changedBlobs((blobs) => blobs.filter(({ role }) => role !== 'metadata')))
    await assert.rejects(audit(), hasReason('wrong_role'))
    proxy.tamper(swappedBlob('original', { hash: '0'.repeat(64) }))
    await assert.rejects(audit(), hasReason('wrong_hash'))
  })

  it('are refused for another upload than this client’s', async () => {
    const { receipts } = await audit()
    const [first, second] = receipts.map(({ signed }) => signed.payload.upload_id)
    assert.ok(first !== undefined && second !== undefined)
    await owner.assetReceipts(asset.assetId, { uploads: { original: first, metadata: second } })
    const swapped = { original: second, metadata: first }
    await assert.rejects(owner.assetReceipts(asset.assetId, { uploads: swapped }), hasReason('wrong_upload'))
  })

  describe('signed by a key that the server has just made', () => {
    const forger = newDevice()
    const seeds = { ed25519: forger.secret.slice(17, 49), mlDsa65: forger.secret.slice(49) }

    function signed(payload: ReceiptPayload): string {
      const toBeSigned = receiptToBeSigned(payload, forger.keyId)
      const signatures = {
        ed25519: ed25519.sign(toBeSigned.ed25519, seeds.ed25519),
        mlDsa65: ml_dsa65.sign(toBeSigned.mlDsa65, ml_dsa65.keygen(seeds.mlDsa65).secretKey),
      }
      return toBase64(assembleReceipt(toBeSigned, signatures))
    }

    /** The genuine receipts, changed and signed by the forger, in a chain of their own. */
    function forging(change: (payload: ReceiptPayload) => ReceiptPayload): readonly Tampering[] {
      const keys = [
        {
          key_id: forger.keyId,
          public: toBase64(forger.publicKey),
          algorithm: 'hybrid-ed25519-mldsa65',
          active_from: '1970-01-01T00:00:00.000Z',
        },
      ]
      return [
        { matches: keysAnswer, answer: changeBody((body) => Object.assign(body, { keys })) },
        changedReceipts((receipts) => {
          let prior: Sha256Hex | undefined
          return receipts.map(({ receipt_cbor: cbor }) => {
            assert.ok(typeof cbor === 'string')
            const { payload } = decodeReceipt(fromBase64(cbor))
            const forged = signed(change(prior === undefined ? payload : { ...payload, prior_receipt_hash: prior }))
            prior = decodeReceipt(fromBase64(forged)).hash
            return readReceipt(fromBase64(forged))
          })
        }),
      ]
    }

    const changing = (role: string, changes: Partial<ReceiptPayload>) => (payload: ReceiptPayload) =>
      payload.blob_role === role ? { ...payload, ...changes } : payload

    it('are accepted only by a client without pinned keys', async () => {
      const { keys } = await audit()
      proxy.tamper(...forging((payload) => payload))
      await audit()
      await assert.rejects(owner.assetReceipts(asset.assetId, { pinned: keys }), hasReason('key_vanished'))
    })

    const changes: readonly (readonly [string, AuditReason, () => (payload: ReceiptPayload) => ReceiptPayload])[] = [
      ['another server', 'wrong_server', () => changing('metadata', { server_id: 'https://other.example' })],
      ['another asset', 'wrong_asset', () => changing('original', { asset_id: other.assetId })],
      ['another size', 'wrong_size', () => changing('original', { size: 1 })],
      [
        'another manifest',
        'wrong_envelope',
        () => changing('provenance', { envelope_hash: other.envelope.ciphertext_hash }),
      ],
      ['no manifest', 'wrong_envelope', () => changing('provenance', { envelope_hash: undefined })],
      [
        'an earlier time than the one before',
        'chain_broken',
        () => changing('metadata', { received_at: '2020-01-01T00:00:00.000Z' }),
      ],
      ['one upload for all', 'wrong_upload', () => (payload) => ({ ...payload, upload_id: knownUpload })],
      [
        'a drop that is none',
        'wrong_drop',
        () => changing('original', { asset_id: undefined, drop_id: parseDropId(asset.assetId) }),
      ],
      ['a role that is not there', 'wrong_role', () => changing('metadata', { blob_role: 'derivative' })],
    ]
    for (const [what, reason, change] of changes)
      it(`are refused when they name ${what}`, async () => {
        proxy.tamper(...forging(change()))
        await assert.rejects(audit(), hasReason(reason))
      })
  })
})
