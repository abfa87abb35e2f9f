/**
 * Thousands of receipts of one chain, while keys rotate beside the running server and it is killed and restarted. Then its whole log is given to the
 * independent checker, which has to find it good as it is, and to find each alteration of it.
 */
import { type RunningServer, startServer } from '../testing/startServer.ts'
import { createApi } from './api.ts'
import { FAULT_ENV } from './load.ts'
import { loggedBy } from './r2.ts'
import { createRandom, type Random } from './random.ts'
import { damageLog } from './receiptLog/damage.ts'
import { fsckAltered } from './receiptLog/fsck.ts'
import { DISTURBED_SHARE, type Progress, startLoad } from './receiptLog/load.ts'
import { judgeLog, type LogEntry, publishedKeys, readLog } from './receiptLog/log.ts'
import type { RunReport } from './runs.ts'

interface ReceiptLogRun {
  /** Drops that land, each with a receipt. */
  readonly count: number
  readonly rotations: number
  /** By kill -9 and SIGTERM in turn. */
  readonly restarts: number
  /** Bytes of the log that are altered, one at a time. */
  readonly bytes: number
  /** Altered objects of the database that fsck is asked about. */
  readonly fscks: number
  readonly seed: string
  readonly tell: (text: string) => void
}

interface ReceiptLogReport extends RunReport {
  readonly receipts: number
  /** How many receipts each key has signed, oldest first. */
  readonly signed: readonly number[]
  readonly altered: number
}

const LANES = 32

export async function runReceiptLog(run: ReceiptLogRun): Promise<ReceiptLogReport> {
  const { count, seed, tell } = run
  const random = createRandom(seed)
  const server = await startServer({ env: FAULT_ENV })
  const api = createApi(server)
  try {
    const pins = await publishedKeys(api)
    const { promise: calm, resolve: settle } = Promise.withResolvers<void>()
    const { progress, finished } = await startLoad(api, random.fork('load'), { count, lanes: LANES, calm })
    const disturbed = Promise.all([
      rotateMeanwhile(run, { server, progress, random: random.fork('rotations') }),
      restartMeanwhile(run, { server, progress, random: random.fork('restarts') }),
    ])
    const [held, disturbances] = await Promise.all([
      finished,
      disturbed.then((faults) => {
        settle()
        return faults.flat()
      }),
    ])
    const keys = await publishedKeys(api)
    const faults = [...disturbances]
    if (keys.keys.length !== run.rotations + 1)
      faults.push(`${run.rotations} rotations, and ${keys.keys.length} keys are published`)
    if ((await server.terminate()) !== 0) faults.push('the server did not end in order')
    const log = readLog(server.dataDir)
    tell(`${log.length} receipts under ${keys.keys.length} keys; now the checker reads them`)
    faults.push(...(await judgeLog(log, { keys, pins, held, drops: count })))
    const signed = signedBy(keys.keys, log)
    if (signed.includes(0)) faults.push(`not every key has signed: ${signed.join(', ')}`)
    const report = { receipts: log.length, signed, log: loggedBy(server.log()) }
    // What is wrong already would be found again and again.
    if (faults.length > 0) return { ...report, faults, altered: 0 }
    const damages = await damageLog({ entries: log, keys }, run.bytes, random.fork('damage'))
    tell(`${damages.bytes} bytes and ${damages.others} other places altered; now fsck`)
    const options = { log, count: run.fscks, random: random.fork('fsck') }
    faults.push(...damages.faults, ...(await fsckAltered(server.dataDir, options)))
    return { ...report, faults, altered: damages.bytes + damages.others + run.fscks }
  } finally {
    api.close()
    await server.stop()
  }
}

interface Meanwhile {
  readonly server: RunningServer
  readonly progress: Progress
  readonly random: Random
}

/** By the operator's command, beside the server, or while it is down. */
async function rotateMeanwhile(run: ReceiptLogRun, { server, progress, random }: Meanwhile): Promise<string[]> {
  const faults: string[] = []
  for (const at of moments(run.rotations, run.count, random)) {
    await progress.reached(at)
    const { status, stderr } = await server.command(['keys', 'rotate'])
    if (status === 0) run.tell(`rotated after ${at} landings`)
    else faults.push(`keys rotate ends with ${status}: ${stderr}`)
  }
  return faults
}

async function restartMeanwhile(run: ReceiptLogRun, { server, progress, random }: Meanwhile): Promise<string[]> {
  const faults: string[] = []
  for (const [index, at] of moments(run.restarts, run.count, random).entries()) {
    await progress.reached(at)
    const isKill = index % 2 === 0
    if (isKill) await server.kill9()
    else if ((await server.terminate()) !== 0) faults.push('the server did not end in order')
    await server.restart()
    run.tell(`${isKill ? 'killed' : 'ended'} after ${at} landings, and started again`)
  }
  return faults
}

/** One in each equal share of what is disturbed. */
function moments(times: number, count: number, random: Random): readonly number[] {
  const share = (count * DISTURBED_SHARE) / times
  return Array.from({ length: times }, (_, index) => Math.floor((index + 0.2 + 0.6 * random.fraction()) * share))
}

function signedBy(keys: readonly { readonly key_id: string }[], log: readonly LogEntry[]): readonly number[] {
  return keys.map(({ key_id: id }) => log.filter(({ keyId }) => keyId === id).length)
}
