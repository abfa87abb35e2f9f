import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import { openBlob } from '../../testing/assetSessions.ts'
import { newAlbumOwner } from '../../testing/assets.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import {
  accountRow,
  append,
  appendChunk,
  bytes,
  creation,
  land,
  leaveFinishing,
  linkRow,
  never,
  newLink,
  openDrop,
  ownerOf,
  readObject,
  uploadRow,
} from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'

const DAY = 86_400
const content = bytes(100)

const stateOf = async (world: World, uploadId: UploadId) => (await uploadRow(world, uploadId)).state
const sent = async (world: World, uploadId: UploadId, from: number, to: number) =>
  append(world, uploadId, { offset: from, bytes: content.subarray(from, to) })

describe('an idle session', () => {
  it(
    'ends fifteen minutes after its creation without a byte, and gives everything back',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const uploadId = await openDrop(world, opaqueId, content)
      world.clock.advance(900)
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, uploadId), 'open')
      world.clock.advance(0.001)
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, uploadId), 'ended')
      const { openBytes, openSessions, accountId } = await linkRow(world, opaqueId)
      assert.deepEqual([openBytes, openSessions, (await accountRow(world, accountId)).usedBytes], [0, 0, 0])
      assert.deepEqual(await sent(world, uploadId, 0, 50), { refused: 'upload_not_found' })
    }),
  )

  it(
    'ends a day after its last chunk, and its bytes are removed',
    inWorld(async (world) => {
      const uploadId = await openDrop(world, await newLink(world), content)
      world.clock.advance(600)
      await sent(world, uploadId, 0, 20)
      world.clock.advance(DAY - 1)
      await sent(world, uploadId, 20, 40)
      world.clock.advance(DAY)
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, uploadId), 'open')
      world.clock.advance(0.001)
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, uploadId), 'ended')
      assert.equal(await world.blobs.size((await uploadRow(world, uploadId)).location), undefined)
    }),
  )

  it(
    'ends after seven days in all, also when it gets chunks all the time',
    inWorld(async (world) => {
      const uploadId = await openDrop(world, await newLink(world), content)
      for (let half = 0; half < 14; half += 1) {
        await sent(world, uploadId, half, half + 1)
        world.clock.advance(DAY / 2)
        await world.rules.sweep.sweep()
        assert.equal(await stateOf(world, uploadId), 'open')
      }
      world.clock.advance(0.001)
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, uploadId), 'ended')
    }),
  )

  it(
    'does not end while a client writes to it',
    inWorld(async (world) => {
      const uploadId = await openDrop(world, await newLink(world), content)
      const [begins, continues] = [createGate(), createGate()]
      async function* slow(): AsyncIterable<Uint8Array> {
        yield content.subarray(0, 50)
        begins.open()
        await continues.passed
        yield content.subarray(50)
      }
      const writing = appendChunk(world, uploadId, {
        offset: 0,
        checksum: sha256(content),
        body: slow(),
        signal: never,
      })
      await begins.passed
      world.clock.advance(30 * DAY)
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, uploadId), 'open')
      continues.open()
      assert.deepEqual(await writing, { offset: 100 })
    }),
  )

  for (const way of ['sent a chunk', 'began to send'] as const) {
    it(`does not end when its guest ${way} just after the sweep read it`, async () => {
      let meanwhile: (() => Promise<void>) | undefined
      await inWorld(
        async (world) => {
          const uploadId = await openDrop(world, await newLink(world), content)
          world.clock.advance(901)
          const continues = createGate()
          let writing: Promise<unknown> | undefined
          meanwhile = async () => {
            meanwhile = undefined
            if (way === 'sent a chunk') await sent(world, uploadId, 0, 50)
            else {
              writing = world.rules.writers.take(uploadId, never, () => continues.passed)
            }
          }
          await world.rules.sweep.sweep()
          assert.equal(meanwhile, undefined)
          assert.equal(await stateOf(world, uploadId), 'open')
          continues.open()
          await writing
        },
        {
          around: {
            store: (real) => ({
              ...real,
              // Between the read of the expired sessions and their end.
              async read(work) {
                const result = await real.read(work)
                if (Array.isArray(result) && result.length === 1 && Object(result[0]).uploadId !== undefined)
                  await meanwhile?.()
                return result
              },
            }),
          },
        },
      )()
    })
  }

  it(
    'ends although the row of an account before it is wrong',
    inWorld(
      async (world) => {
        const links: OpaqueId[] = []
        for (let count = 0; count < 9; count += 1) {
          links.push(await newLink(world))
          await openDrop(world, defined(links[count]), content)
        }
        const owners = await Promise.all(links.map((opaqueId) => ownerOf(world, opaqueId)))
        const database = new DatabaseSync(defined(world.databasePath))
        // More is given back than was charged.
        database.prepare('update accounts set used_bytes = 0 where account_id = ?').run(defined(owners[0]))
        database.close()
        world.clock.advance(901)
        await assert.rejects(world.rules.sweep.sweep(), /A refund of 100 bytes exceeds/)
        for (const owner of owners.slice(1)) assert.equal((await accountRow(world, owner)).usedBytes, 0)
      },
      { isOnDisk: true },
    ),
  )

  it(
    'ends with all others also if what was declared for it cannot be read',
    inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        const [damaged, other] = [await openDrop(world, opaqueId, content), await openDrop(world, opaqueId, content)]
        const database = new DatabaseSync(defined(world.databasePath))
        database.prepare("update uploads set opener = '{' where upload_id = ?").run(damaged)
        world.clock.advance(901)
        await world.rules.sweep.sweep()
        assert.equal(await stateOf(world, other), 'ended')
        const row = database.prepare('select state from uploads where upload_id = ?').get(damaged)
        database.close()
        assert.equal(row?.state, 'ended')
      },
      { isOnDisk: true },
    ),
  )

  it(
    'ends with five hundred others in each sweep',
    inWorld(async (world) => {
      const owner = await ownerOf(world, await newLink(world))
      for (let count = 0; count < 10; count += 1) {
        const opaqueId = await newLink(world, {}, owner)
        await Promise.all(Array.from({ length: 64 }, () => openDrop(world, opaqueId, content)))
      }
      world.clock.advance(901)
      await world.rules.sweep.sweep()
      assert.equal((await accountRow(world, owner)).usedBytes, 140 * 100)
      await world.rules.sweep.sweep()
      assert.equal((await accountRow(world, owner)).usedBytes, 0)
    }),
  )
})

