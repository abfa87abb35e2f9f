import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { append, bytes, creation, linkRow, provision } from '../testing/guest.ts'
import { HARD_BYTES, Model, type ModelLink, type ModelUpload, SOFT_BYTES, sum } from '../testing/model.ts'
import { always, commandsFor, pick, reasonOf } from '../testing/modelCommand.ts'
import { defined, inWorld, newAccount, sha256, type World } from '../testing/world.ts'
import { isRefusal } from './ground/refusals.ts'
import type { Rules } from './rules.ts'

/** Links, uploads, quota and inbox against the model, in random acts of owners, guests and the clock. */
interface Real {
  readonly world: World
  rules: Rules
}

const command = commandsFor<Model, Real>(async (model, real) => {
  model.noteExcess()
  await agree(model, real)
})

const anyLink = (model: Model) => model.links.length > 0
const anyUpload = (model: Model) => model.uploads.length > 0

function provisioning(account: number, caps: Caps) {
  return command(`provision ${JSON.stringify(caps)}`, always, async (model, { world, rules }) => {
    const { lifeSeconds, ...rest } = caps
    const request = provision({ ...rest, expiresAt: addSeconds(world.clock.now(), lifeSeconds) })
    const owner = pick(model.accounts, account)
    assert.equal(await rules.links.provision(owner, request), request.opaqueId)
    const counts = { isRevoked: false, isSpent: false, landedFiles: 0, landedBytes: 0 }
    model.links.push({
      ...rest,
      ...counts,
      opaqueId: request.opaqueId,
      owner,
      expiresAt: model.now + lifeSeconds * 1000,
    })
  })
}

function changing(at: number, { lifeSeconds, singleUse: _, ...caps }: Caps) {
  return command(`change ${at} to ${JSON.stringify(caps)}`, anyLink, async (model, { world, rules }) => {
    const link = pick(model.links, at)
    const expected = model.changeRefusal(link, caps)
    const expiresAt = addSeconds(world.clock.now(), lifeSeconds)
    const answer = await rules.links.change(link.owner, link.opaqueId, { ...caps, expiresAt })
    assert.equal(reasonOf(answer), expected)
    if (expected === undefined) Object.assign(link, caps, { expiresAt: model.now + lifeSeconds * 1000 })
  })
}

function creating(at: number, size: number, isHonest: boolean) {
  return command(`create of ${size} on ${at}`, anyLink, async (model, { world, rules }) => {
    const link = pick(model.links, at)
    const content = bytes(size)
    const declaration = isHonest ? {} : { ciphertextHash: sha256(bytes(1)) }
    const going = model.givingWay(link, size)
    const expected = model.refusal(link, size, going)
    const answer = await rules.drops.create(creation(link.opaqueId, content, { declaration }))
    assert.equal(reasonOf(answer), expected)
    if (isRefusal(answer)) return
    for (const upload of going) model.close(upload, 'ended')
    assert.ok(world.clock.now() > 0)
    const begun = { state: 'open' as const, sent: 0, lastChunkAt: undefined, closedAt: undefined, isPending: false }
    model.uploads.push({ uploadId: answer, link, content, isHonest, createdAt: model.now, ...begun })
  })
}

function sending(at: number, length: number) {
  return command(`send ${length} to ${at}`, anyUpload, async (model, { rules }) => {
    const upload = pick(model.uploads, at)
    const { content, sent, state, uploadId } = upload
    const end = Math.min(content.length, sent + length)
    const answer = await append({ rules }, uploadId, {
      offset: sent,
      bytes: state === 'open' ? content.subarray(sent, end) : bytes(1),
    })
    if (state !== 'open') {
      assert.equal(reasonOf(answer), state === 'ended' || state === 'forgotten' ? 'upload_not_found' : 'upload_closed')
      return
    }
    upload.sent = end
    upload.lastChunkAt = model.now
    const isWrong = end === content.length && !upload.isHonest
    assert.deepEqual(answer, isWrong ? { refused: 'content_hash_wrong', offset: end } : { offset: end })
    if (end === content.length) model.close(upload, upload.isHonest ? 'landed' : 'failed')
  })
}

function cancelling(at: number) {
  return command(`cancel ${at}`, anyUpload, async (model, { world, rules }) => {
    const upload = pick(model.uploads, at)
    const row = await world.store.read((tx) => tx.uploads.find(upload.uploadId))
    assert.equal(row?.state ?? 'forgotten', upload.state)
    if (row === undefined) return
    const expected =
      { open: undefined, ended: 'upload_not_found' }[String(upload.state)] ??
      (upload.state === 'open' ? undefined : 'upload_closed')
    assert.equal(reasonOf(await rules.ending.cancel(row)), expected)
    if (upload.state === 'open') model.close(upload, 'ended')
  })
}

function discarding(at: number) {
  return command(`discard ${at}`, anyUpload, async (model, { rules }) => {
    const upload = pick(model.uploads, at)
    const { owner } = upload.link
    const drop = (await rules.inbox.list(owner)).find(({ uploadId }) => uploadId === upload.uploadId)
    assert.equal(drop !== undefined, upload.isPending)
    if (drop === undefined) return
    assert.equal(await rules.inbox.discard(owner, drop.dropId), undefined)
    model.discard(upload)
  })
}

function restoring(at: number) {
  return command(`restore ${at}`, anyUpload, async (model, { rules }) => {
    const upload = pick(model.uploads, at)
    const { owner } = upload.link
    const entry = (await rules.bin.list(owner)).find(({ removed }) => removed.drop?.uploadId === upload.uploadId)
    assert.equal(entry !== undefined, upload.discardedAt !== undefined)
    if (entry === undefined) return
    const expected = model.restore(upload)
    assert.equal(reasonOf(await rules.bin.restore(owner, entry.entryId)), expected)
    // A repeat.
    assert.equal(reasonOf(await rules.bin.restore(owner, entry.entryId)), expected)
  })
}

