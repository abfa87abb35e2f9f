/**
 * R14: backups of a server under load, some of them killed, each restored elsewhere. Everything acknowledged before the
 * backup began is in it with its bytes, and the restored data is consistent. In the end a server starts on the last
 * restored directory.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { CLI, runCommand } from '../../testing/command.ts'
import { startServer } from '../../testing/startServer.ts'
import { createApi, pause } from '../harness/api.ts'
import { blobsOf, isUnsettled } from '../harness/assets/assetLedger.ts'
import { fetchReceipt } from '../harness/guest.ts'
import { type AssetBlob, type Attempt, type Counts, describeAttempt, isOver, type Ledger } from '../harness/ledger.ts'
import { createWorld, FAULT_ENV, judgeAll, startLoad, type World } from '../harness/load.ts'
import type { Random } from '../harness/random.ts'
import type { RunReport } from '../harness/report.ts'
import { loggedBy } from '../harness/report.ts'
import { rowsOf } from '../harness/rows.ts'

interface BackupRun {
  readonly rounds: number
  readonly guests: number
  readonly seed: string
  readonly print: (text: string) => void
}

export interface BackupReport extends RunReport {
  readonly counts: Counts
  readonly backups: number
  readonly killed: number
  /** Acknowledged landings and open sessions that were looked for in restored data. */
  readonly lookedFor: number
  /** Pauses of the collector that killed backups left. */
  readonly pausesLeft: number
}

interface BackupContext {
  readonly world: World
  readonly backup: string
  readonly masterSecret: string
  readonly tally: { backups: number; killed: number; lookedFor: number; pausesLeft: number }
}

/** Acknowledged at one instant. */
interface Known {
  readonly landed: readonly Attempt[]
  readonly underWay: readonly { readonly attempt: Attempt; readonly offset: number }[]
  readonly blobs: readonly {
    readonly blob: AssetBlob
    readonly assetId: string
    readonly mayBeDeleted: () => boolean
  }[]
}

export async function runBackupUnderLoad({ rounds, guests, seed, print }: BackupRun): Promise<BackupReport> {
  const root = await mkdtemp(join(tmpdir(), 'blindkeep-r14-'))
  const world = await createWorld(seed)
  const { server, ledger } = world
  const tally = { backups: 0, killed: 0, lookedFor: 0, pausesLeft: 0 }
  const context = {
    world,
    tally,
    backup: join(root, 'backup'),
    masterSecret: join(dirname(server.dataDir), 'master.secret'),
  }
  try {
    const load = startLoad(world, guests)
    let last = { restoredDir: '', known: knownOf(ledger) }
    for (let index = 1; index <= rounds && ledger.faults.length === 0; index++) {
      last = { restoredDir: join(root, String(index)), known: last.known }
      last.known = await round(context, last.restoredDir, world.random.fork(`round ${index}`))
      if (index < rounds) await rm(last.restoredDir, { recursive: true })
      print(`${index} of ${rounds} rounds, ${JSON.stringify({ ...tally, ...ledger.counts })}`)
    }
    await load.stop()
    tally.pausesLeft = endPauses(server.dataDir)
    if (ledger.faults.length === 0) await judgeAll(world)
    else await server.terminate()
    if (ledger.faults.length === 0) await startRestored(context, last.restoredDir, last.known)
    return { faults: ledger.faults, counts: ledger.counts, ...tally, log: loggedBy(server.log()) }
  } finally {
    await world.close()
    await rm(root, { recursive: true, force: true })
  }
}

/** Killed backups pause the collector for five minutes, for which the last sweep does not wait. Returns how many. */
function endPauses(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'blindkeep.sqlite'), { timeout: 30_000 })
  try {
    return Number(database.prepare('delete from pauses').run().changes)
  } finally {
    database.close()
  }
}

