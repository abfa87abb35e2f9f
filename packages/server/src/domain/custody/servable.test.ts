import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { BlobMissing, ObjectUnreadable, StorageForbidden, StorageUnavailable } from '../../ground/storageErrors.ts'
import { adopt, declaredForDrop, newAlbumOwner, newDrop } from '../../testing/assets.ts'
import { inWorldWithDisk } from '../../testing/disk.ts'
import { createFaults } from '../../testing/faults.ts'
import { bytes, never } from '../../testing/guest.ts'
import {
  askOne,
  fileOf,
  keep,
  keepBreakable,
  saidOf,
  suspectedIn,
  UNREADABLE,
  verifyOver,
  watchBlobs,
} from '../../testing/verify.ts'
import { inWorld, newOpaqueId, type World } from '../../testing/world.ts'

const UNAVAILABLE = { refused: 'storage_unavailable' }
const content = bytes(1000)
const WHOLE = 'durable stored indexed retrievable original'

const readFrom = async (world: World, object: { readonly location: string; readonly size: number }) => {
  for await (const _ of world.rules.serving.read(object, { start: 0, end: 1 }));
}

/** Each way to meet bytes that are not there, with the object that it met. */
const WAYS: Readonly<Record<string, (world: World, damage: (location: string) => Promise<void>) => Promise<string>>> = {
  'the owner asks for a blob': async (world, damage) => {
    const { albumOwner, blob } = await landed(world)
    await damage(blob.location)
    assert.deepEqual(await world.rules.assets.content(albumOwner.accountId, blob.ciphertextHash), UNAVAILABLE)
    return blob.location
  },
  'a blob or a drop is read': async (world, damage) => {
    const { blob } = await landed(world)
    await damage(blob.location)
    await assert.rejects(readFrom(world, blob), BlobMissing)
    return blob.location
  },
  'a share shows it': async (world, damage) => {
    const { albumOwner, blob } = await landed(world)
    const opaqueId = newOpaqueId()
    const given = { opaqueId, sealedIndex: bytes(9), blobHashes: [blob.ciphertextHash], passphraseVerifier: undefined }
    const rest = { expiresAt: undefined, maxDownloads: undefined, sealedName: undefined, sealedRecord: undefined }
    await world.rules.shares.create(albumOwner.accountId, { ...given, ...rest })
    await damage(blob.location)
    const proof = { proof: undefined, source: undefined }
    assert.deepEqual(await world.rules.shares.content(opaqueId, blob.ciphertextHash, proof), UNAVAILABLE)
    return blob.location
  },
  'a drop is looked at': async (world, damage) => {
    const albumOwner = await newAlbumOwner(world)
    const drop = await newDrop(world, albumOwner, content)
    await damage(drop.location)
    assert.deepEqual(await world.rules.inbox.content(albumOwner.accountId, drop.dropId), UNAVAILABLE)
    return drop.location
  },
  'a drop is adopted': async (world, damage) => {
    const albumOwner = await newAlbumOwner(world)
    const drop = await newDrop(world, albumOwner, content)
    await damage(drop.location)
    assert.deepEqual(await adopt(world, albumOwner, drop, declaredForDrop(world, albumOwner, drop)), UNAVAILABLE)
    return drop.location
  },
  'storage verification looks': async (world, damage) => {
    const { albumOwner, blob } = await landed(world)
    await damage(blob.location)
    assert.equal((await askOne(verifyOver(world), albumOwner.accountId, blob)).durable, false)
    return blob.location
  },
}

async function landed(world: World) {
  const albumOwner = await newAlbumOwner(world)
  return { albumOwner, blob: await keep(world, albumOwner, content) }
}

const DAMAGES = { missing: rm, 'cut short': (path: string) => truncate(path, 1) }

