/**
 * Thousands of receipts of one chain, while keys rotate beside the running server and the server is killed and
 * restarted. Then the independent checker must find the whole log valid, and must detect every alteration of it.
 */
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { createApi } from '../harness/api.ts'
import { FAULT_ENV } from '../harness/load.ts'
import { createRandom, type Random } from '../harness/random.ts'
import type { RunReport } from '../harness/report.ts'
import { loggedBy } from '../harness/report.ts'
import { damageLog } from './damage.ts'
import { fsckAltered } from './fsck.ts'
import { DISTURBED_SHARE, type Progress, startLoad } from './load.ts'
import { judgeLog, type LogEntry, publishedKeys, readLog } from './log.ts'

interface ReceiptLogRun {
  /** Landed drops, each with a receipt. */
  readonly count: number
  readonly rotations: number
  /** Alternately by kill -9 and by SIGTERM. */
  readonly restarts: number
  /** Number of bytes of the log to alter, one at a time. */
  readonly bytes: number
  /** Number of altered copies of the database for fsck. */
  readonly fscks: number
  readonly seed: string
  readonly print: (text: string) => void
}

interface ReceiptLogReport extends RunReport {
  readonly receipts: number
  /** Number of receipts that each key has signed, oldest key first. */
  readonly signed: readonly number[]
  readonly altered: number
}

const LANES = 32

export async function runReceiptLog(run: ReceiptLogRun): Promise<ReceiptLogReport> {
  const { count, seed, print } = run
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
    if ((await server.terminate()) !== 0) faults.push('the server did not exit with 0')
    const log = readLog(server.dataDir)
    print(`${log.length} receipts under ${keys.keys.length} keys; now the checker reads them`)
    faults.push(...(await judgeLog(log, { keys, pins, held, drops: count })))
    const signed = signedBy(keys.keys, log)
    if (signed.includes(0)) faults.push(`a key has signed nothing: ${signed.join(', ')}`)
    const report = { receipts: log.length, signed, log: loggedBy(server.log()) }
    // A fault in the log itself would be found again after every alteration.
    if (faults.length > 0) return { ...report, faults, altered: 0 }
    const damages = await damageLog({ entries: log, keys }, run.bytes, random.fork('damage'))
    print(`${damages.bytes} bytes and ${damages.others} other places altered; now fsck`)
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

/** By the operator's command, beside the running server or while it is down. */
async function rotateMeanwhile(run: ReceiptLogRun, { server, progress, random }: Meanwhile): Promise<string[]> {
  const faults: string[] = []
  for (const at of moments(run.rotations, run.count, random)) {
    await progress.whenLanded(at)
    const { status, stderr } = await server.command(['keys', 'rotate'])
    if (status === 0) run.print(`rotated after ${at} landings`)
    else faults.push(`keys rotate ends with ${status}: ${stderr}`)
  }
  return faults
}

async function restartMeanwhile(run: ReceiptLogRun, { server, progress, random }: Meanwhile): Promise<string[]> {
  const faults: string[] = []
  for (const [index, at] of moments(run.restarts, run.count, random).entries()) {
    await progress.whenLanded(at)
    const isKill = index % 2 === 0
    if (isKill) await server.kill9()
    else if ((await server.terminate()) !== 0) faults.push('the server did not exit with 0')
    await server.restart()
    run.print(`${isKill ? 'killed' : 'ended'} after ${at} landings, and started again`)
  }
  return faults
}

/** One random moment in each of `times` equal parts of the disturbed share. */
function moments(times: number, count: number, random: Random): readonly number[] {
  const share = (count * DISTURBED_SHARE) / times
  return Array.from({ length: times }, (_, index) => Math.floor((index + 0.2 + 0.6 * random.fraction()) * share))
}

function signedBy(keys: readonly { readonly key_id: string }[], log: readonly LogEntry[]): readonly number[] {
  return keys.map(({ key_id: id }) => log.filter(({ keyId }) => keyId === id).length)
}
