/**
 * Backups beside a server under load, some of them killed, each restored elsewhere: what had been acknowledged before a backup began is in it with its
 * bytes, and what is restored is whole. In the end a server starts on the last one.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { CLI, runCommand } from '../testing/command.ts'
import { startServer } from '../testing/startServer.ts'
import { createApi, pause } from './api.ts'
import { type AssetBlob, blobsOf, isUnsettled } from './assets/assetLedger.ts'
import { fetchReceipt } from './guest.ts'
import { type Attempt, type Counts, describeAttempt, isOver, type Ledger } from './ledger.ts'
import { createWorld, FAULT_ENV, judgeAll, startLoad, type World } from './load.ts'
import { loggedBy } from './r2.ts'
import type { Random } from './random.ts'
import { rowsOf } from './rows.ts'
import type { RunReport } from './runs.ts'

interface BackupRun {
  readonly rounds: number
  readonly guests: number
  readonly seed: string
  readonly tell: (text: string) => void
}

export interface BackupReport extends RunReport {
  readonly counts: Counts
  readonly backups: number
  readonly killed: number
  /** Acknowledged landings, and chunks of sessions under way, that were looked for in what was restored. */
  readonly lookedFor: number
}

interface Ground {
  readonly world: World
  readonly backup: string
  readonly masterSecret: string
  readonly tally: { backups: number; killed: number; lookedFor: number }
}

/** Acknowledged at one instant. */
interface Known {
  readonly landed: readonly Attempt[]
  readonly underWay: readonly { readonly attempt: Attempt; readonly offset: number }[]
  readonly blobs: readonly { readonly blob: AssetBlob; readonly assetId: string; readonly mayGo: () => boolean }[]
}

export async function runR14({ rounds, guests, seed, tell }: BackupRun): Promise<BackupReport> {
  const root = await mkdtemp(join(tmpdir(), 'blindkeep-r14-'))
  const world = await createWorld(seed)
  const { server, ledger } = world
  const tally = { backups: 0, killed: 0, lookedFor: 0 }
  const ground = {
    world,
    tally,
    backup: join(root, 'backup'),
    masterSecret: join(dirname(server.dataDir), 'master.secret'),
  }
  try {
    const load = startLoad(world, guests)
    let last = { place: '', known: knownOf(ledger) }
    for (let index = 1; index <= rounds && ledger.faults.length === 0; index++) {
      last = { place: join(root, String(index)), known: last.known }
      last.known = await round(ground, last.place, world.random.fork(`round ${index}`))
      if (index < rounds) await rm(last.place, { recursive: true })
      tell(`${index} of ${rounds} rounds, ${JSON.stringify({ ...tally, ...ledger.counts })}`)
    }
    // A killed one leaves its pause behind for minutes, in which nothing is collected.
    await server.command(['backup', ground.backup])
    await load.stop()
    if (ledger.faults.length === 0) await judgeAll(world)
    else await server.terminate()
    if (ledger.faults.length === 0) await startOn(ground, last.place, last.known)
    return { faults: ledger.faults, counts: ledger.counts, ...tally, log: loggedBy(server.log()) }
  } finally {
    await world.close()
    await rm(root, { recursive: true, force: true })
  }
}

/** Gives what was acknowledged before the backup that lies at `place` now began. */
async function round(ground: Ground, place: string, random: Random): Promise<Known> {
  const { world, backup, tally } = ground
  const { server, ledger } = world
  await pause(random.integer(500, 2_500))
  const known = knownOf(ledger)
  const startedAt = performance.now()
  const made = await server.command(['backup', backup, '--json', ...(random.chance(0.3) ? ['--check'] : [])])
  tally.backups++
  if (made.status !== 0) ledger.fault(`a backup ended with ${made.status}: ${made.stdout}${made.stderr}`)
  if (random.chance(0.7)) {
    // Whether it dies before its turning point or after it, one of the two is whole.
    await killBackup(ground, random.fraction() * (performance.now() - startedAt) * 1.1)
    tally.killed++
  }
  await restoreTo(ground, place)
  if (ledger.faults.length === 0) await judgeRestored(ground, place, known)
  return known
}

function settings({ masterSecret, world }: Ground, place: string): Record<string, string> {
  const { PATH = '' } = process.env
  return {
    ...FAULT_ENV,
    PATH,
    HOST: '127.0.0.1',
    PORT: String(world.server.port),
    DATA_DIR: place,
    MASTER_SECRET_FILE: masterSecret,
  }
}