describe('bytes that are not there', () => {
  for (const [way, meet] of Object.entries(WAYS))
    for (const [name, damage] of Object.entries(DAMAGES))
      it(
        `are ${name} when ${way}: the scrubber reads the object soon, and marks it`,
        inWorld(async (world) => {
          const location = await meet(world, (at) => damage(fileOf(world, { location: at })))
          assert.deepEqual(await suspectedIn(world), [location])
          await world.rules.scrub.again(never)
          assert.equal((await world.store.read((tx) => tx.census.take())).objects.damaged, 1)
        }),
      )

  it('are noted when a deep scan misses them', async () => {
    const watch = watchBlobs()
    await inWorld(
      async (world) => {
        const { albumOwner, blob } = await landed(world)
        watch.beforeDigest(() => rm(fileOf(world, blob), { force: true }))
        await askOne(verifyOver(world), albumOwner.accountId, blob, true)
        assert.deepEqual(await suspectedIn(world), [blob.location])
      },
      { around: { blobs: watch.around } },
    )()
  })

  it(
    'are noted when the disk does not give them to a download, and given again once the scrubber has read them',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const { blob, ...file } = await keepBreakable(world, albumOwner)
      const said = async () => saidOf(await askOne(verifyOver(world), albumOwner.accountId, blob))
      await file.break()
      await assert.rejects(readFrom(world, blob), ObjectUnreadable)
      assert.equal(world.suspectCalls(), 1)
      for (let second = 0; second < 3; second += 1) {
        assert.equal(await said(), 'stored indexed original')
        await world.rules.scrub.again(never)
        world.clock.advance(1)
      }
      await file.mend()
      world.clock.advance(60)
      await world.rules.scrub.again(never)
      assert.equal(await said(), WHOLE)
    }),
  )

  const errors = {
    'an object that the disk does not give': { error: new ObjectUnreadable('EIO'), isNoted: true },
    'an object that is forbidden to the server': { error: new StorageForbidden('EACCES'), isNoted: true },
    'a store that did not answer': { error: new StorageUnavailable('timed out'), isNoted: false },
    'a store that is away': { error: new ObjectUnreadable('EIO'), isAway: true, isNoted: false },
  }
  for (const [name, { error, isNoted, ...rest }] of Object.entries(errors))
    it(`are ${isNoted ? '' : 'not '}suspected by a download, a look or a verification that met ${name}`, async () => {
      const faults = createFaults()
      await inWorld(
        async (world) => {
          const { albumOwner, blob } = await landed(world)
          const other = await landed(world)
          faults.arm('blobRead', { error, location: blob.location })
          faults.arm('digest', { error, location: other.blob.location })
          if ('isAway' in rest) faults.arm('check')
          await assert.rejects(readFrom(world, blob), error)
          // A deep scan reads twice.
          const asked = askOne(verifyOver(world), other.albumOwner.accountId, other.blob, true)
          assert.equal(await asked.then(saidOf, () => 'nothing'), 'isAway' in rest ? 'nothing' : UNREADABLE)
          const [asks, looks] = [await landed(world), await landed(world)]
          faults.arm('size', { error, location: asks.blob.location })
          // A structural one looks twice.
          const structural = askOne(verifyOver(world), asks.albumOwner.accountId, asks.blob)
          assert.equal(await structural.then(saidOf, () => 'nothing'), 'isAway' in rest ? 'nothing' : UNREADABLE)
          faults.arm('size', { error, location: looks.blob.location })
          const look = world.rules.assets.content(looks.albumOwner.accountId, looks.blob.ciphertextHash)
          assert.deepEqual(await look, UNAVAILABLE)
          const met = [blob, other.blob, asks.blob, looks.blob].map(({ location }) => location)
          const noted = isNoted ? met.toSorted() : []
          assert.deepEqual((await suspectedIn(world)).toSorted(), noted)
          faults.disarm()
          const verdict = await askOne(verifyOver(world), albumOwner.accountId, blob)
          assert.equal(saidOf(verdict), isNoted ? 'stored indexed original' : WHOLE)
        },
        { around: faults.around },
      )()
    })

  it(
    'are no damage while their whole disk is away',
    inWorldWithDisk(async (world, disk) => {
      const { albumOwner, blob } = await landed(world)
      const back = await disk.takeAway()
      await assert.rejects(readFrom(world, blob), StorageUnavailable)
      assert.deepEqual(await world.rules.assets.content(albumOwner.accountId, blob.ciphertextHash), UNAVAILABLE)
      await assert.rejects(askOne(verifyOver(world), albumOwner.accountId, blob), StorageUnavailable)
      await back()
      assert.deepEqual(await suspectedIn(world), [])
    }),
  )
})
