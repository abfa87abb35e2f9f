import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import { createFaults } from '../../testing/faults.ts'
import {
  accountRow,
  append,
  bytes,
  creation,
  land,
  linkRow,
  newLink,
  notRefused,
  ownerOf,
  uploadRow,
} from '../../testing/guest.ts'
import { defined, inWorld, newOpaqueId, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'
import type { CreateDrop } from './drops.ts'

const content = bytes(100)

const reasonOf = (answer: unknown): string => (isRefusal(answer) ? String(Object(answer).refused) : 'created')

const create = async (world: World, request: CreateDrop) => reasonOf(await world.rules.drops.create(request))

describe('the limits on drop sessions', () => {
  /** One source may open two sessions on a link, a quarter of its eight. */
  const limited = { settings: { linkSessionsPerWindow: 8, sourceSessionsPerWindow: 3 } }

  it(
    'count opened sessions, not refusals or repeats',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const request = creation(opaqueId, content, { source: 'a', idempotencyKey: 'one' })
      const refused = creation(opaqueId, content, { source: 'a', declaration: { kemCt: '' } })
      for (let round = 0; round < 5; round += 1) {
        assert.equal(await create(world, refused), 'declaration_malformed')
        assert.equal(await create(world, { ...refused, opaqueId: newOpaqueId() }), 'link_not_live')
        assert.equal(await create(world, request), 'created')
      }
      assert.equal(await create(world, { ...request, idempotencyKey: 'two' }), 'created')
      const late = await world.rules.drops.create({ ...request, idempotencyKey: 'three' })
      assert.deepEqual(late, { refused: 'link_limited', retryAfterSeconds: 900 })
      world.clock.advance(900)
      assert.equal(await create(world, { ...request, idempotencyKey: 'three' }), 'created')
    }, limited),
  )

  it(
    'do not count for the source when the link’s limit refuses, and never give back what was not taken',
    inWorld(async (world) => {
      const full = await newLink(world)
      const from = (opaqueId: OpaqueId) => create(world, creation(opaqueId, content, { source: 'a' }))
      assert.deepEqual([await from(full), await from(full)], ['created', 'created'])
      for (let round = 0; round < 5; round += 1) assert.equal(await from(full), 'link_limited')
      assert.equal(await from(await newLink(world)), 'created')
      for (let round = 0; round < 5; round += 1) assert.equal(await from(await newLink(world)), 'source_limited')
      assert.equal(await create(world, creation(await newLink(world), content, { source: 'b' })), 'created')
    }, limited),
  )

  it('do not count a request that the server failed', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        const request = creation(opaqueId, content, { source: 'a' })
        for (const call of ['storeWrite', 'check', 'storeRead'] as const) {
          faults.arm(call, { times: 4 })
          for (let round = 0; round < 4; round += 1) await assert.rejects(world.rules.drops.create(request))
        }
        assert.deepEqual([await create(world, request), await create(world, request)], ['created', 'created'])
        assert.equal(await create(world, request), 'link_limited')
      },
      { ...limited, around: faults.around },
    )()
  })
})

describe('an Idempotency-Key', () => {
  it(
    'gets the same session again, however often and at once',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxFileCount: 1 })
      const request = creation(opaqueId, content, { idempotencyKey: 'the same' })
      const answers = await Promise.all(Array.from({ length: 16 }, () => world.rules.drops.create(request)))
      assert.equal(new Set(answers).size, 1)
      assert.equal((await linkRow(world, opaqueId)).openSessions, 1)
      const [uploadId] = answers
      await append(world, notRefused(defined(uploadId)), { offset: 0, bytes: content })
      assert.equal(await world.rules.drops.create(request), uploadId)
    }),
  )

  it(
    'refuses another declaration, and is free on another link',
    inWorld(async (world) => {
      const [opaqueId, other] = [await newLink(world), await newLink(world)]
      const first = await world.rules.drops.create(creation(opaqueId, content, { idempotencyKey: 'k' }))
      for (const declaration of [{ size: 99 }, { contentType: 'text/plain' }, { suggestedFilename: 'x' }]) {
        const changed = creation(opaqueId, content, { idempotencyKey: 'k', declaration })
        assert.equal(await create(world, changed), 'declaration_malformed')
      }
      assert.notEqual(await world.rules.drops.create(creation(other, content, { idempotencyKey: 'k' })), first)
      assert.equal((await linkRow(world, opaqueId)).openBytes, 100)
    }),
  )

  it(
    'does not replace the passphrase proof',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { passphraseVerifier: content })
      const request = creation(opaqueId, content, { idempotencyKey: 'k', proof: toBase64(content) })
      notRefused(await world.rules.drops.create(request))
      assert.equal(await create(world, { ...request, proof: undefined }), 'passphrase_missing')
    }),
  )
})

describe('a landing', () => {
  it(
    'puts the drop into the inbox with the receipt’s time, turns the reserved caps into landed ones, and keeps the charge',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxTotalBytes: 300 })
      const uploadId = await land(world, opaqueId, content)
      const owner = await ownerOf(world, opaqueId)
      const [drop] = await world.rules.inbox.list(owner)
      const receipt = notRefused(await world.rules.drops.receipt({ opaqueId, uploadId }))
      const { state, closedAt } = await uploadRow(world, uploadId)
      assert.deepEqual([drop?.uploadId, drop?.dropId, drop?.receivedAt], [uploadId, receipt.dropId, receipt.receivedAt])
      assert.deepEqual([state, closedAt], ['landed', receipt.receivedAt])
      const { openSessions, openBytes, landedFiles, landedBytes, spentAt } = await linkRow(world, opaqueId)
      assert.deepEqual([openSessions, openBytes, landedFiles, landedBytes, spentAt], [0, 0, 1, 100, undefined])
      assert.equal((await accountRow(world, owner)).usedBytes, 100)
      assert.equal((await world.store.read((tx) => tx.objects.find(defined(drop).location)))?.state, 'kept')
    }),
  )
})