async function killBackup(ground: Ground, afterMs: number): Promise<void> {
  const { world, backup } = ground
  const args = ['--disable-warning=ExperimentalWarning', CLI, 'backup', backup]
  const child = spawn(process.execPath, args, { env: settings(ground, world.server.dataDir), stdio: 'ignore' })
  const gone = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([pause(afterMs), gone])
  child.kill('SIGKILL')
  await gone
}

async function restoreTo(ground: Ground, place: string): Promise<void> {
  const { ledger } = ground.world
  const env = settings(ground, place)
  for (const args of [
    ['restore', ground.backup],
    ['fsck', '--deep'],
  ]) {
    const { status, stdout, stderr } = await runCommand(args, { cwd: tmpdir(), env })
    if (status !== 0) ledger.fault(`${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  }
}

function knownOf({ attempts, assets }: Ledger): Known {
  return {
    landed: attempts.filter(({ landed }) => landed === 'acknowledged'),
    underWay: attempts
      .filter((attempt) => attempt.uploadId !== undefined && !isOver(attempt))
      .map((attempt) => ({ attempt, offset: attempt.acknowledgedOffset })),
    blobs: assets.flatMap((asset) => {
      const { length } = asset.bundles
      const mayGo = () => asset.deleted !== 'no' || asset.bundles.length > length || isUnsettled(asset)
      const landed = asset.bundles
        .slice(-1)
        .flatMap(blobsOf)
        .filter((blob) => blob.landed === 'acknowledged')
      return landed.map((blob) => ({ blob, assetId: asset.assetId, mayGo }))
    }),
  }
}

async function judgeRestored(
  { world, tally }: Ground,
  place: string,
  { landed, underWay, blobs }: Known,
): Promise<void> {
  const { ledger } = world
  const database = new DatabaseSync(join(place, 'blindkeep.sqlite'), { readOnly: true })
  const first = (query: string, ...values: readonly string[]) => rowsOf(database, query, ...values)[0]
  const judgeBytes = async (location: string | undefined, hash: string, what: string) => {
    if (location === undefined) ledger.fault(`not in the backup: ${what}`)
    else if ((await hashOf(join(place, 'blobs', location))) !== hash) ledger.fault(`other bytes in the backup: ${what}`)
  }
  try {
    for (const attempt of landed) {
      const { uploadId = '' } = attempt
      if (!first('select upload_id from receipts where upload_id = ? and drop_id is not null', uploadId))
        ledger.fault(`its receipt is not in the backup: ${describeAttempt(attempt)}`)
      if (attempt.discarded !== 'no' || attempt.adoptions.length > 0) continue
      const drop = first('select location from drops where upload_id = ?', uploadId)
      await judgeBytes(drop?.text('location'), attempt.hash, describeAttempt(attempt))
    }
    for (const { attempt, offset } of underWay) {
      const row = first('select state, received_bytes from uploads where upload_id = ?', attempt.uploadId ?? '')
      const state = row?.text('state')
      if (row === undefined || (state !== 'ended' && state !== 'failed' && row.number('received_bytes') < offset))
        ledger.fault(`of ${offset} acknowledged bytes not all are in the backup: ${describeAttempt(attempt)}`)
    }
    for (const { blob, assetId, mayGo } of blobs) {
      const what = `${blob.role} ${blob.uploadId} of asset ${assetId}`
      const [id, upload] = [assetId, blob.uploadId ?? '']
      if (!first('select upload_id from receipts where asset_id = ? and upload_id = ?', id, upload))
        ledger.fault(`its receipt is not in the backup: ${what}`)
      const row = first('select location from asset_blobs where asset_id = ? and upload_id = ?', id, upload)
      if (!mayGo()) await judgeBytes(row?.text('location'), blob.hash, what)
    }
    tally.lookedFor += landed.length + underWay.length + blobs.length
  } finally {
    database.close()
  }
}

async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  return pipeline(createReadStream(path), hash).then(
    () => hash.digest('hex'),
    () => undefined,
  )
}

/** Where the server was that is gone: guests have their receipts as before, and owners have to sign in. */
async function startOn(ground: Ground, place: string, { landed }: Known): Promise<void> {
  const { ledger, owners } = ground.world
  const { MASTER_SECRET_FILE = '' } = settings(ground, place)
  const options = { dataDir: place, port: ground.world.server.port, env: { ...FAULT_ENV, MASTER_SECRET_FILE } }
  const restored = await startServer(options)
  const api = createApi(restored)
  try {
    for (const { email, token } of owners) {
      const { status } = await api.askUntilAnswered({ method: 'GET', path: '/v1/drops', token })
      if (status !== 401) ledger.fault(`${email} is answered ${status} with a token of before`)
    }
    for (const attempt of landed) await fetchReceipt({ ...ground.world, api }, attempt)
  } finally {
    api.close()
    await restored.stop()
  }
}
