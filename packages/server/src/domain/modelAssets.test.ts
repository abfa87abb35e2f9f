import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ManifestAction, ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import fc from 'fast-check'
import { objectsIn, provenanceFor } from '../testing/assetSessions.ts'
import { type AlbumOwner, adopt, declaredFor, newAlbumOwner, newAssetId } from '../testing/assets.ts'
import { accountRow, append, bytes, land, newLink } from '../testing/guest.ts'
import { AssetModel, HARD_BYTES, keptOf, type ModelAsset, type ModelBlob } from '../testing/modelAssets.ts'
import { always, commandsFor, pick, reasonOf } from '../testing/modelCommand.ts'
import { defined, inWorld, sha256, type World } from '../testing/world.ts'
import type { Declared } from './assets/manifest.ts'
import { isRefusal } from './ground/refusals.ts'
import type { Rules } from './rules.ts'

/** Uploads, adoptions, replacements and deletions against the model, in random acts of owners, guests and the clock. */
interface Real {
  readonly world: World
  readonly albumOwners: readonly AlbumOwner[]
  rules: Rules
}

const command = commandsFor<AssetModel, Real>(agree)

/** Few contents, so that equal ones come often. */
const contents = [400, 700, 1000, 1300].map(bytes)

/** A random blob, relative to the blobs that its asset has. */
interface Choice {
  readonly role: BlobRole
  readonly content: number
  /** `same`: the action of the present original. */
  readonly action: ManifestAction | 'same'
  /** The original that it names: none, one of the contents, or the present one. */
  readonly namedOriginal: 'none' | 'present' | number
  readonly prior: 'none' | 'present' | 'wrong'
  readonly amkVersion: number
  readonly isHonest: boolean
}

const originalOf = (asset: ModelAsset) => asset.blobs.find(({ role }) => role === 'original')

/** The blob of a choice. A create continues from nothing; a replace names its original. */
function blobOf(
  choice: Choice,
  asset: ModelAsset,
): Omit<ModelBlob, 'hash' | 'size'> & { readonly content: Uint8Array } {
  const { role, amkVersion } = choice
  const content = pick(contents, choice.content)
  const there = originalOf(asset)
  const action = choice.action === 'same' ? (there?.action ?? 'create') : choice.action
  const names =
    choice.namedOriginal === 'none'
      ? undefined
      : choice.namedOriginal === 'present'
        ? there?.hash
        : sha256(pick(contents, choice.namedOriginal))
  const isNamed = action === 'replace' || (role === 'provenance' && choice.namedOriginal !== 'none')
  const namedOriginal =
    role === 'original' ? (isNamed ? sha256(content) : undefined) : (names ?? (isNamed ? sha256(content) : undefined))
  const signed = asset.blobs.find((blob) => blob.role === 'provenance')?.hash
  // A companion belongs to the original’s step, or begins a new one.
  const position = role === 'original' ? signed : choice.action === 'replace' ? (signed ?? there?.prior) : there?.prior
  const prior = { none: undefined, present: position, wrong: sha256(bytes(1)) }[choice.prior]
  const metadata = keptOf(asset).findLast((blob) => blob.role === 'metadata')
  const namedMetadata = role === 'provenance' && action === 'replace' ? metadata?.hash : undefined
  return {
    role,
    action,
    namedOriginal,
    namedMetadata,
    prior: action === 'create' ? undefined : prior,
    amkVersion,
    content,
  }
}

function envelopeOf(
  blob: Pick<ModelBlob, 'action' | 'namedOriginal' | 'namedMetadata' | 'prior' | 'amkVersion'>,
): Partial<ManifestEnvelope> {
  const { action, namedOriginal, namedMetadata, prior, amkVersion } = blob
  return {
    action,
    amk_version: amkVersion,
    ...(namedOriginal !== undefined && { original_blob_hash: namedOriginal }),
    ...(namedMetadata !== undefined && { metadata_blob_hash: namedMetadata }),
    ...(prior !== undefined && { prior_provenance_hash: prior }),
  }
}

