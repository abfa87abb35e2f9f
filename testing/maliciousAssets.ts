/** Lies about assets, for a tampering proxy to tell. */
import assert from 'node:assert/strict'
import type { AssetFacts } from '@blindkeep/client/owner'
import { is, lie } from './maliciousServer.ts'
import type { Tampering } from './tamperingProxy.ts'

export const assetAnswer = is('GET', /^\/v1\/assets\/[^/]+$/)
export const receiptsAnswer = is('GET', /^\/v1\/assets\/[^/]+\/receipts$/)
export const devicesAnswer = is('GET', /^\/v1\/devices$/)
export const keysAnswer = is('GET', /attestation-keys$/)
export const verdictAnswer = is('POST', /^\/v1\/storage\/verify$/)
export const blobAnswer = (hash: string) => is('GET', new RegExp(`^/v1/blob/${hash}$`))

export const hashOf = ({ blobs }: AssetFacts, role: string) => blobs.find((blob) => blob.role === role)?.hash ?? ''

export type Body = Record<string, unknown>
/** As an asset's answer has it. */
export interface Blob {
  role: string
  hash: string
  size: number
}

export const lyingAsset = (change: (body: Body) => void): Tampering => ({ matches: assetAnswer, answer: lie(change) })

export const lyingBlobs = (change: (blobs: Blob[]) => Blob[]): Tampering =>
  lyingAsset((body) => {
    assert.ok(Array.isArray(body.blobs))
    body.blobs = change(body.blobs)
  })

/** The asset's blob of a role is told to be another. */
export const swapping = (role: string, other: Partial<Blob>): Tampering =>
  lyingBlobs((blobs) => blobs.map((blob) => (blob.role === role ? { ...blob, ...other } : blob)))

export const lyingReceipts = (change: (receipts: Body[]) => unknown[]): Tampering => ({
  matches: receiptsAnswer,
  answer: lie((body) => {
    assert.ok(Array.isArray(body.receipts))
    body.receipts = change(body.receipts)
  }),
})

/** These bytes are given as the blob of that hash, though the server has none. */
export const giving = (hash: string, bytes: Uint8Array): Tampering => ({
  matches: blobAnswer(hash),
  answer: (message) => ({ ...message, status: 200, body: Buffer.from(bytes) }),
})

/** The server tells of one more device. */
export const inventing = (device: Body): Tampering => ({
  matches: devicesAnswer,
  answer: lie((body) => {
    assert.ok(Array.isArray(body.devices))
    body.devices.push(device)
  }),
})
