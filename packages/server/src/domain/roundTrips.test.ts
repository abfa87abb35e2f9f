/** How often the frequent requests wait for PostgreSQL: with a network in between, that is what they take. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import {
  accountRow,
  bytes,
  creation,
  inPieces,
  leaveFinishing,
  never,
  newLink,
  notRefused,
  openDrop,
  uploadRow,
} from '../testing/guest.ts'
import { draft } from '../testing/receipts.ts'
import { roundTripsOf } from '../testing/roundTrips.ts'
import { inTwoNodes } from '../testing/twoNodes.ts'
import { newAccount, sha256 } from '../testing/world.ts'
import type { DropLanding } from './arrival/landing.ts'
import type { LandingDraft } from './custody/receiptBatches.ts'
import { findDropUpload } from './uploads/findUpload.ts'

const BATCH = 64

describe('waits for PostgreSQL', () => {
  it(
    'of a request that creates a drop are at most 6',
    inTwoNodes(async ({ here }) => {
      const { rules } = here
      const opaqueId = await newLink(here)
      const create = () =>
        rules.drops.create(creation(opaqueId, bytes(10), { idempotencyKey: crypto.randomUUID(), source: '192.0.2.1' }))
      await create()
      const trips = await roundTripsOf(create)
      assert.ok(trips <= 6, `${trips}`)
    }),
  )

  it(
    'of a chunk that is not the last are at most 4',
    inTwoNodes(async ({ here }) => {
      const opaqueId = await newLink(here)
      const content = bytes(30)
      const uploadId = await openDrop(here, opaqueId, content)
      const send = async (offset: number) => {
        const { chunks } = here.rules
        const piece = content.subarray(offset, offset + 10)
        const found = notRefused(await chunks.find(findDropUpload({ opaqueId, uploadId }), offset))
        notRefused(
          await chunks.append(found, { offset, checksum: sha256(piece), body: inPieces(piece), signal: never }),
        )
      }
      await send(0)
      const trips = await roundTripsOf(() => send(10))
      assert.ok(trips <= 4, `${trips}`)
    }),
  )

  it(
    'of a question for the quota is 1',
    inTwoNodes(async ({ here }) => {
      const accountId = await newAccount(here)
      assert.equal(await roundTripsOf(() => accountRow(here, accountId)), 1)
    }),
  )

  it(
    `of a batch that lands drops of ${BATCH} accounts are at most 6`,
    inTwoNodes(async ({ here }) => {
      const { receiptLog } = here.rules
      const newDraft = async (): Promise<LandingDraft<DropLanding>> => {
        const content = bytes(10)
        const uploadId = await openDrop(here, await newLink(here), content)
        await leaveFinishing(here, uploadId, content)
        const upload = await uploadRow(here, uploadId)
        if (upload.assetId !== undefined) assert.fail()
        const { accountId } = upload
        const { subject } = draft()
        const { dropId } = subject
        if (dropId === undefined) assert.fail()
        return { accountId, subject, landing: { upload, dropId, whole: undefined } }
      }
      const drafts = await mapConcurrently(Array.from({ length: 2 + BATCH }), 8, newDraft)
      const [one, next, ...rest] = drafts
      if (one === undefined || next === undefined) assert.fail()
      const alone = await roundTripsOf(() => receiptLog.append(one))
      // The first of them is a batch of its own, and all others wait for it.
      const withBatch = await roundTripsOf(() => Promise.all([next, ...rest].map((each) => receiptLog.append(each))))
      const trips = withBatch - alone
      assert.ok(trips <= 6, `${trips}`)
    }),
  )
})