/** The declaration, the bytes to send, and the outcome when there is a slot. */
function declaration(world: World, albumOwner: AlbumOwner, asset: ModelAsset, choice: Choice) {
  const blob = blobOf(choice, asset)
  const { assetId } = asset
  const envelope = envelopeOf(blob)
  if (choice.role !== 'provenance') {
    const hash = choice.isHonest ? sha256(blob.content) : sha256(bytes(1))
    // A replacing original names itself, so a wrong hash is also a wrong name.
    const named = choice.role === 'original' && blob.namedOriginal !== undefined ? { original_blob_hash: hash } : {}
    const overrides = { assetId, role: choice.role, ciphertextHash: hash, envelope: { ...envelope, ...named } }
    const namedOriginal = choice.role === 'original' && blob.namedOriginal !== undefined ? hash : blob.namedOriginal
    const declared = declaredFor(world, albumOwner, blob.content, overrides)
    const outcome = choice.isHonest ? ('landed' as const) : ('content_hash_wrong' as const)
    return { declared, content: blob.content, blob: { ...blob, namedOriginal }, outcome }
  }
  const of = blob.namedOriginal ?? originalOf(asset)?.hash
  const named = contents.find((content) => sha256(content) === of) ?? blob.content
  const signs = blob.namedOriginal === undefined ? envelope : { ...envelope, original_blob_hash: sha256(named) }
  const { declared, content } = provenanceFor(world, albumOwner, named, { assetId, envelope: signs })
  const sent: Declared = choice.isHonest
    ? declared
    : { ...declared, envelope: { ...declared.envelope, client_version: 'another/1' } }
  const outcome = choice.isHonest ? ('landed' as const) : ('manifest_mismatch' as const)
  return { declared: sent, content, blob: { ...blob, namedOriginal: signs.original_blob_hash ?? undefined }, outcome }
}

function opening(who: number, at: number, choice: Choice) {
  return command(
    `open ${JSON.stringify(choice)} for ${at} by ${who}`,
    always,
    async (model, { world, rules, albumOwners }) => {
      const albumOwner = pick(albumOwners, who)
      const owner = albumOwner.accountId
      const asset = pick(model.assets, at)
      const { declared, content, blob, outcome } = declaration(world, albumOwner, asset, choice)
      const { content: _, ...facts } = blob
      const row = { ...facts, hash: declared.ciphertextHash, size: declared.size }
      const expected = model.answer(asset, owner, row)
      const answer = await rules.uploads.create(await accountRow(world, owner), declared)
      assert.equal(isRefusal(answer) ? answer.refused : answer.offset === undefined ? 'opened' : 'present', expected)
      if (isRefusal(answer) || answer.offset !== undefined) return
      asset.owner = owner
      const begun = {
        createdAt: model.now,
        declaredAt: model.now,
        state: 'open' as const,
        sent: 0,
        lastChunkAt: undefined,
        closedAt: undefined,
      }
      model.sessions.push({ ...row, uploadId: answer.uploadId, asset, owner, content, outcome, ...begun })
    },
  )
}

const anySession = (model: AssetModel) => model.sessions.length > 0

/** Prefers open sessions. */
function sending(at: number, share: number) {
  return command(`send ${share} to ${at}`, anySession, async (model, { rules }) => {
    const open = model.open()
    const session = pick(open.length > 0 ? open : model.sessions, at)
    const { content, sent, uploadId, asset, owner } = session
    const end = share === 1 ? content.length : Math.ceil(sent + (content.length - sent) * share)
    const answer = await append({ rules }, uploadId, {
      offset: sent,
      bytes: session.state === 'open' ? content.subarray(sent, end) : bytes(1),
    })
    if (session.state !== 'open') {
      assert.equal(reasonOf(answer), session.state === 'ended' ? 'upload_not_found' : 'upload_closed')
      return
    }
    session.sent = end
    session.lastChunkAt = model.now
    if (end < content.length) {
      assert.deepEqual(answer, { offset: end })
      return
    }
    const hashRefusal = session.outcome === 'content_hash_wrong' ? session.outcome : undefined
    const refused =
      hashRefusal ??
      model.slotRefusal(asset, owner, session) ??
      (session.outcome === 'landed' ? undefined : session.outcome)
    assert.equal(reasonOf(answer), refused)
    if (refused === undefined) model.take(asset, owner, session, 1)
    model.close(session, refused === undefined ? 'landed' : 'failed')
  })
}

function cancelling(at: number) {
  return command(`cancel ${at}`, anySession, async (model, { world, rules }) => {
    const session = pick(model.sessions, at)
    const row = await world.store.read((tx) => tx.uploads.find(session.uploadId))
    if (row === undefined) {
      assert.equal(session.state, 'ended', 'only a session that has not landed is removed within a month')
      return
    }
    assert.ok(row.state === session.state || row.state === 'failed')
    const refused = session.state === 'ended' ? 'upload_not_found' : 'upload_closed'
    assert.equal(reasonOf(await rules.ending.cancel(row)), session.state === 'open' ? undefined : refused)
    if (session.state === 'open') model.close(session, 'ended')
  })
}

