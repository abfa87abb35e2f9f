import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { type AccountId, addSeconds, type OpaqueId, type Sha256Hex } from '@blindkeep/protocol/ids'
import { landBlob, newAlbumOwner } from '../../testing/assets.ts'
import { bytes, notRefused } from '../../testing/guest.ts'
import { fileOf, keep, mark } from '../../testing/verify.ts'
import { beginDeletion, inWorld, newAccount, newOpaqueId, sha256, type World } from '../../testing/world.ts'
import { BOUNDS } from '../ground/bounds.ts'
import { EXPIRED_KEPT_SECONDS, type ShareRequest } from './shares.ts'

const DAY = 86_400
const content = bytes(100)
const NOTHING = { refused: 'share_not_found' }
const NO_PROOF = { proof: undefined, source: undefined }

function request(blobHashes: readonly Sha256Hex[], overrides: Partial<ShareRequest> = {}): ShareRequest {
  const notes = { sealedName: bytes(81), sealedRecord: undefined, passphraseVerifier: undefined }
  return { opaqueId: newOpaqueId(), sealedIndex: bytes(80), blobHashes, expiresAt: undefined, ...notes, ...overrides }
}

const make = async ({ rules }: World, accountId: AccountId, asked: ShareRequest): Promise<OpaqueId> =>
  notRefused(await rules.shares.create(accountId, asked))

/** An account with the content, and a share of it. */
async function newShare(world: World, overrides: Partial<ShareRequest> = {}) {
  const albumOwner = await newAlbumOwner(world)
  const blob = await keep(world, albumOwner, content)
  const asked = request([blob.ciphertextHash], overrides)
  return { albumOwner, blob, asked, opaqueId: await make(world, albumOwner.accountId, asked) }
}

/** The answers to index and blob for a caller with the address: both, the index only, or neither. */
async function shown({ rules }: World, opaqueId: OpaqueId, hash: Sha256Hex = sha256(content)): Promise<string> {
  const [index, blob] = [
    await rules.shares.contents(opaqueId, NO_PROOF),
    await rules.shares.content(opaqueId, hash, NO_PROOF),
  ]
  return [index, blob].map((answer) => ('refused' in answer ? answer.refused : 'there')).join(' ')
}
const BOTH = 'there there'
const INDEX_ONLY = 'there share_not_found'
const NEITHER = 'share_not_found share_not_found'

describe('creating a share', () => {
  it(
    'answers an exact repeat by the same account as the first time, and refuses any other',
    inWorld(async (world) => {
      const { albumOwner, asked } = await newShare(world, { expiresAt: addSeconds(world.clock.now(), DAY) })
      const stranger = await newAccount(world)
      const again = async (overrides: Partial<ShareRequest>, accountId = albumOwner.accountId) => {
        const answer = await world.rules.shares.create(accountId, { ...asked, ...overrides })
        return typeof answer === 'string' ? 'same' : answer.refused
      }
      assert.equal(await again({}), 'same')
      for (const other of [
        { sealedIndex: bytes(81) },
        { sealedName: undefined },
        { sealedRecord: bytes(82) },
        { passphraseVerifier: bytes(32) },
        { blobHashes: [...asked.blobHashes, ...asked.blobHashes] },
        { blobHashes: [sha256(bytes(3))] },
        { expiresAt: undefined },
        { expiresAt: addSeconds(world.clock.now(), DAY + 1) },
      ])
        assert.equal(await again(other), 'request_malformed')
      assert.equal(await again({}, stranger), 'request_malformed')
      assert.deepEqual(await world.rules.shares.list(stranger), [])
      world.clock.advance(DAY)
      assert.equal(await again({}), 'same', 'an expired share counts as a repeat')
      await world.rules.shares.remove(albumOwner.accountId, asked.opaqueId)
      for (const accountId of [albumOwner.accountId, stranger])
        assert.equal(await again({}, accountId), 'request_malformed', 'a deleted share is never revived')
    }),
  )

  it(
    'stops at a thousand shares, and continues when one is deleted',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const hash = sha256(content)
      const first = await make(world, accountId, request([hash]))
      await world.store.write([], async (tx) => {
        for (let number = 1; number < BOUNDS.shares; number++)
          await tx.shares.insert({
            ...request([hash]),
            verifierHash: undefined,
            accountId,
            createdAt: world.clock.now(),
          })
      })
      assert.deepEqual(await world.rules.shares.create(accountId, request([hash])), {
        refused: 'limit_reached',
        detail: 'an account has at most 1000 shares',
      })
      await make(world, await newAccount(world), request([hash]))
      await world.rules.shares.remove(accountId, first)
      await make(world, accountId, request([hash]))
    }),
  )
})

