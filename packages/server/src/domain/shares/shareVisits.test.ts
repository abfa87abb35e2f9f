import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { addSeconds, type OpaqueId } from '@blindkeep/protocol/ids'
import { MAX_SHARE_DOWNLOADS } from '@blindkeep/protocol/suites'
import { newAlbumOwner } from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { keep } from '../../testing/verify.ts'
import { defined, inWorld, newOpaqueId, type World } from '../../testing/world.ts'

const content = bytes(100)
const USED_UP = { refused: 'share_used_up' }
const NO_PROOF = { proof: undefined, source: 'somewhere' }
const newVisit = () => randomBytes(16).toString('hex')

async function newShare(world: World, maxDownloads?: number) {
  const { accountId } = await newAlbumOwner(world)
  const owner = await newAlbumOwner(world, accountId)
  const { ciphertextHash } = await keep(world, owner, content)
  const notes = { sealedName: undefined, sealedRecord: undefined, passphraseVerifier: undefined }
  const { shares } = world.rules
  const asked = { opaqueId: newOpaqueId(), sealedIndex: bytes(9), blobHashes: [ciphertextHash], expiresAt: undefined }
  const opaqueId = notRefused(await shares.create(accountId, { ...asked, ...notes, maxDownloads }))
  const kept = async () =>
    defined(notRefused(await shares.list(accountId, {})).find((one) => one.opaqueId === opaqueId))
  return {
    accountId,
    opaqueId,
    open: (visit?: string, source = 'somewhere') => shares.contents(opaqueId, { ...NO_PROOF, source }, visit),
    download: async (visit?: string) => {
      const { share } = notRefused(await shares.content(opaqueId, ciphertextHash, NO_PROOF))
      return shares.download(share, { visit, source: 'somewhere' })
    },
    limit: (max: number | undefined) =>
      shares.change(accountId, opaqueId, { sealedName: 'same', maxDownloads: max, contents: 'same' }),
    counts: async () => {
      const { opened, downloaded } = await kept()
      return [opened, downloaded]
    },
    lastAt: async () => (await kept()).lastAt,
  }
}

describe('the visits of a share', () => {
  it(
    'are counted once each, however often they ask, side by side and after a restart',
    inWorld(async (world) => {
      const share = await newShare(world)
      const [one, other] = [newVisit(), newVisit()]
      assert.deepEqual([await share.counts(), await share.lastAt()], [[0, 0], undefined])
      await Promise.all([one, one, one, other].map((visit) => share.open(visit)))
      assert.deepEqual(await share.counts(), [2, 0])
      const at = addSeconds(world.clock.now(), 60)
      world.clock.set(at)
      await Promise.all([one, one, one].map((visit) => share.download(visit)))
      world.clock.advance(60)
      for (const visit of [one, other]) await share.open(visit)
      assert.deepEqual([await share.counts(), await share.lastAt()], [[2, 1], at])
      const again = world.restarted().shares
      notRefused(await again.contents(share.opaqueId, NO_PROOF, one))
      assert.deepEqual(await share.counts(), [2, 1])
    }),
  )

  it(
    'without an id are each request, and neither a missing share nor its owner is one',
    inWorld(async (world) => {
      const share = await newShare(world)
      for (let count = 0; count < 2; count += 1) {
        notRefused(await share.open())
        assert.equal(await share.download(), undefined)
      }
      notRefused(await world.rules.shares.own(share.accountId, share.opaqueId))
      assert.deepEqual(await share.counts(), [2, 2])
      const { accountId: stranger } = await newAlbumOwner(world)
      for (const [accountId, opaqueId] of [
        [stranger, share.opaqueId],
        [share.accountId, newOpaqueId()],
      ] as const)
        assert.deepEqual(await world.rules.shares.own(accountId, opaqueId as OpaqueId), { refused: 'share_not_found' })
    }),
  )

  it(
    'are given no more downloads than the limit, also at once; those that took one go on',
    inWorld(async (world) => {
      const share = await newShare(world, 2)
      const visits = Array.from({ length: 5 }, newVisit)
      const answers = await Promise.all(visits.map((visit) => share.download(visit)))
      const [first, second, ...others] = visits.toSorted(
        (one, other) =>
          Number(answers[visits.indexOf(one)] !== undefined) - Number(answers[visits.indexOf(other)] !== undefined),
      )
      assert.equal(answers.filter((answer) => answer === undefined).length, 2)
      for (const visit of [first, second]) {
        assert.equal(await share.download(visit), undefined)
        notRefused(await share.open(visit))
      }
      for (const visit of [...others, undefined]) {
        assert.deepEqual(await share.download(visit), USED_UP)
        assert.deepEqual(await share.open(visit), USED_UP)
      }
      assert.deepEqual(await share.counts(), [2, 2])
    }),
  )

  it(
    'follow a limit that the owner sets, raises, lowers or removes',
    inWorld(async (world) => {
      const share = await newShare(world)
      const take = async () => ((await share.download(newVisit())) === undefined ? 'given' : 'used up')
      assert.equal(await take(), 'given')
      for (const [max, expected] of [
        [1, 'used up'],
        [2, 'given'],
        [2, 'used up'],
        [1, 'used up'],
        [undefined, 'given'],
      ] as const) {
        assert.equal(await share.limit(max), undefined)
        assert.equal(await take(), expected, String(max))
      }
      assert.deepEqual(await share.counts(), [0, 3])
    }),
  )

  it(
    'of a limited share are all known again; of others the last ones are, in a row that does not grow',
    inWorld(async (world) => {
      const share = await newShare(world, MAX_SHARE_DOWNLOADS)
      const visits = Array.from({ length: MAX_SHARE_DOWNLOADS }, newVisit)
      for (const visit of visits) assert.equal(await share.download(visit), undefined)
      for (const visit of [visits[0], visits.at(-1)]) assert.equal(await share.download(visit), undefined)
      assert.deepEqual(await share.download(newVisit()), USED_UP)
      await share.limit(undefined)
      const later = newVisit()
      for (const visit of [later, visits[1], visits[0]]) assert.equal(await share.download(visit), undefined)
      // The first one gave its place to the later one, and takes that of the second.
      assert.deepEqual(await share.counts(), [0, MAX_SHARE_DOWNLOADS + 2])
      const row = await world.store.read((tx) => tx.shares.visitsOf(share.opaqueId))
      assert.equal(row?.downloaders?.length, MAX_SHARE_DOWNLOADS * 16)
    }),
  )

  it(
    'are shown more than are counted, where one source opens a share without end',
    inWorld(async (world) => {
      const share = await newShare(world)
      for (let count = 0; count < 610; count += 1) notRefused(await share.open())
      assert.deepEqual(await share.counts(), [600, 0])
      notRefused(await share.open(newVisit(), 'elsewhere'))
      assert.deepEqual(await share.counts(), [601, 0])
    }),
  )
})
