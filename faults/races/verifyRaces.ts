/**
 * Owners verify assets while the same assets are deleted, replaced and discarded, and while the collector runs, in the
 * server and beside it. All bytes that the server called durable must stay on the disk until the grace window from
 * `checked_at` is over.
 */
import type { StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import { jsonOf, pause } from '../harness/api.ts'
import { planAdoption, sendAdoption } from '../harness/assets/adopt.ts'
import { acknowledgedBlobsOf, newAsset } from '../harness/assets/assetLedger.ts'
import { signUp } from '../harness/assets/author.ts'
import { removeAsset } from '../harness/assets/remove.ts'
import { ownBlob, uploadBlob } from '../harness/assets/uploadBlob.ts'
import { countFiles, untilSwept } from '../harness/finalChecks.ts'
import type { Asset, Attempt, Owner } from '../harness/ledger.ts'
import { createWorld, type World } from '../harness/load.ts'
import { provision } from '../harness/pool.ts'
import { createRandom, type Random } from '../harness/random.ts'
import type { SharedOptions } from '../harness/report.ts'
import { loggedBy } from '../harness/report.ts'
import { landed } from '../harness/session.ts'
import { createWatch, type Watch } from './verifyWatch.ts'

interface VerifyRaceReport {
  readonly faults: readonly string[]
  readonly rounds: number
  readonly verdicts: number
  readonly durable: number
  /** Blobs that stayed until the end of their window, and those removed soon after it. */
  readonly kept: number
  readonly removedSoonAfter: number
  readonly looksAtFiles: number
  readonly collects: number
  readonly log: string
}

/** The shortest possible window, so that a round is short. */
const GRACE_SECONDS = 1
const SETTINGS = { GC_GRACE_SECONDS: String(GRACE_SECONDS), SWEEP_SECONDS: '1', DEEP_BYTES_PER_HOUR: String(2 ** 40) }
const OWNERS = 4
/** Rounds of one owner at the same time. */
const LANES = 2
const MAX_SIZE = 50_000
/** Time after a window in which the next sweeps mark and remove the bytes. */
const REMOVED_SOON_MS = 3_500
const COLLECT_PAUSE_MS = 150

interface Race {
  readonly world: World
  readonly owner: Owner
  readonly random: Random
  readonly watch: Watch
  readonly counts: { verdicts: number; durable: number; collects: number }
}

export async function runVerifyRaces({
  seed,
  rounds,
  print,
}: SharedOptions & { readonly rounds: number }): Promise<VerifyRaceReport> {
  const world = await createWorld(seed, { env: SETTINGS })
  const { server, ledger, random } = world
  const watch = createWatch(`${server.dataDir}/blobs`, REMOVED_SOON_MS)
  const counts = { verdicts: 0, durable: 0, collects: 0 }
  let begun = 0
  const isOver = () => begun >= rounds || ledger.faults.length + watch.faults.length > 0
  const lane = async (owner: Owner): Promise<void> => {
    while (!isOver()) {
      const round = ++begun
      await runRound(
        { world, owner, random: createRandom(`${seed}/round ${round}`), watch, counts },
        `${seed}-${round}`,
      )
      if (round % 100 === 0) print(`${round} of ${rounds} rounds, ${JSON.stringify({ ...counts, ...watch.counts() })}`)
    }
  }
  try {
    const owners = [...world.owners]
    while (owners.length < OWNERS) owners.push(await signUp(world.api, random.fork(`owner ${owners.length}`)))
    const collecting = collectUntil(world, counts, () => isOver())
    await Promise.all(owners.flatMap((owner) => Array.from({ length: LANES }, () => lane(owner))))
    await collecting
    await watch.settled()
    if (ledger.faults.length + watch.faults.length === 0) await judgeWhole(world)
    const { kept, removedSoonAfter, looks } = watch.counts()
    const faults = [...ledger.faults, ...watch.faults]
    if (counts.durable <= rounds || removedSoonAfter <= rounds)
      faults.push('too few verdicts or removals to prove anything')
    return {
      faults,
      rounds: begun,
      ...counts,
      kept,
      removedSoonAfter,
      looksAtFiles: looks,
      log: loggedBy(server.log()),
    }
  } finally {
    await world.close()
  }
}

/** The operator's command, again and again beside the server. */
async function collectUntil({ server, ledger }: World, counts: Race['counts'], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { status, stderr } = await server.command(['collect', '--json'])
    if (status !== 0) ledger.fault(`collect ended with ${status}: ${stderr}`)
    counts.collects++
    await pause(COLLECT_PAUSE_MS)
  }
}