describe('what a share shows', () => {
  const sealedRecord = bytes(33)
  const replacing = (sealedIndex: Uint8Array, prior: Uint8Array, blobHashes: readonly Sha256Hex[] = []) =>
    ({
      sealedName: 'same',
      maxDownloads: 'same',
      contents: { sealedIndex, blobHashes, sealedRecord, priorIndexHash: sha256(prior) },
    }) as const

  it(
    'is replaced by one of several writers at once; its address, visits and terms stay, and a repeat is done already',
    inWorld(async (world) => {
      const { albumOwner, asked, opaqueId } = await newShare(world, { maxDownloads: 2 })
      const { accountId } = albumOwner
      const visit = newOpaqueId()
      await world.rules.shares.contents(opaqueId, NO_PROOF, visit)
      const read = notRefused(await world.rules.shares.content(opaqueId, sha256(content), NO_PROOF))
      await world.rules.shares.download(read.share, { visit, source: undefined })
      const indexes = Array.from({ length: 8 }, (_, index) => bytes(90 + index))
      const answers = await Promise.all(
        indexes.map((index) => world.rules.shares.change(accountId, opaqueId, replacing(index, asked.sealedIndex))),
      )
      assert.deepEqual(
        answers.filter((answer) => answer !== undefined),
        Array.from({ length: 7 }, () => ({ refused: 'share_changed' })),
      )
      const won = indexes[answers.indexOf(undefined)] ?? assert.fail()
      assert.equal(await world.rules.shares.change(accountId, opaqueId, replacing(won, asked.sealedIndex)), undefined)
      assert.deepEqual(await world.rules.shares.own(accountId, opaqueId), { sealedIndex: won, blobHashes: [] })
      assert.equal(await shown(world, opaqueId), INDEX_ONLY, 'a file that was taken out, and is there still')
      const [listed] = await world.rules.shares.list(accountId)
      assert.deepEqual(
        [listed?.sealedRecord, listed?.sealedName, listed?.maxDownloads, listed?.opened, listed?.downloaded],
        [sealedRecord, asked.sealedName, 2, 2, 1],
      )
      const otherRecord = bytes(34)
      const noted = (prior: Uint8Array) => {
        const change = replacing(won, prior)
        return { ...change, contents: { ...change.contents, sealedRecord: otherRecord } }
      }
      assert.deepEqual(
        await world.rules.shares.change(accountId, opaqueId, noted(asked.sealedIndex)),
        { refused: 'share_changed' },
        'another record is no repeat',
      )
      assert.equal(await world.rules.shares.change(accountId, opaqueId, noted(won)), undefined)
      assert.deepEqual((await world.rules.shares.list(accountId))[0]?.sealedRecord, otherRecord)
      const back = replacing(asked.sealedIndex, won, asked.blobHashes)
      assert.equal(await world.rules.shares.change(accountId, opaqueId, back), undefined)
      assert.equal(await shown(world, opaqueId), BOTH)
    }),
  )

  it(
    'is replaced by its owner alone, while it has not ended, within 64 MiB for all shares',
    inWorld(async (world) => {
      const { albumOwner, asked, opaqueId } = await newShare(world)
      const { accountId } = albumOwner
      const change = replacing(bytes(99), asked.sealedIndex)
      assert.deepEqual(await world.rules.shares.change(await newAccount(world), opaqueId, change), NOTHING)
      const large = bytes(512 * 1024)
      for (let held = 0; held < BOUNDS['bytes of shares'] / large.length - 1; held += 1)
        await make(world, accountId, request([], { sealedIndex: large }))
      assert.equal(
        await world.rules.shares.change(accountId, opaqueId, replacing(large.subarray(1000), asked.sealedIndex)),
        undefined,
      )
      const beyond = await world.rules.shares.change(
        accountId,
        opaqueId,
        replacing(large, large.subarray(1000), [sha256(content)]),
      )
      assert.ok(beyond !== undefined && beyond.refused === 'limit_reached')
      assert.equal(
        await world.rules.shares.change(accountId, opaqueId, replacing(bytes(3), large.subarray(1000))),
        undefined,
      )
      await world.rules.shares.remove(accountId, opaqueId)
      assert.deepEqual(await world.rules.shares.change(accountId, opaqueId, replacing(bytes(4), bytes(3))), NOTHING)
    }),
  )
})