function emptying(at: number) {
  return command(`empty the bin of ${at}`, always, async (model, { rules }) => {
    const owner = pick(model.accounts, at)
    await rules.bin.empty(owner)
    for (const upload of model.uploads) if (upload.link.owner === owner) upload.discardedAt = undefined
  })
}

function discardingAll(at: number) {
  return command(`discard all of link ${at}`, anyLink, async (model, { rules }) => {
    const link = pick(model.links, at)
    await rules.inbox.discardOfLink(link.owner, link.opaqueId)
    for (const upload of model.uploads) if (upload.link === link) model.discard(upload)
  })
}

function revoking(at: number) {
  return command(`revoke ${at}`, anyLink, async (model, { rules }) => {
    const link = pick(model.links, at)
    await rules.links.revoke(link.owner, link.opaqueId)
    link.isRevoked = true
    for (const upload of model.open(link)) model.close(upload, 'ended')
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
  const deleting = await world.store.read((tx) => tx.objects.listIn('deleting', addSeconds(world.clock.now(), 1), 1000))
  assert.deepEqual(deleting, [])
})

const restarting = command('restart', always, async (_model, real) => {
  real.rules = real.world.restarted()
})

/** Used bytes are the sum of the rows, counters equal the rows, caps hold, and every object has the expected state. */
async function agree(model: Model, real: Real): Promise<void> {
  const { world, rules } = real
  for (const owner of model.accounts) {
    const account = defined(await world.store.read((tx) => tx.accounts.find(owner)))
    assert.equal(account.usedBytes, model.used(owner))
    assert.ok(account.usedBytes <= HARD_BYTES)
    assert.equal(rules.quota.snapshot(account, world.clock.now()).state, model.quotaState(owner))
    const drops = await rules.inbox.list(owner)
    assert.deepEqual(idsOf(drops), idsOf(model.pending(owner)))
    const states = (await rules.links.list(owner)).map(({ state }) => state)
    assert.deepEqual(
      states,
      model.links.filter((link) => link.owner === owner).map((link) => model.linkState(link)),
    )
  }
  for (const link of model.links) await agreeOnLink(model, real, link)
  const objects = async (state: 'staged' | 'kept') =>
    (await world.store.read((tx) => tx.objects.listIn(state, addSeconds(world.clock.now(), 1), 1000))).length
  assert.equal(await objects('staged'), model.uploads.filter(({ state }) => state === 'open').length)
  assert.equal(await objects('kept'), model.uploads.filter(({ isPending }) => isPending).length)
}

async function agreeOnLink(model: Model, { world }: Real, link: ModelLink): Promise<void> {
  const row = await linkRow(world, link.opaqueId)
  const open = model.open(link)
  const openBytes = sum(open.map(({ content }) => content.length))
  const seen = [row.openSessions, row.openBytes, row.landedFiles, row.landedBytes]
  assert.deepEqual(seen, [open.length, openBytes, link.landedFiles, link.landedBytes])
  assert.ok(row.openBytes + row.landedBytes <= link.maxTotalBytes)
  assert.ok(row.openSessions + row.landedFiles <= link.maxFileCount)
  assert.deepEqual(idsOf(await world.store.read((tx) => tx.uploads.openOf(link.opaqueId))), idsOf(open))
}

const idsOf = (rows: readonly Pick<ModelUpload, 'uploadId'>[]) => rows.map(({ uploadId }) => uploadId).toSorted()

type Caps = Pick<ModelLink, 'maxTotalBytes' | 'maxFileCount' | 'maxFileSize' | 'singleUse'> & {
  readonly lifeSeconds: number
}

const caps: fc.Arbitrary<Caps> = fc.record({
  maxTotalBytes: fc.integer({ min: 0, max: 400 }),
  maxFileCount: fc.integer({ min: 0, max: 5 }),
  maxFileSize: fc.integer({ min: 20, max: 200 }),
  singleUse: fc.boolean(),
  lifeSeconds: fc.constantFrom(1, 1000, 100_000, 10_000_000),
})

const index = fc.nat(30)

const commands = [
  fc.tuple(index, caps).map(([account, given]) => provisioning(account, given)),
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(index, fc.integer({ min: 1, max: 150 }), fc.integer({ min: 0, max: 9 }))
      .map(([at, size, luck]) => creating(at, size, luck > 0)),
  ),
  ...Array.from({ length: 3 }, () =>
    fc.tuple(index, fc.integer({ min: 1, max: 200 })).map(([at, length]) => sending(at, length)),
  ),
  fc.tuple(index, caps).map(([at, given]) => changing(at, given)),
  index.map(cancelling),
  index.map(discarding),
  index.map(restoring),
  index.map(emptying),
  index.map(discardingAll),
  index.map(revoking),
  fc.constantFrom(1, 60, 901, 86_401, 8 * 86_400).map(waiting),
  fc.constant(sweeping),
  fc.constant(restarting),
]

describe('links, uploads, quota and inbox', () => {
  it('agree with the model after every step of random runs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), (run) =>
        inWorld(
          async (world) => {
            const model = new Model()
            model.accounts.push(await newAccount(world), await newAccount(world))
            await fc.asyncModelRun(() => ({ model, real: { world, rules: world.rules } }), run)
          },
          { settings: { quotaSoftBytes: SOFT_BYTES, quotaHardBytes: HARD_BYTES } },
        )(),
      ),
      { numRuns: Number(process.env.MODEL_RUNS ?? 60) },
    )
  })
})
