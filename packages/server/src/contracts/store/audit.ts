import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { NewUpload, Store, WriteTx } from '../../ports/store.ts'
import { channel } from './channels.ts'
import { invite } from './invites.ts'
import { share } from './shares.ts'
import {
  account,
  accountId,
  adoptedDrop,
  album,
  asset,
  assetBlob,
  assetId,
  assetUpload,
  at,
  bytes,
  claim,
  device,
  drop,
  dropId,
  hash,
  type InStore,
  link,
  object,
  opaqueId,
  passkey,
  receipt,
  seedWithAlbums,
  session,
  upload,
  uploadId,
} from './world.ts'

const SIZE = 100
const NONE = '00000000-0000-4000-8000-000000000000'

async function open(tx: WriteTx, session: NewUpload): Promise<void> {
  await tx.accounts.charge(accountId(1), SIZE, undefined)
  const reservation = { size: SIZE, at: at(0), maxOpenSessions: 64 }
  if (session.opaqueId !== undefined) await tx.links.reserve(session.opaqueId, reservation)
  await tx.objects.insert({ location: session.location, size: SIZE, state: 'staged', since: at(0) })
  await tx.uploads.insert(session)
}

async function landed(tx: WriteTx, session: NewUpload): Promise<void> {
  await open(tx, session)
  await tx.uploads.append(session.uploadId, { offset: 0, length: SIZE, checksum: hash(1) }, at(0))
  await tx.uploads.move(session.uploadId, { from: 'open', to: 'landed', at: at(1) })
  await tx.objects.keep([session.location], at(1))
  if (session.opaqueId !== undefined)
    await tx.links.land([{ opaqueId: session.opaqueId, files: 1, bytes: SIZE }], at(1))
}

/** A pending drop (1), an asset (1) of drop (2) and derivative (3), open sessions of guest (4) and asset 2 (5). */
async function fill(store: Store): Promise<void> {
  await seedWithAlbums(store)
  const ofAsset = (sequence: number, session: number) =>
    receipt(sequence, { uploadId: uploadId(session), dropId: undefined, assetId: assetId(1) })
  await store.write([], async (tx) => {
    for (const session of [upload(1), upload(2), assetUpload(3)]) await landed(tx, session)
    await open(tx, upload(4))
    await tx.uploads.append(uploadId(4), { offset: 0, length: 30, checksum: hash(1) }, at(1))
    await tx.uploads.append(uploadId(4), { offset: 30, length: 10, checksum: hash(1) }, at(2))
    await open(tx, assetUpload(5, { assetId: assetId(2) }))
    await tx.receipts.append(undefined, [receipt(1), receipt(2), ofAsset(3, 3), ofAsset(4, 2)])
    await tx.drops.insert(drop(1, { receivedAt: at(1) }))
    for (const number of [1, 2]) await tx.assets.reserve(asset(number))
    await tx.assets.setDrop(assetId(1), adoptedDrop(2))
    await tx.assets.addBlob(assetBlob(2, { role: 'original', landedAt: at(4) }))
    await tx.assets.addBlob(assetBlob(3, { landedAt: at(3) }))
    await tx.assets.touch(assetId(1), at(4))
  })
}

export function describeAudit(inStore: InStore): void {
  describe('the audit', () => {
    describeBooks(inStore)
    describeDeleted(inStore)
    describeRecounts(inStore)
    describeCustody(inStore)
    describeReceipts(inStore)
  })
}

function describeBooks(inStore: InStore): void {
  it(
    'answers accounts and links with the sums of their rows, page by page',
    inStore(async (store) => {
      await fill(store)
      assert.deepEqual(await store.read((tx) => tx.audit.damage(true, 1)), { broken: [], dangling: [] })
      const [first] = await store.read((tx) => tx.audit.accounts('', 1))
      assert.deepEqual(first, {
        accountId: accountId(1),
        usedBytes: 5 * SIZE,
        pendingDrops: 1,
        changeSeq: 0,
        unclosedBytes: 2 * SIZE,
        drops: 1,
        dropBytes: SIZE,
        blobBytes: 2 * SIZE,
        binBytes: 0,
        highestChange: 0,
        deletedAt: undefined,
        emptiedAt: undefined,
        remains: 0,
        liveShares: 0,
        sharesWithoutVisits: 0,
      })
      const others = await store.read((tx) => tx.audit.accounts(accountId(1), 5))
      assert.deepEqual(
        others.map((account) => [account.accountId, account.unclosedBytes + account.dropBytes + account.blobBytes]),
        [[accountId(2), 0]],
      )
      const [one, two] = await store.read((tx) => tx.audit.links(0, 5))
      assert.deepEqual(
        [one?.landedFiles, one?.openSessions, one?.openBytes, one?.unclosed, one?.seen, one?.pending],
        [
          2,
          1,
          SIZE,
          { sessions: 1, bytes: SIZE, open: 1, finishing: undefined },
          { files: 2, bytes: 2 * SIZE },
          { files: 1, bytes: SIZE },
        ],
      )
      const none = { sessions: 0, bytes: 0, open: 0, finishing: undefined }
      assert.deepEqual([two?.accountId, two?.unclosed, two?.seen.files], [accountId(2), none, 0])
      await store.write([], (tx) => tx.uploads.move(uploadId(4), { from: 'open', to: 'finishing', at: at(3) }))
      const [later] = await store.read((tx) => tx.audit.links(0, 1))
      assert.deepEqual(later?.unclosed, { sessions: 1, bytes: SIZE, open: 0, finishing: uploadId(4) })
      assert.deepEqual(await store.read((tx) => tx.audit.links(two?.linkSeq ?? 0, 5)), [])
    }),
  )
}