describe('a share', () => {
  it(
    'shows its index, and serves its contents as long as an asset of the owner holds them',
    inWorld(async (world) => {
      const { albumOwner, blob, asked, opaqueId } = await newShare(world)
      const { sealedIndex, blobHashes } = asked
      assert.deepEqual(await world.rules.shares.contents(opaqueId, NO_PROOF), { sealedIndex, blobHashes })
      assert.equal(
        notRefused(await world.rules.shares.content(opaqueId, blob.ciphertextHash, NO_PROOF)).location,
        blob.location,
      )
      const twin = await keep(world, albumOwner, content)
      assert.equal(await world.rules.assets.remove(albumOwner.accountId, blob.assetId), undefined)
      assert.equal(
        notRefused(await world.rules.shares.content(opaqueId, blob.ciphertextHash, NO_PROOF)).location,
        twin.location,
      )
      assert.equal(await world.rules.assets.remove(albumOwner.accountId, twin.assetId), undefined)
      assert.equal(await shown(world, opaqueId), INDEX_ONLY)
      await landBlob(world, albumOwner, content)
      assert.equal(await shown(world, opaqueId), BOTH, 'a share names contents, not assets')
    }),
  )

  it(
    'shows nothing from the instant of its expiry, or after its owner has deleted it',
    inWorld(async (world) => {
      const { albumOwner, opaqueId } = await newShare(world, { expiresAt: addSeconds(world.clock.now(), 60) })
      const lasting = await make(world, albumOwner.accountId, request([sha256(content)]))
      world.clock.advance(59.999)
      assert.equal(await shown(world, opaqueId), BOTH)
      world.clock.advance(0.001)
      assert.equal(await shown(world, opaqueId), NEITHER)
      await world.rules.shares.remove(await newAccount(world), lasting)
      assert.equal(await shown(world, lasting), BOTH, 'another account cannot delete it')
      await world.rules.shares.remove(albumOwner.accountId, lasting)
      assert.equal(await shown(world, lasting), NEITHER)
      assert.deepEqual(
        (await world.rules.shares.list(albumOwner.accountId)).map((each) => each.opaqueId),
        [opaqueId],
      )
    }),
  )

  it(
    'shows nothing while its owner is suspended, and nothing once the account is deleted',
    inWorld(async (world) => {
      const { albumOwner, opaqueId } = await newShare(world)
      const suspend = (since = world.clock.now()) =>
        world.store.write([], (tx) => tx.accounts.setSuspended(albumOwner.accountId, since))
      await suspend()
      assert.equal(await shown(world, opaqueId), NEITHER)
      await world.store.write([], (tx) => tx.accounts.setSuspended(albumOwner.accountId, undefined))
      assert.equal(await shown(world, opaqueId), BOTH)
      await beginDeletion(world, albumOwner.accountId)
      assert.equal(await shown(world, opaqueId), NEITHER, 'before the account’s blobs are released')
    }),
  )

  it(
    'answers for a content that is on hold, damaged or marked as for an unknown one',
    inWorld(async (world) => {
      const { albumOwner, blob, opaqueId } = await newShare(world)
      const { ciphertextHash, location } = blob
      const at = world.clock.now()
      await world.store.write([], (tx) => tx.holds.add({ ciphertextHash, reason: 'a court asked', createdAt: at }))
      assert.equal(await shown(world, opaqueId), INDEX_ONLY)
      await world.store.write([], (tx) => tx.holds.remove(ciphertextHash))
      assert.equal(await shown(world, opaqueId), BOTH)
      await world.store.write([], (tx) => tx.objects.markDamaged(location, at))
      assert.equal(await shown(world, opaqueId), INDEX_ONLY)
      const twin = await keep(world, albumOwner, content)
      assert.equal(await shown(world, opaqueId), BOTH, 'another object is intact')
      await mark(world, twin)
      assert.equal(await shown(world, opaqueId), INDEX_ONLY)
    }),
  )

  it(
    'answers storage_unavailable when the file of a kept object is missing',
    inWorld(async (world) => {
      const { blob, opaqueId } = await newShare(world)
      await unlink(fileOf(world, blob))
      assert.deepEqual(await world.rules.shares.content(opaqueId, blob.ciphertextHash, NO_PROOF), {
        refused: 'storage_unavailable',
      })
      assert.deepEqual(await world.rules.shares.content(newOpaqueId(), blob.ciphertextHash, NO_PROOF), NOTHING)
    }),
  )

  it(
    'with a passphrase shows nothing before the right proof, not even whether it has a content',
    inWorld(async (world) => {
      const verifier = bytes(32)
      const { albumOwner, asked, opaqueId } = await newShare(world, { passphraseVerifier: verifier })
      const answers = async (proof?: Uint8Array | string) => {
        const given = { proof: typeof proof === 'string' ? proof : proof && toBase64(proof), source: '192.0.2.1' }
        const [index, there, other] = [
          await world.rules.shares.contents(opaqueId, given),
          await world.rules.shares.content(opaqueId, sha256(content), given),
          await world.rules.shares.content(opaqueId, sha256(bytes(3)), given),
        ]
        return [index, there, other].map((answer) => ('refused' in answer ? answer.refused : 'there'))
      }
      const all = (answer: string) => [answer, answer, answer]
      assert.deepEqual(await answers(), all('share_passphrase_missing'))
      assert.deepEqual(await answers(bytes(32)), all('share_passphrase_wrong'))
      assert.deepEqual(
        await answers(createHash('sha256').update(verifier).digest()),
        all('share_passphrase_wrong'),
        'what is stored is no proof',
      )
      for (const proof of ['', 'no base64', toBase64(bytes(4097))])
        assert.deepEqual(await answers(proof), all('request_malformed'))
      assert.deepEqual(await answers(verifier), ['there', 'there', 'share_not_found'])
      const [listed] = await world.rules.shares.list(albumOwner.accountId)
      assert.deepEqual(Buffer.from(listed?.verifierHash ?? []), createHash('sha256').update(verifier).digest())
      const sealedName = bytes(9)
      await world.rules.shares.change(albumOwner.accountId, opaqueId, {
        sealedName,
        maxDownloads: 'same',
        contents: 'same',
      })
      assert.deepEqual(await answers(), all('share_passphrase_missing'), 'a new name does not open it')
      assert.equal(await make(world, albumOwner.accountId, { ...asked, sealedName }), opaqueId)

      // Six of the ten were wrong above.
      for (let times = 0; times < 2; times++) assert.equal((await answers(bytes(32)))[0], 'share_passphrase_wrong')
      assert.deepEqual(await answers(verifier), all('share_limited'))
      const elsewhere = { proof: toBase64(verifier), source: '192.0.2.2' }
      assert.ok(!('refused' in (await world.rules.shares.contents(opaqueId, elsewhere))))
      await world.rules.shares.remove(albumOwner.accountId, opaqueId)
      assert.deepEqual(await answers(), all('share_not_found'), 'no passphrase is asked for where nothing is shown')
    }),
  )

  it(
    'without a passphrase takes no notice of a proof',
    inWorld(async (world) => {
      const { opaqueId } = await newShare(world)
      assert.ok(!('refused' in (await world.rules.shares.contents(opaqueId, { proof: 'x', source: undefined }))))
    }),
  )

  it(
    'is ended by the sweep thirty days after its expiry, and its id stays taken',
    inWorld(async (world) => {
      const { albumOwner, asked, opaqueId } = await newShare(world, { expiresAt: addSeconds(world.clock.now(), 60) })
      const { accountId } = albumOwner
      for (let number = 0; number < 25; number++)
        await make(world, accountId, request([sha256(content)], { expiresAt: asked.expiresAt }))
      const lasting = await make(world, accountId, request([sha256(content)]))
      const swept = async () => {
        await world.rules.sweep.sweep()
        return (await world.rules.shares.list(accountId)).length
      }
      world.clock.advance(60 + EXPIRED_KEPT_SECONDS)
      assert.equal(await swept(), 27)
      world.clock.advance(0.001)
      assert.equal(await swept(), 1)
      assert.equal(await shown(world, lasting), BOTH)
      assert.equal(await world.store.read((tx) => tx.shares.contentsOf(opaqueId)), undefined)
      assert.ok('refused' in (await world.rules.shares.create(accountId, asked)))
    }),
  )
})
