import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { AssetId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import fc from 'fast-check'
import { openSqliteStore } from '../../adapters/sql/sqlite/store.ts'
import { type AlbumOwner, newAlbumOwner, newAssetId } from '../../testing/assets.ts'
import { bytes, never } from '../../testing/guest.ts'
import {
  about,
  aboutAll,
  fileOf,
  flipBit,
  type KeptBlob,
  keep,
  mark,
  strange,
  verifyOver,
} from '../../testing/verify.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'

const damages = {
  none: async () => undefined,
  missing: (world: World, blob: KeptBlob) => rm(fileOf(world, blob)),
  cut: (world: World, blob: KeptBlob) => truncate(fileOf(world, blob), blob.size - 1),
  longer: (world: World, blob: KeptBlob) => appendFile(fileOf(world, blob), 'x'),
  flipped: flipBit,
  marked: mark,
}
type Damage = keyof typeof damages

/** Few contents, so that often two assets or both accounts hold the same one. */
// The first two differ for certain: random bytes of one length may be equal.
const CONTENTS = [Uint8Array.of(1), Uint8Array.of(2), ...[2, 3, 8].map(bytes)]
const HASHES = CONTENTS.map(sha256)

interface Model {
  readonly assets: readonly {
    readonly isOwn: boolean
    readonly isDeleted: boolean
    readonly blobs: readonly (readonly [role: BlobRole, content: number, damage: Damage])[]
  }[]
  /** By index in the lists above. One past the end is an unknown id or hash. */
  readonly questions: readonly (readonly [asset: number, hashes: readonly number[]])[]
  readonly deep: boolean
}

const content = fc.nat({ max: CONTENTS.length - 1 })
const damage = fc.constantFrom<Damage>('none', 'none', 'none', 'missing', 'cut', 'longer', 'flipped', 'marked')
const blob = fc.tuple(
  fc.constantFrom<BlobRole>('original', 'derivative', 'derivative', 'metadata', 'provenance'),
  content,
  damage,
)
const blobs = fc.uniqueArray(blob, {
  minLength: 1,
  maxLength: 5,
  selector: ([role, content]) => (role === 'derivative' ? `${role} ${content}` : role),
})
const often = fc.constantFrom(true, true, true, false)
const asset = fc.record({ isOwn: often, isDeleted: often.map((is) => !is), blobs })
const hashes = fc.array(fc.nat({ max: CONTENTS.length }), { minLength: 1, maxLength: 4 })
const model: fc.Arbitrary<Model> = fc.record({
  assets: fc.array(asset, { minLength: 1, maxLength: 3 }),
  questions: fc.array(fc.tuple(fc.nat({ max: 3 }), hashes), { minLength: 1, maxLength: 4 }),
  deep: fc.boolean(),
})

interface BuiltAsset {
  readonly assetId: AssetId
  readonly isHeld: boolean
  readonly blobs: readonly (KeptBlob & { readonly isMarked: boolean })[]
}

async function build(
  world: World,
  { assets }: Model,
  own: AlbumOwner,
  other: AlbumOwner,
): Promise<readonly BuiltAsset[]> {
  const built: BuiltAsset[] = []
  for (const { isOwn, isDeleted, blobs } of assets) {
    const assetId = newAssetId()
    const albumOwner = isOwn ? own : other
    const kept = []
    for (const [role, at, damage] of blobs) {
      const blob = await keep(world, albumOwner, defined(CONTENTS[at]), { assetId, role })
      // A deletion needs the object to be kept.
      if (!isDeleted) await damages[damage](world, blob)
      kept.push({ ...blob, isMarked: damage === 'marked' })
    }
    if (isDeleted) await world.rules.assets.remove(albumOwner.accountId, assetId)
    built.push({ assetId, isHeld: isOwn && !isDeleted, blobs: kept })
  }
  return built
}

/** The oracle: reads every file itself, and no row. */
async function truthOf(world: World, asset: BuiltAsset | undefined, hash: Sha256Hex, deep: boolean) {
  const held = asset?.isHeld === true ? asset.blobs.filter(({ ciphertextHash }) => ciphertextHash === hash) : []
  const objects = []
  for (const { location, role, size, isMarked } of held) {
    const file = await readFile(fileOf(world, { location })).catch(() => undefined)
    const isWhole = file?.length === size
    const isSame = file !== undefined && sha256(file) === hash
    objects.push({ role, isWhole, isSame, isRetrievable: isWhole && !isMarked && (isSame || !deep) })
  }
  return {
    roles: objects.map(({ role }) => role),
    stored: objects.some(({ isWhole }) => isWhole),
    indexed: objects.length > 0,
    retrievable: objects.some(({ isRetrievable }) => isRetrievable),
    isSomeSame: objects.some(({ isWhole, isSame }) => isWhole && isSame),
  }
}

describe('verdicts on randomly kept and damaged blobs', () => {
  it(
    'agree with an oracle that reads every file itself',
    inWorld(async (world) => {
      const [own, other] = [await newAlbumOwner(world), await newAlbumOwner(world)]
      const verify = verifyOver(world)
      const { accountId } = own
      const check = async (given: Model) => {
        const built = await build(world, given, own, other)
        const asked = given.questions.map(([at, hashes]) => ({
          asset: built[at],
          question: about(built[at]?.assetId ?? newAssetId(), ...hashes.map((hash) => HASHES[hash] ?? strange())),
        }))
        const questions = asked.map(({ question }) => question)
        const verdicts = await verify({ accountId, questions, deep: given.deep, signal: never })
        assert.equal(verdicts.length, questions.length)
        for (const [at, { asset, question }] of asked.entries()) {
          const verdict = defined(verdicts[at])
          assert.equal(verdict.assetId, question.assetId)
          assert.deepEqual(
            verdict.blobs.map(({ hash }) => hash),
            question.blobHashes,
          )
          const truths = []
          for (const blob of verdict.blobs) {
            const { roles, isSomeSame, ...flags } = await truthOf(world, asset, blob.hash, given.deep)
            truths.push(flags)
            const { stored, indexed, retrievable } = blob
            assert.deepEqual({ stored, indexed, retrievable }, flags)
            assert.ok(indexed ? roles.some((role) => role === blob.role) : blob.role === 'unknown')
            assert.equal(blob.deep !== undefined, given.deep && stored)
            if (blob.deep === 'intact') assert.ok(isSomeSame)
            if (blob.deep === 'corrupt') assert.ok(!retrievable)
          }
          const isDurable = truths.every(({ stored, indexed, retrievable }) => stored && indexed && retrievable)
          assert.equal(verdict.durable, isDurable)
        }
        for (const { location } of built.flatMap(({ blobs }) => blobs))
          await rm(fileOf(world, { location }), { force: true })
      }
      await fc.assert(fc.asyncProperty(model, check), { numRuns: 500 })
    }),
  )
})

/** Every row of every table. */
function rowsIn(path: string): Record<string, unknown[]> {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database.prepare(`select name from sqlite_schema where type = 'table' order by name`).all()
  const rows = tables.map(({ name }) => [String(name), database.prepare(`select * from "${name}"`).all()] as const)
  database.close()
  return Object.fromEntries(rows)
}

async function filesIn(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) found[path] = (await readFile(path)).toString('hex')
  }
  return found
}

