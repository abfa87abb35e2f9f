/** The largest granted requests and their answers, without lists that take long to fill (10,000 drops). */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bundle, landBlob, sendJson } from '../../../conformance/assetWorld.ts'
import type { Client } from '../../../conformance/client.ts'
import { personFrom } from '../../../conformance/matrixCalls.ts'
import { asOwner, deleteAccount, newOpaqueId, type Owner, sha256, signUp } from '../../../conformance/world.ts'

const MAX_INDEX_BYTES = 512 * 1024
const MAX_BLOBS = 10_000
/** As many hashes as a body of 1 MiB has room for beside the largest index. */
const BLOBS_BESIDE_INDEX = 5_000
const SHARES = 20
const ASSETS = 100
const HASHES = 32
/** Longer than two sweeps of the run's server. */
const EMPTIED_MS = 2_500

export type Judge = (name: string, send: () => Promise<unknown>, before?: () => Promise<unknown>) => Promise<void>

const hash = (index: number) => index.toString(16).padStart(64, '0')

export async function heaviestGranted(client: Client, judge: Judge): Promise<void> {
  const person = await personFrom(await signUp(client))
  const { owner } = person
  await judgeShares(owner, judge)
  const asset = await derivativesOf(person.asset)
  const answersOf = (path: string) => () => asOwner(owner, 'GET', path)
  for (const deep of [false, true])
    await judge(`verification of ${ASSETS} times ${HASHES} hashes${deep ? ', deep' : ''}`, () =>
      sendJson(owner, '/v1/storage/verify', { assets: Array(ASSETS).fill(asset), deep }),
    )
  for (const path of ['/v1/shares', `/v1/assets/${asset.asset_id}`, `/v1/assets/${asset.asset_id}/receipts`])
    await judge(`GET ${path.replace(asset.asset_id, '{asset_id}')} with large shares and 30 blobs`, answersOf(path))
  await judgeAccountEnd(client, judge)
}

async function judgeAccountEnd(client: Client, judge: Judge): Promise<void> {
  let other = await signUp(client)
  await judge(
    'the end of an account with large shares',
    async () => {
      const reply = await deleteAccount(other)
      if (reply.status !== 204) throw new Error(`the account was not deleted: ${reply.status}`)
      // The sweep follows every second. No answer shows when it has emptied the account.
      await wait(EMPTIED_MS)
    },
    async () => {
      other = await signUp(client)
      for (let share = 0; share < SHARES; share++) await shareOf(other, 10, MAX_BLOBS)
    },
  )
}

async function judgeShares(owner: Owner, judge: Judge): Promise<void> {
  for (const [indexBytes, blobs] of [
    [MAX_INDEX_BYTES, BLOBS_BESIDE_INDEX],
    [200 * 1024, MAX_BLOBS],
  ] as const) {
    const size = `an index of ${indexBytes} bytes and ${blobs} hashes`
    await judge(`a share with ${size}`, () => shareOf(owner, indexBytes, blobs))
    const body = shareBody(indexBytes, blobs)
    await judge(`a share with ${size}, again`, () => sendJson(owner, '/v1/shares', body))
    await judge(`reading a share with ${size}`, () =>
      owner.client.send({ method: 'GET', path: `/s/${body.opaque_id}` }),
    )
    await judge(`a file of a share with ${size}`, () =>
      owner.client.send({ method: 'GET', path: `/s/${body.opaque_id}/blob/${hash(blobs - 1)}` }),
    )
    let ending = ''
    await judge(
      `the end of a share with ${size}`,
      () => asOwner(owner, 'DELETE', `/v1/shares/${ending}`),
      async () => {
        ending = await shareOf(owner, indexBytes, blobs)
      },
    )
  }
}

function shareBody(indexBytes: number, blobs: number) {
  return {
    opaque_id: newOpaqueId(),
    sealed_index: randomBytes(indexBytes).toString('base64'),
    blob_hashes: Array.from({ length: blobs }, (_, index) => hash(index)),
  }
}

async function shareOf(owner: Owner, indexBytes: number, blobs: number): Promise<string> {
  const body = shareBody(indexBytes, blobs)
  const reply = await sendJson(owner, '/v1/shares', body)
  if (reply.status !== 201) throw new Error(`the share was refused: ${reply.status} ${reply.body.toString()}`)
  return body.opaque_id
}

/** An asset with as many blobs as one question may name: what verification is asked about it. */
async function derivativesOf(bundle: Bundle) {
  const hashes = [sha256(bundle.original)]
  while (hashes.length < HASHES - 2) hashes.push(sha256(await landBlob(bundle, 'derivative')))
  return { asset_id: bundle.assetId, blob_hashes: [...hashes, hash(0), hash(1)] }
}