/** The life of one asset, which is verified all the time. */
async function runRound(race: Race, name: string): Promise<void> {
  const { world, owner, random } = race
  const asset = newAsset(owner)
  const twin = random.chance(0.3) ? await adoptOneOfTwo(race, asset, name) : await uploadTo(race, asset, name)
  let isDeleted = false
  const asking = Promise.all(
    [false, true].map(async (deep) => {
      // Once more after the deletion, when the verdict must be no.
      for (let isLast = false; !isLast; ) {
        isLast = isDeleted
        await ask(race, asset, deep)
        await pause(random.integer(0, 30))
      }
    }),
  )
  await pause(random.integer(0, 200))
  if (twin !== undefined) await discard(race, twin)
  if (random.chance(0.3)) await uploadTo(race, asset, `${name}-again`)
  await pause(random.integer(0, 100))
  await removeAsset(world, asset)
  isDeleted = true
  await asking
}

/** Uploads an original; it replaces the current one, if any. */
async function uploadTo({ world, random }: Race, asset: Asset, name: string): Promise<undefined> {
  const action = asset.bundles.length === 0 ? ('create' as const) : ('replace' as const)
  const blob = ownBlob('original', name, random.integer(1, MAX_SIZE))
  const bundle = { action, original: blob, metadata: undefined }
  if (action === 'create') world.ledger.assets.push(asset)
  asset.bundles.push(bundle)
  await uploadBlob(world, { asset, bundle, blob }, { chunkBytes: blob.size })
}

/** Lands two drops of the same bytes and adopts one into the asset. Returns the other, which stays in the inbox. */
async function adoptOneOfTwo({ world, owner, random }: Race, asset: Asset, name: string): Promise<Attempt> {
  const file = { name, size: random.integer(1, MAX_SIZE) }
  const send = async (through: string) =>
    landed(world, await provision(world, random.fork(through), { owner, singleUse: true }), file)
  const [drop, twin] = [await send('one link'), await send('another')]
  const adoption = planAdoption(world, drop, asset)
  while (adoption.bundle.original.landed !== 'acknowledged') await sendAdoption(world, adoption)
  return twin
}

async function discard({ world, owner }: Race, attempt: Attempt): Promise<void> {
  attempt.discarded = 'asked'
  const path = `/v1/drops/${attempt.dropId}`
  const { status, code } = await world.api.askUntilAnswered({ method: 'DELETE', path, token: owner.token })
  if (status === 204) attempt.discarded = 'acknowledged'
  else world.ledger.fault(`a discard was answered ${status} ${code}`)
}

/** The asset's blobs when the request is sent; it may hold others when the server answers. */
async function ask({ world, owner, watch, counts }: Race, asset: Asset, deep: boolean): Promise<void> {
  const { api, ledger } = world
  const blobs = acknowledgedBlobsOf(asset)
  if (blobs.length === 0 && asset.deleted === 'no') return
  const asked = blobs.length > 0 ? blobs : (asset.bundles.at(-1)?.original ?? [])
  const known = [asked].flat()
  const json = { assets: [{ asset_id: asset.assetId, blob_hashes: known.map(({ hash }) => hash) }], deep }
  const wasDeleted = asset.deleted === 'acknowledged'
  const reply = await api.askUntilAnswered({ method: 'POST', path: '/v1/storage/verify', token: owner.token, json })
  if (reply.status !== 200) return ledger.fault(`a verification was answered ${reply.status} ${reply.code}`)
  const [verdict] = jsonOf<StorageVerifyResponse>(reply).verdicts
  counts.verdicts++
  if (verdict?.durable !== true) return
  counts.durable++
  if (wasDeleted) ledger.fault(`a deleted asset is durable: ${JSON.stringify(verdict)}`)
  const untilMs = Date.parse(verdict.checked_at) + GRACE_SECONDS * 1000
  for (const { hash, uploadId, size, role } of known)
    watch.add({
      what: `the ${role} of ${asset.assetId}`,
      location: `${hash.slice(0, 2)}/${hash}.${uploadId}`,
      size,
      untilMs,
    })
}

/** In the end no blob is owned, so no file may be left. Checks rows, files and receipts. */
async function judgeWhole({ server, oracle, ledger }: World): Promise<void> {
  if (!(await untilSwept(() => countFiles(server.dataDir), 0))) ledger.fault('the collector leaves orphaned files')
  const { stdout } = await server.command(['collect', '--json'])
  const { marked, removed, spared } = JSON.parse(stdout)
  if (marked.objects + removed.objects + spared.objects > 0) ledger.fault(`there are objects without files: ${stdout}`)
  const exitCode = await server.terminate()
  if (exitCode !== 0) ledger.fault(`the server ended with ${exitCode}`)
  for (const fault of await oracle.examine({ isSwept: true })) ledger.fault(fault)
}