describe('bytes without an owner', () => {
  it(
    'stay for the grace window when they had a receipt, and are removed at once when they had none',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      const landed = await uploadRow(world, await land(world, opaqueId, content))
      const cancelled = await uploadRow(world, await openDrop(world, opaqueId, content))
      await sent(world, cancelled.uploadId, 0, 50)
      const [drop] = await world.rules.inbox.list(owner)
      await world.rules.inbox.discard(owner, defined(drop).dropId)
      await world.rules.ending.cancel(cancelled)
      await world.rules.sweep.removeDeleting()
      assert.equal(await world.blobs.size(cancelled.location), undefined)
      // The window counts from the collector's own mark, however late that is.
      world.clock.advance(3 * DAY)
      await world.rules.sweep.sweep()
      world.clock.advance(DAY)
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(landed.location), 100)
      world.clock.advance(0.001)
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(landed.location), undefined)
      assert.equal(await world.store.read((tx) => tx.objects.find(landed.location)), undefined)
    }),
  )

  it(
    'are never those of a pending drop of any age',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const { location } = await uploadRow(world, await land(world, opaqueId, content))
      for (let year = 0; year < 3; year += 1) {
        world.clock.advance(365 * DAY)
        await world.rules.sweep.sweep()
      }
      assert.equal(await world.blobs.size(location), 100)
      assert.equal((await world.rules.inbox.list(await ownerOf(world, opaqueId))).length, 1)
    }),
  )

  it(
    'are not those of another drop with the same content',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      await land(world, opaqueId, content)
      const staying = await uploadRow(world, await land(world, opaqueId, content))
      const [first] = await world.rules.inbox.list(owner)
      await world.rules.inbox.discard(owner, defined(first).dropId)
      await world.rules.sweep.sweep()
      world.clock.advance(2 * DAY)
      await world.rules.sweep.sweep()
      assert.equal(await world.blobs.size(defined(first).location), undefined)
      assert.deepEqual(await readObject(world, staying), Buffer.from(content))
    }),
  )

  it(
    'are removed only after the stopped writer has ended',
    inWorld(async (world) => {
      const upload = await uploadRow(world, await openDrop(world, await newLink(world), content))
      await sent(world, upload.uploadId, 0, 50)
      const ends = createGate()
      const writing = world.rules.writers.take(upload.uploadId, never, () => ends.passed)
      await world.rules.ending.cancel(upload)
      const removal = world.rules.sweep.removeDeleting()
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      assert.equal(await world.blobs.size(upload.location), 50)
      ends.open()
      await Promise.all([writing, removal])
      assert.equal(await world.blobs.size(upload.location), undefined)
    }),
  )

  it('are removed also after bytes that cannot be removed, and those are tried again', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        const uploads = [await openDrop(world, opaqueId, content), await openDrop(world, opaqueId, content)]
        const rows = []
        for (const uploadId of uploads) {
          await sent(world, uploadId, 0, 10)
          rows.push(await uploadRow(world, uploadId))
        }
        // Objects with the same instant come in the order of their locations.
        const [first, second] = rows.toSorted((a, b) => (a.location < b.location ? -1 : 1))
        await world.rules.links.revoke(await ownerOf(world, opaqueId), opaqueId)
        faults.arm('remove', { location: defined(first).location })
        await assert.rejects(world.rules.sweep.removeDeleting(), /a test broke it/)
        assert.equal(await world.blobs.size(defined(second).location), undefined)
        assert.equal(await world.store.read((tx) => tx.objects.find(defined(second).location)), undefined)
        faults.disarm()
        await world.rules.sweep.removeDeleting()
        assert.equal(await world.blobs.size(defined(first).location), undefined)
      },
      { around: faults.around },
    )()
  })

  it('lose their row at the next start when the process died after the bytes', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const upload = await uploadRow(world, await openDrop(world, await newLink(world), content))
        await world.rules.ending.cancel(upload)
        faults.arm('storeWrite', { times: 1 })
        await assert.rejects(world.rules.sweep.removeDeleting())
        await world.restarted().sweep.removeDeleting()
        assert.equal(await world.store.read((tx) => tx.objects.find(upload.location)), undefined)
      },
      { around: faults.around },
    )()
  })
})

