/** What a device signed before it was revoked, at a real server and at one that alters manifests. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import { changeBody, flipAt, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, newOwner, openedDrops, sendFile } from '../../../../testing/people.ts'
import type { Message } from '../../../../testing/tamperingProxy.ts'
import { type Device, newDevice } from '../account/device.ts'
import { blobOf } from '../assets/assetFacts.ts'
import { systemEnvironment } from '../ground/environment.ts'
import type { Owner, SignedLately } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'

const DAY_SECONDS = 86_400
const { proxy } = await sharedServer()
let keeper: Keeper
let lost: Device
/** In the order of their uploads. */
let byLost: readonly string[]

async function upload(by: Keeper, device: Device): Promise<string> {
  const source = sourceOfBytes(new Uint8Array(randomBytes(100)))
  return (await by.owner.upload({ source, album: by.album, device, name: 'file.bin' })).assetId
}

const idsOf = ({ signed }: SignedLately) => signed.map(({ asset }) => asset.assetId)

/** The same account, with a clock that is this many days ahead. */
function ahead(owner: Owner, days: number): Owner {
  const now = () => addSeconds(systemEnvironment.now(), days * DAY_SECONDS)
  return anotherClient(proxy.url, owner, { ...systemEnvironment, now })
}

/** An answer as if the server gave it so many days from now. */
const inDays = (days: number) => (message: Message) => {
  const date = new Date(Date.now() + days * DAY_SECONDS * 1000).toUTCString()
  return { ...message, headers: { ...message.headers, date } }
}

const always = () => true

describe('what a device signed lately', () => {
  before(async () => {
    keeper = await newKeeper(proxy.url)
    lost = await keeper.owner.addDevice(undefined, { tie: false })
    const ids = [await upload(keeper, lost)]
    await upload(keeper, keeper.device)
    ids.push(await upload(keeper, lost))
    byLost = ids
  })

  it('are the assets whose manifest names it, the latest first, with its own time, and no others', async () => {
    const { owner } = keeper
    const progress: (readonly [number, number])[] = []
    const onProgress = ({ checked, total }: { checked: number; total: number }) => void progress.push([checked, total])
    const found = await owner.signedLately(lost.deviceId, { onProgress })
    assert.deepEqual(idsOf(found), byLost.toReversed())
    assert.deepEqual(found.unverified, [])
    for (const { asset, signedAt } of found.signed) assert.equal(signedAt, asset.envelope.timestamp)
    assert.deepEqual(
      progress,
      [0, 1, 2, 3].map((checked) => [checked, 3]),
    )
  })

  it('includes a drop that the device adopted', async () => {
    const other = await newKeeper(proxy.url)
    const { url } = await other.owner.createLink({})
    await sendFile(url, new Uint8Array(randomBytes(50)))
    const [drop] = await openedDrops(other.owner)
    assert.ok(drop)
    const second = await other.owner.addDevice(undefined, { tie: false })
    const { assetId } = await other.owner.adoptDrop(drop, { album: other.album, device: second })
    assert.deepEqual(idsOf(await other.owner.signedLately(second.deviceId)), [assetId])
    assert.deepEqual(idsOf(await other.owner.signedLately(other.device.deviceId)), [])
  })

  it('leaves out what is older than the days that the caller names', async () => {
    const { owner } = keeper
    proxy.tamper({ matches: always, answer: inDays(10) })
    assert.deepEqual(idsOf(await owner.signedLately(lost.deviceId)), byLost.toReversed())
    assert.deepEqual(idsOf(await owner.signedLately(lost.deviceId, { days: 9 })), [])
  })

  it('is the same, whatever the clock here says', async () => {
    for (const days of [365, -365]) {
      const found = await ahead(keeper.owner, days).signedLately(lost.deviceId)
      assert.deepEqual(idsOf(found), byLost.toReversed())
      proxy.tamper({ matches: always, answer: inDays(31) })
      assert.deepEqual(idsOf(await ahead(keeper.owner, days).signedLately(lost.deviceId)), [])
      proxy.tamper()
    }
  })

  it('counts the days from the revocation, but never from a time in the future', async () => {
    const { owner } = keeper
    const revokedAt = (at: string) => ({
      matches: isRequest('GET', /^\/v1\/devices(\?|$)/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.devices))
        for (const device of body.devices) if (device.device_id === lost.deviceId) device.revoked_at = at
      }),
    })
    proxy.tamper(revokedAt(new Date(Date.now() + 1_000 * DAY_SECONDS * 1_000).toISOString()))
    assert.deepEqual(idsOf(await owner.signedLately(lost.deviceId)), byLost.toReversed())
    const revoked = revokedAt(new Date().toISOString())
    proxy.tamper({ ...revoked, answer: (message) => inDays(100)(revoked.answer(message)) })
    assert.deepEqual(idsOf(await anotherClient(proxy.url, owner).signedLately(lost.deviceId)), byLost.toReversed())
  })

  it('lists what a malicious server says another device signed, and names what it has altered', async () => {
    const { owner } = keeper
    const [first = '', second = ''] = byLost
    const provenance = async (assetId: string) => blobOf(await owner.asset(assetId), 'provenance')?.hash
    const asset = await owner.asset(second)
    const isOf = (hash: string | undefined) => isRequest('GET', new RegExp(`^/v1/blob/${hash}$`))
    proxy.tamper(
      { matches: isOf(await provenance(first)), answer: flipAt(1_000) },
      {
        matches: isRequest('GET', /^\/v1\/sync/),
        answer: changeBody((body) => {
          assert.ok(Array.isArray(body.entries))
          for (const entry of body.entries)
            if (entry.asset_id === second) entry.asset.envelope.created_by_device = keeper.device.deviceId
        }),
      },
    )
    assert.equal(asset.envelope.created_by_device, lost.deviceId)
    const found = await anotherClient(proxy.url, owner).signedLately(lost.deviceId)
    assert.deepEqual(idsOf(found), [second])
    assert.deepEqual(
      found.unverified.map(({ assetId }) => assetId),
      [first],
    )
  })

  it('stops when the caller aborts, and reads at most four manifests at a time', async () => {
    const { owner } = keeper
    const isManifest = isRequest('GET', /^\/v1\/blob\//)
    for (let more = 0; more < 6; more += 1) await upload(keeper, lost)
    const before = proxy.seen.filter(isManifest).length
    const stopped = new AbortController()
    const onProgress = ({ checked }: { checked: number }) => {
      if (checked === 1) stopped.abort()
    }
    await assert.rejects(owner.signedLately(lost.deviceId, { onProgress, signal: stopped.signal }), {
      name: 'AbortError',
    })
    const read = proxy.seen.filter(isManifest).length - before
    assert.ok(read <= 5, `${read} manifests were read of 9`)
  })

  it('is refused for a device that the account does not have, and fails with the session', async () => {
    await assert.rejects(keeper.owner.signedLately(newDevice().deviceId), RangeError)
    const other = await newOwner(proxy.url)
    const { deviceId } = await other.addDevice()
    await other.logOut()
    await assert.rejects(other.signedLately(deviceId), hasCode('error.auth.session_expired'))
  })
})
