/** Which shares show a file, at a real server. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { parseInstant } from '@blindkeep/protocol/ids'
import { endingSoon } from '../../../../testing/endingSoon.ts'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { type Keeper, newKeeper } from '../../../../testing/people.ts'
import { until } from '../../../../testing/until.ts'
import type { Owner } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
})

async function uploaded() {
  const { assetId } = await owner.upload({ source: sourceOfBytes(new Uint8Array(randomBytes(10))), ...keeper })
  const original = (await owner.asset(assetId)).blobs.find(({ role }) => role === 'original')
  return { assetId, hash: original?.hash ?? assert.fail() }
}

describe('the shares that show a file', () => {
  it('are those that have it and have not ended, the newest first, also with a passphrase; each is read once', async () => {
    const [one, other, none] = [await uploaded(), await uploaded(), await uploaded()]
    const expiresAt = await endingSoon(async (at) => {
      await owner.createShare([one.assetId], { expiresAt: at })
      return at
    })
    const both = await owner.createShare([one.assetId, other.assetId], { name: 'Both' })
    const closed = await owner.createShare([one.assetId], { passphrase: 'Open Sesame' })
    await until(async () => {
      await owner.quota()
      return owner.now() > (parseInstant(expiresAt) ?? 0)
    }, 'the first share ends')
    let asked = 0
    const isOfOne = isRequest('GET', /^\/v1\/shares\/[0-9a-f]+$/)
    proxy.tamper({
      matches: (exchange) => {
        if (isOfOne(exchange)) asked += 1
        return false
      },
    })
    const showing = async (...files: readonly { readonly hash: string }[]) =>
      (await owner.showingShares(files.map(({ hash }) => hash))).map(({ share, files: count }) => [
        share.opaqueId,
        share.name,
        count,
      ])
    const [ofBoth, ofClosed] = [(count: number) => [both.opaqueId, 'Both', count], [closed.opaqueId, undefined, 1]]
    assert.deepEqual(await showing(one, other), [ofClosed, ofBoth(2)])
    assert.equal(asked, 2)
    assert.deepEqual([await showing(other), await showing(none), await showing()], [[ofBoth(1)], [], []])
    await owner.deleteShare(both.opaqueId)
    assert.deepEqual(await showing(one, other), [ofClosed])
    const again = await owner.createShare([other.assetId])
    assert.deepEqual(await showing(one, other), [[again.opaqueId, undefined, 1], ofClosed])
    assert.equal(asked, 3)
    proxy.tamper()
  })
})