function dropping(who: number, at: number) {
  return command(
    `a guest sends ${at} to ${who}`,
    (model) => model.drops.length < 4,
    async (model, { world, rules, albumOwners }) => {
      const { accountId: owner } = pick(albumOwners, who)
      const content = pick(contents, at)
      const opaqueId = await newLink(world, {}, owner)
      if (model.used(owner) + content.length > HARD_BYTES) return
      const uploadId = await land({ ...world, rules }, opaqueId, content)
      const { dropId } = defined((await rules.inbox.list(owner)).find((drop) => drop.uploadId === uploadId))
      model.drops.push({ dropId, owner, hash: sha256(content), size: content.length })
    },
  )
}

const anyDrop = (model: AssetModel) => model.drops.length > 0

function adopting(at: number, into: number, choice: Choice) {
  return command(
    `adopt ${at} into ${into} ${JSON.stringify(choice)}`,
    anyDrop,
    async (model, { world, rules, albumOwners }) => {
      const drop = pick(model.drops, at)
      const albumOwner = defined(albumOwners.find(({ accountId }) => accountId === drop.owner))
      const asset = pick(model.assets, into)
      const { action, prior, amkVersion } = blobOf({ ...choice, role: 'original' }, asset)
      const namedOriginal = action === 'replace' ? drop.hash : undefined
      const row: ModelBlob = {
        role: 'original',
        hash: drop.hash,
        size: drop.size,
        action,
        prior,
        namedOriginal,
        namedMetadata: undefined,
        amkVersion,
      }
      const { assetId } = asset
      const overrides = { assetId, size: drop.size, ciphertextHash: drop.hash, envelope: envelopeOf(row) }
      const pending = defined((await rules.inbox.list(drop.owner)).find(({ dropId }) => dropId === drop.dropId))
      const expected = model.slotRefusal(asset, drop.owner, row)
      const answer = await adopt({ rules }, albumOwner, pending, declaredFor(world, albumOwner, bytes(0), overrides))
      assert.equal(reasonOf(answer), expected)
      if (expected !== undefined) return
      model.drops = model.drops.filter((other) => other !== drop)
      // Two receipts: of its landing and of its adoption.
      model.take(asset, drop.owner, row, 2)
      asset.drop = drop.dropId
    },
  )
}

function discarding(at: number) {
  return command(`discard ${at}`, anyDrop, async (model, { rules }) => {
    const drop = pick(model.drops, at)
    assert.equal(await rules.inbox.discard(drop.owner, drop.dropId), undefined)
    model.discard(drop)
  })
}

/** What is in a bin, or an asset. */
function restoring(who: number, at: number) {
  return command(`restore ${at} by ${who}`, always, async (model, { rules, albumOwners }) => {
    const { accountId } = pick(albumOwners, who)
    const ids = (await rules.bin.list(accountId)).map(({ entryId }) => entryId)
    assert.deepEqual(
      ids.toSorted(),
      [...model.bin].flatMap(([id, { owner }]) => (owner === accountId ? [id] : [])).toSorted(),
    )
    const id = pick([...ids, pick(model.assets, at).assetId], at)
    const asset = model.assets.find(({ assetId }) => assetId === id)
    const isSeen = asset !== undefined && model.seen(asset, accountId) !== undefined
    const expected = isSeen ? undefined : ids.includes(id) ? model.restore(id) : 'bin_entry_not_found'
    assert.equal(reasonOf(await rules.bin.restore(accountId, id)), expected)
  })
}

function deleting(who: number, at: number) {
  return command(`delete ${at} by ${who}`, always, async (model, { rules, albumOwners }) => {
    const { accountId } = pick(albumOwners, who)
    const asset = pick(model.assets, at)
    const isSeen = model.seen(asset, accountId) !== undefined
    const answer = await rules.assets.remove(accountId, asset.assetId)
    assert.equal(reasonOf(answer), isSeen ? undefined : 'asset_not_found')
    if (!isSeen) return
    model.deleteAsset(asset, accountId)
    model.assets.push({ ...newAsset() })
  })
}

function waiting(seconds: number) {
  return command(`wait ${seconds}`, always, async (model, { world }) => {
    world.clock.advance(seconds)
    model.now += seconds * 1000
  })
}

const sweeping = command('sweep', always, async (model, { world, rules }) => {
  await rules.sweep.sweep()
  model.sweep()
  assert.deepEqual(await objectsIn(world, 'deleting'), [])
})