describe('a sweep', () => {
  it('runs all other steps when one session cannot be finished', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const idle = await openDrop(world, await newLink(world), content)
        const stuck = await openDrop(world, await newLink(world), content)
        await leaveFinishing(world, stuck, content)
        faults.arm('blobRead', { location: (await uploadRow(world, stuck)).location })
        world.clock.advance(901)
        await assert.rejects(world.rules.sweep.sweep(), /a test broke it/)
        assert.equal(await stateOf(world, idle), 'ended')
        assert.equal(
          await world.store.read(async (tx) => (await tx.objects.listIn('deleting', world.clock.now(), 9)).length),
          0,
        )
      },
      { around: faults.around },
    )()
  })

  it(
    'prunes stored answers after thirty days; the drop and its bytes stay',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const uploadId = await land(world, opaqueId, content)
      const scope = { opaqueId, uploadId }
      world.clock.advance(30 * DAY)
      await world.rules.sweep.sweep()
      assert.ok(!('refused' in (await world.rules.drops.receipt(scope))))
      assert.deepEqual(await sent(world, uploadId, 0, 100), { offset: 100 })
      world.clock.advance(0.001)
      await world.rules.sweep.sweep()
      assert.deepEqual(await world.rules.drops.receipt(scope), { refused: 'upload_not_found' })
      assert.deepEqual(await sent(world, uploadId, 0, 100), { refused: 'upload_not_found' })
      assert.equal((await world.rules.inbox.list(await ownerOf(world, opaqueId))).length, 1)
      // The Idempotency-Key of a forgotten session is free again.
      assert.ok(
        !('refused' in Object(await world.rules.drops.create(creation(opaqueId, content, { idempotencyKey: 'k' })))),
      )
    }),
  )

  it(
    'prunes an upload that did not land after a day, a guest’s and an owner’s, and none that has landed',
    inWorld(async (world) => {
      const albumOwner = await newAlbumOwner(world)
      const opaqueId = await newLink(world, {}, albumOwner.accountId)
      const landed = await land(world, opaqueId, content)
      const ended = [await openDrop(world, opaqueId, content), await openBlob(world, albumOwner, content)]
      const find = (uploadId: UploadId) => world.store.read((tx) => tx.uploads.find(uploadId))
      for (const uploadId of ended) await world.rules.ending.cancel(defined(await find(uploadId)))
      const statesAfter = async (seconds: number) => {
        world.clock.advance(seconds)
        await world.rules.sweep.sweep()
        return Promise.all([landed, ...ended].map(async (uploadId) => (await find(uploadId))?.state))
      }
      assert.deepEqual(await statesAfter(DAY), ['landed', 'ended', 'ended'])
      assert.deepEqual(await statesAfter(0.001), ['landed', undefined, undefined])
    }),
  )

  it(
    'prunes sessions that have ended, and no others',
    inWorld(async (world) => {
      const owner = await ownerOf(world, await newLink(world))
      const { sessions, sweep } = world.rules
      const [ended, idle] = [await sessions.open(owner, undefined), await sessions.open(owner, undefined)]
      const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      const idOf = (pair: typeof ended) => claims(pair.accessToken).sid
      await sessions.end({ account: { accountId: owner }, sessionId: idOf(ended) })
      world.clock.advance(1)
      await sweep.sweep()
      const found = (pair: typeof ended) => world.store.read((tx) => tx.sessions.find(idOf(pair)))
      assert.equal(await found(ended), undefined)
      assert.notEqual(await found(idle), undefined)
      world.clock.advance(31 * DAY)
      await sweep.sweep()
      assert.equal(await found(idle), undefined)
    }),
  )

  it(
    'ends nothing early when the clock goes back',
    inWorld(async (world) => {
      const uploadId = await openDrop(world, await newLink(world), content)
      world.clock.advance(-365 * DAY)
      await world.rules.sweep.sweep()
      assert.equal(await stateOf(world, uploadId), 'open')
    }),
  )
})
