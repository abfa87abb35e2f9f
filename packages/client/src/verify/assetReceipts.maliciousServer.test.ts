/** A server that lies with receipts of assets, and one that signs its lies: each is told by a proxy in front of the real one, and has to be caught. */
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
import { keysAnswer, lyingBlobs, lyingReceipts, swapping } from '../../../../testing/maliciousAssets.ts'
import { flipInBase64, lie } from '../../../../testing/maliciousServer.ts'
import { type Keeper, newKeeper, sendFile } from '../../../../testing/people.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import { newDevice } from '../account/device.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import { systemEnvironment } from '../environment.ts'
import type { Owner } from '../owner.ts'
import { newId } from '../seal/newId.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { AuditError, type AuditReason } from './auditError.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner
/** The asset that is lied about, and another one of the same account to take lies from. */
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

describe('the receipts of an asset', () => {
  const knownUpload = newId(systemEnvironment, parseUploadId)
  const audit = async () => owner.assetReceipts(asset.assetId)
  const tamperedAs =
    (...reasons: AuditReason[]) =>
    (error: unknown) =>
      error instanceof AuditError && reasons.includes(error.reason)

  it('are those of its three blobs, in order', async () => {
    const { receipts } = await audit()
    assert.deepEqual(
      receipts.map(({ signed }) => signed.payload.blob_role),
      ['original', 'metadata', 'provenance'],
    )
  })

  it('are caught when one is missing, whichever it is', async () => {
    for (const index of [0, 1, 2]) {
      proxy.tamper(lyingReceipts((receipts) => receipts.toSpliced(index, 1)))
      await assert.rejects(audit(), tamperedAs('receipt_missing'))
    }
    proxy.tamper(lyingReceipts(() => []))
    await assert.rejects(audit(), tamperedAs('receipt_missing'))
  })

  it('are caught out of order, and twice', async () => {
    proxy.tamper(lyingReceipts((receipts) => receipts.toReversed()))
    await assert.rejects(audit(), tamperedAs('chain_broken'))
    proxy.tamper(lyingReceipts((receipts) => [...receipts, ...receipts.slice(-1)]))
    await assert.rejects(audit(), tamperedAs('chain_broken'))
  })

  it('are caught when they are another asset’s, though it is named in the answer', async () => {
    const { receipts } = await owner.assetReceipts(other.assetId)
    proxy.tamper(lyingReceipts(() => receipts.map(({ receipt }) => receipt)))
    await assert.rejects(audit(), tamperedAs('wrong_asset'))
  })

  it('are caught when one is of a drop that the asset never was', async () => {
    const link = await owner.createLink()
    await sendFile(link.url, randomBytes(10))
    const [drop] = await owner.inbox()
    assert.ok(drop)
    const adopted = await owner.adoptDrop(drop, keeper)
    const [landing] = (await owner.assetReceipts(adopted.assetId)).receipts
    assert.ok(landing)
    proxy.tamper(lyingReceipts((receipts) => [...receipts, landing.receipt]))
    await assert.rejects(audit(), tamperedAs('wrong_drop'))
  })

  it('are caught with a byte flipped, and with another reading than was signed', async () => {
    for (const position of [40, 400, 2000]) {
      proxy.tamper(
        lyingReceipts(([first, ...rest]) => [
          { ...first, receipt_cbor: flipInBase64(first?.receipt_cbor, position) },
          ...rest,
        ]),
      )
      await assert.rejects(audit(), tamperedAs('receipt_malformed', 'signature_invalid', 'unknown_key'))
    }
    proxy.tamper(lyingReceipts(([first, ...rest]) => [{ ...first, size: 1 }, ...rest]))
    await assert.rejects(audit(), tamperedAs('reading_differs'))
  })

  it('are caught under keys that are not the ones remembered', async () => {
    const { keys } = await audit()
    proxy.tamper({
      matches: keysAnswer,
      answer: lie((body) => {
        assert.ok(Array.isArray(body.keys))
        for (const key of body.keys) key.public = flipInBase64(key.public, 1000)
      }),
    })
    await assert.rejects(owner.assetReceipts(asset.assetId, { pinned: keys }), tamperedAs('key_changed'))
    await assert.rejects(audit(), tamperedAs('key_malformed'))
  })

  it('are caught for blobs that the asset is told to have otherwise', async () => {
    proxy.tamper(lyingBlobs((blobs) => blobs.map((blob) => ({ ...blob, size: blob.size + 1 }))))
    await assert.rejects(audit(), tamperedAs('wrong_size'))
    proxy.tamper(lyingBlobs((blobs) => blobs.filter(({ role }) => role !== 'metadata')))
    await assert.rejects(audit(), tamperedAs('wrong_role'))
    proxy.tamper(swapping('original', { hash: '0'.repeat(64) }))
    await assert.rejects(audit(), tamperedAs('wrong_hash'))
  })

  it('are caught for another upload than the one that this client has sent', async () => {
    const { receipts } = await audit()
    const [first, second] = receipts.map(({ signed }) => signed.payload.upload_id)
    assert.ok(first !== undefined && second !== undefined)
    await owner.assetReceipts(asset.assetId, { uploads: { original: first, metadata: second } })
    const swapped = { original: second, metadata: first }
    await assert.rejects(owner.assetReceipts(asset.assetId, { uploads: swapped }), tamperedAs('wrong_upload'))
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

    /** The true receipts, changed and signed anew, one after the other in a chain of their own. */
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
        { matches: keysAnswer, answer: lie((body) => Object.assign(body, { keys })) },
        lyingReceipts((receipts) => {
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

    it('hold only for whoever remembers no key', async () => {
      const { keys } = await audit()
      proxy.tamper(...forging((payload) => payload))
      await audit()
      await assert.rejects(owner.assetReceipts(asset.assetId, { pinned: keys }), tamperedAs('key_vanished'))
    })

    const lies: readonly (readonly [string, AuditReason, () => (payload: ReceiptPayload) => ReceiptPayload])[] = [
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
    for (const [what, reason, change] of lies)
      it(`are caught when they name ${what}`, async () => {
        proxy.tamper(...forging(change()))
        await assert.rejects(audit(), tamperedAs(reason))
      })
  })
})
