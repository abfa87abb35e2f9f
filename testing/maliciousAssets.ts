/** What a malicious server does with assets, for the tampering proxy. */
import assert from 'node:assert/strict'
import type { AssetFacts } from '@blindkeep/client/owner'
import { changeBody, isRequest } from './maliciousServer.ts'
import type { Tampering } from './tamperingProxy.ts'

export const assetAnswer = isRequest('GET', /^\/v1\/assets\/[^/]+$/)
export const receiptsAnswer = isRequest('GET', /^\/v1\/assets\/[^/]+\/receipts$/)
export const devicesAnswer = isRequest('GET', /^\/v1\/devices(\?|$)/)
export const keysAnswer = isRequest('GET', /attestation-keys$/)
export const verdictAnswer = isRequest('POST', /^\/v1\/storage\/verify$/)
export const blobAnswer = (hash: string) => isRequest('GET', new RegExp(`^/v1/blob/${hash}$`))

export const hashOf = ({ blobs }: AssetFacts, role: string) => blobs.find((blob) => blob.role === role)?.hash ?? ''

/** The file that a thumbnail of this asset shows. */
export function pictureOf({ assetId, blobs }: AssetFacts) {
  const original = blobs.find(({ role }) => role === 'original')
  assert.ok(original)
  return { assetId, originalHash: original.hash }
}

export type Body = Record<string, unknown>
/** A blob as in the answer about an asset. */
export interface Blob {
  role: string
  hash: string
  size: number
}

export const changedAsset = (change: (body: Body) => void): Tampering => ({
  matches: assetAnswer,
  answer: changeBody(change),
})

export const changedBlobs = (change: (blobs: Blob[]) => Blob[]): Tampering =>
  changedAsset((body) => {
    assert.ok(Array.isArray(body.blobs))
    body.blobs = change(body.blobs)
  })

/** States other facts of the asset's blob of a role. */
export const swappedBlob = (role: string, other: Partial<Blob>): Tampering =>
  changedBlobs((blobs) => blobs.map((blob) => (blob.role === role ? { ...blob, ...other } : blob)))

export const changedReceipts = (change: (receipts: Body[]) => unknown[]): Tampering => ({
  matches: receiptsAnswer,
  answer: changeBody((body) => {
    assert.ok(Array.isArray(body.receipts))
    body.receipts = change(body.receipts)
  }),
})

/** Returns these bytes as the blob of that hash, although the server has none. */
export const servedBlob = (hash: string, bytes: Uint8Array): Tampering => ({
  matches: blobAnswer(hash),
  answer: (message) => ({ ...message, status: 200, body: Buffer.from(bytes) }),
})

/** Lists one more device. */
export const inventedDevice = (device: Body): Tampering => ({
  matches: devicesAnswer,
  answer: changeBody((body) => {
    assert.ok(Array.isArray(body.devices))
    body.devices.push(device)
  }),
})

/** A verdict as in the answer about storage. */
export interface Verdict extends Body {
  asset_id: string
  durable: boolean
  blobs: (Body & { hash: string; role: string; stored: boolean })[]
}

/** Changes the first verdict, or the whole answer about storage. */
export const changedVerdict = (change: (verdict: Verdict, body: Body) => void): Tampering => ({
  matches: verdictAnswer,
  answer: changeBody((body) => {
    assert.ok(Array.isArray(body.verdicts))
    change(body.verdicts[0], body)
  }),
})
