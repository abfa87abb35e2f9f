/** Files that cannot be deleted before a time, at a real server: signed when they are kept, or raised afterwards. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { anotherClient, type Keeper, newKeeper, sendFile } from '../../../../testing/people.ts'
import type { Exchanged } from '../../../../testing/tamperingProxy.ts'
import type { Owner } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf, hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { AssetError } from './assetError.ts'

const DAY_SECONDS = 86_400

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
})

const inDays = (days: number) => owner.endIn(days * DAY_SECONDS)
const file = () => sourceOfBytes(new Uint8Array(randomBytes(100)))
const upload = async (retainUntil?: string) =>
  (await owner.upload({ ...keeper, source: file(), name: 'a', retainUntil })).assetId
const newDrop = async () =>
  dropOf(owner, (await sendFile((await owner.createLink()).url, randomBytes(50), { name: 'b' })).landed)
const isUpload = ({ method, path }: Exchanged) => method === 'POST' && path === '/v1/upload'

async function assertRetained(assetId: string, until: string): Promise<void> {
  const other = anotherClient(proxy.url, owner)
  assert.equal((await other.asset(assetId)).retainedUntil, until)
  await assert.rejects(other.deleteAsset(assetId), hasCode('error.asset.retained'))
  // What the device has signed agrees with what the server states.
  await (await other.openAsset(assetId)).content.cancel()
}

describe('a file that is kept with a retention', () => {
  it('cannot be deleted from its landing on, uploaded or adopted, and any other can', async () => {
    const until = await inDays(30)
    const { assetId } = await owner.adoptDrop(await newDrop(), { ...keeper, retainUntil: until })
    for (const retained of [assetId, await upload(until)]) await assertRetained(retained, until)
    const free = await upload()
    assert.equal((await owner.asset(free)).retainedUntil, undefined)
    await owner.deleteAsset(free)
  })

  it('is finished after a crash by the same call, and by an owner to whom it is shown', async () => {
    const until = await inDays(20)
    for (const finishing of ['same call', 'shown'] as const) {
      const [drop, assetId] = [await newDrop(), owner.newAssetId()]
      const adopt = (retainUntil: string | undefined) => owner.adoptDrop(drop, { ...keeper, assetId, retainUntil })
      proxy.tamper({ matches: isUpload, instead: 403 })
      await assert.rejects(adopt(until))
      proxy.tamper()
      // Not signed yet: it can be deleted, and other retentions than the chosen one are never signed.
      assert.equal((await owner.asset(assetId)).retainedUntil, undefined)
      for (const other of [undefined, await inDays(21)])
        await assert.rejects(adopt(other), (error) => error instanceof AssetError && error.reason === 'asset_differs')
      if (finishing === 'same call') await adopt(until)
      else {
        const incomplete = await owner.openIncomplete(await owner.asset(assetId))
        assert.equal(incomplete.retainUntil, until)
        await incomplete.complete(keeper)
      }
      await assertRetained(assetId, until)
    }
  })
})

describe('the retention of files', () => {
  it('is raised for those that are signed, in as many requests as they need, and never lowered', async () => {
    const [assetId, other] = [await upload(await inDays(5)), await upload()]
    const unknown = Array.from({ length: 1001 }, () => owner.newAssetId())
    const [earlier, until] = [await inDays(3), await inDays(9)]
    const raised = await owner.retainAssets([assetId, ...unknown, other], until)
    assert.deepEqual(raised, { raised: 2, skipped: unknown })
    assert.deepEqual(await owner.retainAssets([assetId, other], earlier), { raised: 0, skipped: [] })
    for (const each of [assetId, other]) await assertRetained(each, until)
  })

  it('has a bound, which the server states', async () => {
    const { limits } = await owner.serverInfo()
    const most = limits?.retention_days ?? 0
    const assetId = await upload()
    const tooLong = owner.retainAssets([assetId], await inDays(most + 1))
    await assert.rejects(tooLong, hasCode('error.manifest.retention_too_long'))
    assert.equal((await owner.asset(assetId)).retainedUntil, undefined)
    assert.deepEqual(await owner.retainAssets([assetId], await inDays(most)), { raised: 1, skipped: [] })
  })
})
