import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { NotedEvent } from '../../ports/store.ts'
import { adopt, declaredFor, landBlob, newAlbumOwner, newAssetId, newDrop } from '../../testing/assets.ts'
import {
  append,
  bytes,
  creation,
  land,
  newLink,
  notRefused,
  openDrop,
  ownerOf,
  provision,
} from '../../testing/guest.ts'
import { inWorld, newAccount, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'

/** Each call returns the events of an account since the last call. */
function createEventReader({ store }: World, accountId: AccountId) {
  let changeSeq = 0
  return async (): Promise<readonly NotedEvent[]> => {
    const found = await store.read((tx) => tx.changes.eventsAfter({ accountId, changeSeq, max: 1000 }))
    found.forEach((event, index) => {
      assert.equal(event.changeSeq, changeSeq + 1 + index, 'numbers without gaps')
    })
    changeSeq = found.at(-1)?.changeSeq ?? changeSeq
    return found
  }
}

const changesOf = (events: readonly NotedEvent[]) => events.map(({ change }) => change)
const QUOTA = { name: 'quota.changed' }

describe('changes', () => {
  it(
    'are noted for a link and for each step of a drop',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      const newEvents = createEventReader(world, owner)
      const link = { name: 'link.changed', opaqueId }
      assert.deepEqual(changesOf(await newEvents()), [link])
      const file = bytes(10)
      const uploadId = await openDrop(world, opaqueId, file)
      assert.deepEqual(changesOf(await newEvents()), [link, QUOTA])
      notRefused(await append(world, uploadId, { offset: 0, bytes: file.subarray(0, 4) }))
      assert.deepEqual(changesOf(await newEvents()), [])
      notRefused(await append(world, uploadId, { offset: 4, bytes: file.subarray(4) }))
      const [drop] = await world.rules.inbox.list(owner)
      assert.ok(drop)
      assert.deepEqual(changesOf(await newEvents()), [{ name: 'drop.landed', dropId: drop.dropId, opaqueId }, link])
      notRefused(await world.rules.inbox.discard(owner, drop.dropId))
      assert.deepEqual(changesOf(await newEvents()), [QUOTA, { name: 'drop.discarded', dropId: drop.dropId }])
      await openDrop(world, opaqueId, file)
      await newEvents()
      await world.rules.links.revoke(owner, opaqueId)
      assert.deepEqual(changesOf(await newEvents()), [link, QUOTA])
      await world.rules.links.revoke(owner, opaqueId)
      assert.deepEqual(changesOf(await newEvents()), [], 'a repeat changes nothing')
    }),
  )

  it(
    'are noted for an asset, with the number in its row, and for its adopted drop',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const newEvents = createEventReader(world, albumOwner.accountId)
      const drop = await newDrop(world, albumOwner, bytes(10))
      await newEvents()
      const assetId = newAssetId()
      const content = { size: drop.size, ciphertextHash: drop.ciphertextHash }
      notRefused(
        await adopt(world, albumOwner, drop, { ...declaredFor(world, albumOwner, bytes(1), { assetId, ...content }) }),
      )
      const adopted = await newEvents()
      const changed = (changeSeq: number | undefined) => ({ name: 'asset.changed', assetId, changeSeq })
      assert.deepEqual(changesOf(adopted), [
        changed(adopted[0]?.changeSeq),
        { name: 'drop.adopted', dropId: drop.dropId, assetId },
      ])
      const overrides = { original_blob_hash: drop.ciphertextHash }
      await landBlob(world, albumOwner, bytes(5), { assetId, role: 'metadata', envelope: overrides })
      const landed = await newEvents()
      assert.deepEqual(changesOf(landed), [QUOTA, changed(landed[1]?.changeSeq)])
      assert.equal(await world.rules.assets.remove(albumOwner.accountId, assetId), undefined)
      const removed = await newEvents()
      assert.deepEqual(changesOf(removed), [QUOTA, changed(removed[1]?.changeSeq)])
    }),
  )

  it(
    'are noted once when a transaction makes the same one several times',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      for (const size of [3, 4, 5]) await land(world, opaqueId, bytes(size))
      const newEvents = createEventReader(world, owner)
      await newEvents()
      await world.rules.inbox.discardOfLink(owner, opaqueId)
      const names = changesOf(await newEvents()).map(({ name }) => name)
      assert.deepEqual(names, ['quota.changed', 'drop.discarded', 'drop.discarded', 'drop.discarded'])
    }),
  )

  it(
    'are not noted for refused requests, except that a guest found no room',
    inWorld(
      async (world) => {
        const owner = await newAccount(world)
        const newEvents = createEventReader(world, owner)
        const opaqueId = await newLink(world, { maxFileSize: 40 }, owner)
        await newEvents()
        assert.ok(isRefusal(await world.rules.links.provision(await newAccount(world), provision({ opaqueId }))))
        assert.ok(isRefusal(await world.rules.drops.create(creation(opaqueId, bytes(41)))))
        assert.deepEqual(changesOf(await newEvents()), [])
        assert.ok(isRefusal(await world.rules.drops.create(creation(opaqueId, bytes(30)))), 'beyond the quota')
        assert.deepEqual(changesOf(await newEvents()), [{ name: 'drop.refused' }])
      },
      { settings: { quotaHardBytes: 20 } },
    ),
  )
})
