/** Descriptions of files for an album, read from a real server without their contents. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { blobAnswer, changedBlobs, hashOf } from '../../../../testing/maliciousAssets.ts'
import { flipAt, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, openedDrops, sendFile } from '../../../../testing/people.ts'
import { nodeEnvironment } from '../node/nodeEnvironment.ts'
import type { Owner } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { AssetError, AssetIncomplete, AssetUnsigned } from './assetError.ts'
import type { AssetFacts } from './assetFacts.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
})

const file = (bytes = 1000) => new Uint8Array(randomBytes(bytes))
const facts = { name: 'naïve.jpg', type: 'image/jpeg', note: 'Ärger', modifiedAt: '2026-01-02T03:04:05.000Z' }
const listsDevices = isRequest('GET', /^\/v1\/devices(\?|$)/)

async function uploaded(content = file(), by: Keeper = keeper): Promise<AssetFacts> {
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), ...by, ...facts })
  return owner.asset(assetId)
}

describe('the description of an asset', () => {
  it('has the sealed facts of an upload and its signer, and needs no byte of the content', async () => {
    const asset = await uploaded(file(5000))
    const from = proxy.seen.length
    const { signed, ...described } = await anotherClient(proxy.url, owner).describeAsset(asset)
    assert.deepEqual(described, { ...facts, safeName: facts.name, sender: undefined, size: 5000 })
    assert.equal(signed?.deviceId, keeper.device.deviceId)
    assert.ok(!proxy.seen.slice(from).some(blobAnswer(hashOf(asset, 'original'))))
  })

  it('has the facts that the guest sealed, also before a device has signed them', async () => {
    const { url } = await owner.createLink()
    await sendFile(url, file(700), { ...facts, sender: 'Ada' })
    const [drop] = await openedDrops(owner)
    assert.ok(drop)
    const { assetId } = await owner.adoptDrop(drop, keeper)
    const asset = await owner.asset(assetId)
    const { signed, ...described } = await owner.describeAsset(asset)
    assert.deepEqual(described, { ...facts, safeName: facts.name, sender: 'Ada', size: 700 })
    assert.ok(signed)
    const unsigned = { ...asset, blobs: asset.blobs.filter(({ role }) => role === 'original') }
    await assert.rejects(owner.describeAsset(unsigned), { name: 'AssetUnsigned', revoked: undefined })
    const allowed = await owner.describeAsset(unsigned, { allowUnsigned: true })
    assert.deepEqual(allowed, { ...described, signed: undefined })
  })

  it('reads the devices once for many assets, and again for an unknown device', async () => {
    const [first, second] = [await uploaded(), await uploaded()]
    const reader = anotherClient(proxy.url, owner)
    const from = proxy.seen.length
    await Promise.all([reader.describeAsset(first), reader.describeAsset(second)])
    assert.equal(proxy.seen.slice(from).filter(listsDevices).length, 1)
    const third = await uploaded(file(), { ...keeper, device: await owner.addDevice(undefined, { tie: false }) })
    assert.equal((await reader.describeAsset(third)).name, facts.name)
    assert.equal(proxy.seen.slice(from).filter(listsDevices).length, 2)
  })

  it('notices a revocation of the device after a minute', async () => {
    const device = await owner.addDevice(undefined, { tie: false })
    const asset = await uploaded(file(), { ...keeper, device })
    let now = nodeEnvironment.now()
    const reader = anotherClient(proxy.url, owner, { ...nodeEnvironment, now: () => now })
    await reader.describeAsset(asset)
    await owner.revokeDevice(device.deviceId)
    now = instantOf(now + 60_001)
    const { deviceId } = device
    await assert.rejects(reader.describeAsset(asset), (error) => {
      return error instanceof AssetUnsigned && error.revoked?.deviceId === deviceId
    })
    const { signed } = await reader.describeAsset(asset, { allowRevokedDevice: true })
    assert.ok(Date.parse(signed?.deviceRevokedAt ?? '') > 0)
  })

  it('is refused when a malicious server alters signed bytes or omits the original', async () => {
    const asset = await uploaded()
    proxy.tamper({ matches: blobAnswer(hashOf(asset, 'metadata')), answer: flipAt(20) })
    await assert.rejects(owner.describeAsset(asset), AssetError)
    proxy.tamper(changedBlobs((blobs) => blobs.filter(({ role }) => role !== 'original')))
    await assert.rejects(owner.describeAsset(await owner.asset(asset.assetId)), AssetIncomplete)
  })
})