const restarting = command('restart', always, async (_model, real) => {
  real.rules = real.world.restarted()
})

/** Use is the sum of the rows, owners see their assets only, and every object has the expected state. */
async function agree(model: AssetModel, { world, rules, albumOwners }: Real): Promise<void> {
  for (const { accountId } of albumOwners) {
    assert.equal((await accountRow(world, accountId)).usedBytes, model.used(accountId))
    for (const asset of model.assets) {
      const seen = model.seen(asset, accountId)
      const view = await rules.assets.get(accountId, asset.assetId)
      if (seen === undefined || isRefusal(view)) {
        assert.deepEqual([seen, reasonOf(view)], [undefined, 'asset_not_found'])
        continue
      }
      assert.deepEqual(
        view.blobs.map(({ role, ciphertextHash }) => [role, ciphertextHash]),
        seen.map(({ role, hash }) => [role, hash]),
      )
      assert.equal(view.asset.drop?.dropId, asset.drop)
      const receipts = await rules.assets.receipts(accountId, asset.assetId)
      assert.equal(isRefusal(receipts) ? 0 : receipts.length, asset.receipts)
    }
  }
  const kept = model.assets.flatMap(keptOf).length + model.drops.length
  const counts = { staged: model.open().length, kept, orphaned: model.orphaned, marked: model.marked.length }
  for (const state of ['staged', 'kept', 'orphaned', 'marked'] as const)
    assert.equal((await objectsIn(world, state)).length, counts[state], state)
}

function newAsset(): ModelAsset {
  return {
    assetId: newAssetId(),
    owner: undefined,
    blobs: [],
    waiting: undefined,
    drop: undefined,
    isDeleted: false,
    receipts: 0,
  }
}

const index = fc.nat(30)
const choice = (role: BlobRole): fc.Arbitrary<Choice> =>
  fc.record({
    role: fc.constant(role),
    content: fc.nat(3),
    action: fc.constantFrom(
      'create' as const,
      'replace' as const,
      role === 'original' ? ('create' as const) : ('same' as const),
    ),
    namedOriginal: fc.constantFrom('none' as const, 'present' as const, 'present' as const, 'present' as const, 0, 1),
    prior: fc.constantFrom(
      'present' as const,
      'present' as const,
      'present' as const,
      'none' as const,
      'wrong' as const,
    ),
    amkVersion: fc.constantFrom(1, 1, 1, 1, 2),
    isHonest: fc.integer({ min: 0, max: 7 }).map((luck) => luck > 0),
  })
const openingOf = (role: BlobRole) =>
  fc.tuple(fc.nat(7), fc.nat(2), choice(role)).map(([who, at, what]) => opening(who === 0 ? 1 : 0, at, what))

const commands = [
  openingOf('original'),
  openingOf('original'),
  openingOf('metadata'),
  openingOf('derivative'),
  openingOf('provenance'),
  ...Array.from({ length: 5 }, () =>
    fc.tuple(index, fc.constantFrom(1, 1, 1, 0.5)).map(([at, share]) => sending(at, share)),
  ),
  fc.tuple(fc.nat(1), index).map(([who, at]) => dropping(who, at)),
  fc.tuple(index, fc.nat(2), choice('original')).map(([at, into, what]) => adopting(at, into, what)),
  fc.tuple(index, fc.nat(2), choice('original')).map(([at, into, what]) => adopting(at, into, what)),
  index.map(cancelling),
  index.map(discarding),
  fc.tuple(fc.nat(1), index).map(([who, at]) => restoring(who, at)),
  fc.tuple(fc.nat(1), index).map(([who, at]) => deleting(who, at)),
  fc.constantFrom(1, 60, 901, 86_401).map(waiting),
  fc.constant(sweeping),
  fc.constant(restarting),
]

describe('uploads, adoptions and assets', () => {
  it('agree with the model after every step of random runs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), (run) =>
        inWorld(
          async (world) => {
            const albumOwners = [await newAlbumOwner(world), await newAlbumOwner(world)]
            const model = new AssetModel()
            model.accounts.push(...albumOwners.map(({ accountId }) => accountId))
            model.assets.push(newAsset(), newAsset(), newAsset())
            await fc.asyncModelRun(() => ({ model, real: { world, albumOwners, rules: world.rules } }), run)
          },
          { settings: { quotaHardBytes: HARD_BYTES } },
        )(),
      ),
      { numRuns: Number(process.env.MODEL_RUNS ?? 20) },
    )
  })
})