/** Makes a backup and restores it to `restoredDir`. Returns what was acknowledged before the backup began. */
async function round(context: BackupContext, restoredDir: string, random: Random): Promise<Known> {
  const { world, backup, tally } = context
  const { server, ledger } = world
  await pause(random.integer(500, 2_500))
  const known = knownOf(ledger)
  const startedAt = performance.now()
  const made = await server.command(['backup', backup, '--json', ...(random.chance(0.3) ? ['--check'] : [])])
  tally.backups++
  if (made.status !== 0) ledger.fault(`a backup ended with ${made.status}: ${made.stdout}${made.stderr}`)
  if (random.chance(0.7)) {
    // Wherever it dies, either the old backup or the new one is complete.
    await killBackup(context, random.fraction() * (performance.now() - startedAt) * 1.1)
    tally.killed++
  }
  await restoreTo(context, restoredDir)
  if (ledger.faults.length === 0) await judgeRestored(context, restoredDir, known)
  return known
}

function settings({ masterSecret, world }: BackupContext, restoredDir: string): Record<string, string> {
  const { PATH = '' } = process.env
  return {
    ...FAULT_ENV,
    PATH,
    HOST: '127.0.0.1',
    PORT: String(world.server.port),
    DATA_DIR: restoredDir,
    MASTER_SECRET_FILE: masterSecret,
  }
}

async function killBackup(context: BackupContext, afterMs: number): Promise<void> {
  const { world, backup } = context
  const args = ['--disable-warning=ExperimentalWarning', CLI, 'backup', backup]
  const child = spawn(process.execPath, args, { env: settings(context, world.server.dataDir), stdio: 'ignore' })
  const closed = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([pause(afterMs), closed])
  child.kill('SIGKILL')
  await closed
}

async function restoreTo(context: BackupContext, restoredDir: string): Promise<void> {
  const { ledger } = context.world
  const env = settings(context, restoredDir)
  for (const args of [
    ['restore', context.backup],
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
      const mayBeDeleted = () => asset.deleted !== 'no' || asset.bundles.length > length || isUnsettled(asset)
      const landed = asset.bundles
        .slice(-1)
        .flatMap(blobsOf)
        .filter((blob) => blob.landed === 'acknowledged')
      return landed.map((blob) => ({ blob, assetId: asset.assetId, mayBeDeleted }))
    }),
  }
}

async function judgeRestored(
  { world, tally }: BackupContext,
  restoredDir: string,
  { landed, underWay, blobs }: Known,
): Promise<void> {
  const { ledger } = world
  const database = new DatabaseSync(join(restoredDir, 'blindkeep.sqlite'), { readOnly: true })
  const first = (query: string, ...values: readonly string[]) => rowsOf(database, query, ...values)[0]
  const judgeBytes = async (location: string | undefined, hash: string, what: string) => {
    if (location === undefined) ledger.fault(`not in the backup: ${what}`)
    else if ((await hashOf(join(restoredDir, 'blobs', location))) !== hash)
      ledger.fault(`other bytes in the backup: ${what}`)
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
        ledger.fault(`not all of ${offset} acknowledged bytes are in the backup: ${describeAttempt(attempt)}`)
    }
    for (const { blob, assetId, mayBeDeleted } of blobs) {
      const what = `${blob.role} ${blob.uploadId} of asset ${assetId}`
      const [id, upload] = [assetId, blob.uploadId ?? '']
      if (!first('select upload_id from receipts where asset_id = ? and upload_id = ?', id, upload))
        ledger.fault(`its receipt is not in the backup: ${what}`)
      const row = first('select location from asset_blobs where asset_id = ? and upload_id = ?', id, upload)
      if (!mayBeDeleted()) await judgeBytes(row?.text('location'), blob.hash, what)
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

/** A server on restored data at the old address: guests still get receipts, owners sign in again. */
async function startRestored(context: BackupContext, restoredDir: string, { landed }: Known): Promise<void> {
  const { ledger, owners } = context.world
  const { MASTER_SECRET_FILE = '' } = settings(context, restoredDir)
  const options = { dataDir: restoredDir, port: context.world.server.port, env: { ...FAULT_ENV, MASTER_SECRET_FILE } }
  const server = await startServer(options)
  const api = createApi(server)
  try {
    for (const { email, token } of owners) {
      const { status } = await api.askUntilAnswered({ method: 'GET', path: '/v1/drops', token })
      if (status !== 401) ledger.fault(`${email} is answered ${status} with a token from before the backup`)
    }
    for (const attempt of landed) await fetchReceipt({ ...context.world, api }, attempt)
  } finally {
    api.close()
    await server.stop()
  }
}