function describeDeleted(inStore: InStore): void {
  it(
    'counts what a deleted account still keeps about a person, and nothing for other accounts',
    inStore(async (store) => {
      await fill(store)
      const { signInKeyHash } = account(1)
      const audited = async (number: number) => {
        const [row] = await store.read((tx) => tx.audit.accounts(accountId(number - 1), 1))
        return [row?.deletedAt, row?.emptiedAt, row?.remains, row?.liveShares]
      }
      await store.write([], async (tx) => {
        await tx.devices.insert(device(2, { accountId: accountId(2) }))
        await tx.accountDeletions.begin({ accountId: accountId(1), signInKeyHash, at: at(5) })
        await tx.accountDeletions.begin({ accountId: accountId(2), signInKeyHash, at: at(5) })
        await tx.accountDeletions.finish(accountId(2), at(6))
      })
      assert.deepEqual(
        [await audited(1), await audited(2)],
        [
          [at(5), undefined, 0, 0],
          [at(5), at(6), 0, 0],
        ],
      )
      await store.write([], async (tx) => {
        await tx.links.insert(link(9))
        await tx.links.insert(link(8))
        await tx.links.revoke(opaqueId(8), accountId(1), at(5))
        await tx.albums.insert(album(8, { sealedName: bytes(9) }))
        for (const number of [8, 9]) await tx.shares.insert(share(number))
        await tx.shares.end(opaqueId(8), accountId(1), at(5))
        await tx.sessions.insert(session(9))
        await tx.devices.insert(device(9))
        await tx.passkeys.insert(passkey(9))
        await tx.channels.insert(channel(9))
        await tx.secondFactors.setBackupCodes(accountId(1), [hash(1)])
        await tx.invites.insert(invite(9, { note: 'Ann, office' }))
        await tx.invites.use(hash(9), accountId(1), at(5))
      })
      assert.deepEqual(
        [await audited(1), await audited(2)],
        [
          [at(5), undefined, 9, 1],
          [at(5), at(6), 0, 0],
        ],
      )
    }),
  )
}

function describeRecounts(inStore: InStore): void {
  it(
    'sets use, pending drops and open sessions to the sums of the rows, for the given account and link only',
    inStore(async (store) => {
      await fill(store)
      const [link] = await store.read((tx) => tx.audit.links(0, 1))
      const linkSeq = link?.linkSeq ?? 0
      const recount = () =>
        store.write([], async (tx) => [await tx.audit.recountUse(accountId(1)), await tx.audit.recountOpen(linkSeq)])
      assert.deepEqual(await recount(), [false, false])
      await store.write([], async (tx) => {
        await tx.accounts.charge(accountId(1), 7, undefined)
        await tx.accounts.charge(accountId(2), 7, undefined)
        for (const number of [1, 2])
          await tx.links.reserve(opaqueId(number), { size: 9, at: at(0), maxOpenSessions: 9 })
      })
      assert.deepEqual(await recount(), [true, true])
      const [accounts, links] = await store.read(async (tx) => [
        await tx.audit.accounts('', 5),
        await tx.audit.links(0, 5),
      ])
      assert.deepEqual(
        accounts.map(({ usedBytes, pendingDrops }) => [usedBytes, pendingDrops]),
        [
          [5 * SIZE, 1],
          [7, 0],
        ],
      )
      assert.deepEqual(
        links.map(({ openSessions, openBytes }) => [openSessions, openBytes]),
        [
          [1, SIZE],
          [1, 9],
        ],
      )
    }),
  )
}

