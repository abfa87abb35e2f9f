/**
 * Fault runs on demand: `npm run faults -- random-kills --kills 200 --seed 7`; `--help` lists them, `ci` runs the short
 * form of each. Prints the seed, the counts and every fault. Exits with 1 when there is a fault.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inspect, type ParseArgsOptionsConfig } from 'node:util'
import { parsedOnce } from '../tools/arguments.ts'
import type { RunOutcome } from './harness/report.ts'
import { FAULT_RUNS, type FaultRun, findRun, type OptionValues } from './runs.ts'

const CI_RUNS = FAULT_RUNS.filter(({ ci }) => ci !== undefined)
/**
 * Only runs that measure a time do so on a machine without other tests. A bounded recovery needs none: CI bounds it to
 * 30 s, and beside twenty busy processes on two cores the longest of many took 8 s.
 */
const isBeside = ({ measuresTime }: FaultRun) => !measuresTime
const SHORT_FORMS = new Map<string | undefined, readonly FaultRun[]>([
  ['ci', CI_RUNS],
  ['ci-beside', CI_RUNS.filter(isBeside)],
  ['ci-alone', CI_RUNS.filter((run) => !isBeside(run))],
])
const THIS_FILE = fileURLToPath(import.meta.url)
/** Most runs wait for restarts and pauses half of the time. */
const RUNS_AT_ONCE = 3
const USAGE = `Fault runs: they disturb the real server on loopback and compare what it acknowledged with what it kept.
${FAULT_RUNS.map(usageOf).join('\n')}
${[...SHORT_FORMS].map(([name, runs]) => `  npm run faults -- ${name} [--seed S]\n      the short form of ${namesOf(runs)}`).join('\n')}
Each run prints its seed; the same seed makes the same choices. Exits with 1 when there is a fault.`

function namesOf(runs: readonly FaultRun[]): string {
  return runs.map(({ name }) => name).join(', ')
}

const print = (text: string) => console.log(text)

function usageOf({ name, id, about, options }: FaultRun): string {
  const named = Object.entries(options).map(([option, value]) => `[--${option} ${value === '' ? '…' : value}] `)
  const alias = id === undefined ? '' : ` (or ${id})`
  return `  npm run faults -- ${name} ${named.join('')}[--seed S]${alias}\n      ${about}`
}

process.exitCode = await main(process.argv.slice(2))

/** Returns the exit code. */
async function main([name, ...rest]: readonly string[]): Promise<number> {
  if (name === '--help') {
    print(USAGE)
    return 0
  }
  try {
    const shortForms = SHORT_FORMS.get(name)
    if (shortForms !== undefined) return await runAll(shortForms, optionsOf(undefined, rest).seed)
    const run = findRun(name)
    if (run === undefined) throw new TypeError(name === undefined ? 'name a run' : `there is no run ${name}`)
    const { seed, values } = optionsOf(run, rest)
    return (await runOne(run, values, seed)) ? 0 : 1
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(`${error.message}\n\n${USAGE}`)
    return 2
  }
}

interface GivenOptions {
  readonly seed: string
  readonly values: OptionValues
}

/** Throws a TypeError for an unknown option, and for a value that is not a number where one is expected. */
function optionsOf(run: FaultRun | undefined, args: readonly string[]): GivenOptions {
  const known: OptionValues = { ...run?.options, seed: randomBytes(4).toString('hex') }
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.keys(known).map((name) => [name, { type: 'string' }]),
  )
  const given = Object.entries(parsedOnce({ args: [...args], options }).values)
  const { seed, ...values } = { ...known, ...Object.fromEntries(given.map(parsed)) }
  return { seed: String(seed), values }

  function parsed([name, value]: readonly [string, unknown]): readonly [string, number | string] {
    if (typeof known[name] !== 'number') return [name, String(value)]
    const number = Number(value)
    if (!Number.isSafeInteger(number) || number < 1) throw new TypeError(`--${name} takes an integer of at least 1`)
    return [name, number]
  }
}

/**
 * First those that share the machine, then one after the other those that measure time. A failing run does not stop the
 * others. The faults of all are printed again at the end, where a log that is cut still has them.
 */
async function runAll(runs: readonly FaultRun[], seed: string): Promise<number> {
  const faults: string[] = []
  const lane = async (waiting: FaultRun[]) => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      const found = await runApart(run, seed)
      if (found !== undefined) faults.push(`${run.name}: ${found}`)
    }
  }
  const together = runs.filter(({ measuresTime }) => !measuresTime)
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => lane(together)))
  await lane(runs.filter(({ measuresTime }) => measuresTime))
  print(faults.length === 0 ? `no faults, seed ${seed}` : `FAILED with seed ${seed}:\n${faults.join('\n')}`)
  return faults.length === 0 ? 0 : 1
}

/** In its own process, printed in one piece at its end. Returns its faults; undefined for none. */
async function runApart({ name, ci = {} }: FaultRun, seed: string): Promise<string | undefined> {
  const options = Object.entries(ci).flatMap(([option, value]) => (value === '' ? [] : [`--${option}`, String(value)]))
  const child = spawn(process.execPath, [...process.execArgv, THIS_FILE, name, ...options, '--seed', seed], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
  const [status] = await once(child, 'close')
  const output = Buffer.concat(pieces).toString()
  process.stdout.write(output)
  if (status === 0) return undefined
  const firstFault = output.search(/^FAULT /m)
  return firstFault < 0 ? `ended with ${status}` : output.slice(firstFault).trimEnd()
}

/** Returns false when there is a fault. */
async function runOne(run: FaultRun, values: OptionValues, seed: string): Promise<boolean> {
  const startedAt = performance.now()
  const given = Object.entries(values).map(([name, value]) => (value === '' ? '' : `--${name} ${value} `))
  print(`${run.name} ${given.join('')}--seed ${seed}`)
  const outcome = await run.run({ seed, print }, values).catch(aborted)
  if ('missing' in outcome) print(`FAULT ${run.name} cannot run here: ${outcome.missing}`)
  const faults = 'missing' in outcome ? [outcome.missing] : outcome.faults
  if (!('missing' in outcome)) printReport(outcome)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const result = faults.length === 0 ? 'no faults' : `${faults.length} faults, seed ${seed}`
  print(`${run.name}: ${result}, ${seconds} s`)
  return faults.length === 0
}

/** A run that throws has proved nothing. */
function aborted(error: unknown): RunOutcome {
  return { faults: [`the run broke off: ${inspect(error)}`] }
}

function printReport({ faults, log, ...report }: Exclude<RunOutcome, { readonly missing: string }>): void {
  if (Object.keys(report).length > 0) print(JSON.stringify(report, undefined, 2))
  if (log !== undefined && log !== '') print(`the server logged:\n${log}`)
  for (const fault of faults) print(`FAULT ${fault}`)
}