describe('a verdict', () => {
  it('is a pure read: it changes no row and no file, and only notes that an object is suspected', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-verify-'))
    const path = join(directory, 'rows.sqlite')
    const store = await openSqliteStore({ path })
    await inWorld(
      async (world) => {
        const albumOwner = await newAlbumOwner(world)
        const kept = []
        for (const damage of Object.keys(damages) as Damage[]) {
          const blob = await keep(world, albumOwner, bytes(100))
          await damages[damage](world, blob)
          kept.push(blob)
        }
        const questions = [...aboutAll(kept), about(newAssetId(), strange())]
        const before = { rows: unsuspected(rowsIn(path)), files: await filesIn(world.blobsDirectory) }
        assert.equal(before.rows.asset_blobs?.length, kept.length)
        const present = kept.filter(({ location }) => Object.keys(before.files).some((path) => path.endsWith(location)))
        assert.equal(present.length, kept.length - 1, 'exactly one object is missing')
        for (const deepBytesPerHour of [2 ** 40, 1])
          for (const deep of [false, true]) {
            const verify = verifyOver(world, { deepBytesPerHour })
            const verdicts = await verify({ accountId: albumOwner.accountId, questions, deep, signal: never })
            assert.equal(verdicts.length, questions.length)
          }
        assert.deepEqual({ rows: unsuspected(rowsIn(path)), files: await filesIn(world.blobsDirectory) }, before)
      },
      { around: { store: () => store } },
    )()
    await store.close()
    await rm(directory, { recursive: true })
  })
})

/** The rows as they were without any suspicion. */
function unsuspected(rows: ReturnType<typeof rowsIn>): ReturnType<typeof rowsIn> {
  return { ...rows, objects: (rows.objects ?? []).map((object) => ({ ...Object(object), suspected_at: null })) }
}