function describeCustody(inStore: InStore): void {
  it(
    'answers sessions, drops, assets and blobs with the rows that they have to agree with',
    inStore(async (store) => {
      await fill(store)
      const uploads = await store.read((tx) => tx.audit.uploads(NONE, 9))
      assert.deepEqual(
        uploads.map((row) => [row.uploadId, row.object?.state, row.receipts, row.link?.accountId, row.isAssetRight]),
        [
          [uploadId(1), 'kept', { landings: 1, blobs: 0 }, accountId(1), false],
          [uploadId(2), 'kept', { landings: 1, blobs: 1 }, accountId(1), false],
          [uploadId(3), 'kept', { landings: 0, blobs: 1 }, undefined, true],
          [uploadId(4), 'staged', { landings: 0, blobs: 0 }, accountId(1), false],
          [uploadId(5), 'staged', { landings: 0, blobs: 0 }, undefined, true],
        ],
      )
      assert.deepEqual(uploads[3]?.chunks, { count: 2, bytes: 40, start: 0, end: 40 })
      assert.deepEqual(uploads[4]?.chunks, { count: 0, bytes: 0, start: 0, end: 0 })
      await store.write([], (tx) => tx.drops.claim(claim(1)))
      const [pending, ...more] = await store.read((tx) => tx.audit.drops(0, 9))
      assert.deepEqual(more, [])
      assert.deepEqual(
        [pending?.dropId, pending?.claimId, pending?.upload, pending?.receipt, pending?.adoptions],
        [dropId(1), claim(1).claimId, { state: 'landed', isSame: true }, { dropId: dropId(1), receivedAt: at(1) }, 0],
      )
      const assets = await store.read((tx) => tx.audit.assets(NONE, 9))
      assert.deepEqual(
        assets.map((row) => [row.assetId, row.albumAccountId, row.blobs, row.unclosedSessions, row.originalDropId]),
        [
          [assetId(1), accountId(1), 2, 0, dropId(2)],
          [assetId(2), accountId(1), 0, 1, undefined],
        ],
      )
      const blobs = await store.read((tx) => tx.audit.blobs(0, 9))
      assert.deepEqual(
        blobs.map((row) => [row.uploadId, row.object, row.upload, row.receipt]),
        [
          [
            uploadId(2),
            { state: 'kept', size: SIZE },
            { state: 'landed', isSame: true },
            { receiptSeq: 4, receivedAt: at(4) },
          ],
          [
            uploadId(3),
            { state: 'kept', size: SIZE },
            { state: 'landed', isSame: true },
            { receiptSeq: 3, receivedAt: at(3) },
          ],
        ],
      )
    }),
  )

  it(
    'counts the owners of an object',
    inStore(async (store) => {
      await fill(store)
      const objects = await store.read((tx) => tx.audit.objects(object(1).location, 9))
      assert.deepEqual(
        objects.map((row) => [row.location, row.sessions, row.drops, row.blobs, row.receipts, row.receivedBytes]),
        [
          [object(2).location, 0, 0, 1, 2, undefined],
          [object(3).location, 0, 0, 1, 1, undefined],
          [object(4).location, 1, 0, 0, 0, 40],
          [object(5).location, 1, 0, 0, 0, 0],
        ],
      )
      const pending = await store.read((tx) => tx.audit.object(object(1).location))
      assert.deepEqual(pending, {
        location: object(1).location,
        size: SIZE,
        state: 'kept',
        since: pending?.since,
        checkedAt: pending?.since,
        damagedAt: undefined,
        suspectedAt: undefined,
        sessions: 0,
        drops: 1,
        blobs: 0,
        receipts: 1,
        receivedBytes: undefined,
        parts: { count: 0, bytes: 0, gaps: 0 },
      })
      assert.equal(await store.read((tx) => tx.audit.object(object(9).location)), undefined)
      await store.write([], (tx) => tx.objects.markDamaged(object(1).location, at(9)))
      assert.equal((await store.read((tx) => tx.audit.object(object(1).location)))?.damagedAt, at(9))
    }),
  )
}

function describeReceipts(inStore: InStore): void {
  it(
    'answers receipts in the order of the chain, each with what still exists of its upload',
    inStore(async (store) => {
      await fill(store)
      const whatOf = async (after: number, max: number) =>
        (await store.read((tx) => tx.audit.receipts(after, max))).map(({ row, subjects, hasUpload }) => [
          row.receiptSeq,
          subjects.map(({ what, role, ciphertextHash }) => [what, role, ciphertextHash]),
          hasUpload,
        ])
      assert.deepEqual(await whatOf(0, 3), [
        [
          1,
          [
            ['session', 'original', hash(1)],
            ['drop', 'original', hash(1)],
          ],
          true,
        ],
        [2, [['session', 'original', hash(2)]], true],
        [
          3,
          [
            ['session', 'derivative', hash(3)],
            ['blob', 'derivative', hash(3)],
          ],
          true,
        ],
      ])
      const assets = async () => (await store.read((tx) => tx.audit.receipts(0, 9))).map(({ asset }) => asset)
      const held = { isDeleted: false, originalSeq: undefined, signed: undefined }
      assert.deepEqual(await assets(), [undefined, undefined, held, held])
      await store.write([], (tx) => tx.assets.removeBlob(object(3).location))
      assert.deepEqual(await assets(), [undefined, undefined, { ...held, originalSeq: 4 }, held])
      await store.write([], (tx) => tx.uploads.prune({ closedBefore: at(100), unlandedBefore: at(0), max: 5 }))
      assert.deepEqual(await whatOf(3, 3), [[4, [['blob', 'original', hash(2)]], false]])
      assert.deepEqual((await store.read((tx) => tx.audit.receipts(1, 1)))[0]?.row, receipt(2))
    }),
  )
}
