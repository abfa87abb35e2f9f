/**
 * Fault runs on demand: `npm run faults -- R2 --kills 200 --seed 7`; `--help` lists them, `ci` runs the short form of each.
 * Prints the seed, what was counted, and everything that was found wrong; ends with 1 when there is anything.
 */
import { randomBytes } from 'node:crypto'
import { inspect, type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { FAULT_RUNS, type FaultRun, type OptionValues, type RunOutcome } from './runs.ts'

const CI = 'ci'
const USAGE = `Fault runs against the real server, on loopback, with everything that it acknowledged held against what it kept.
${FAULT_RUNS.map(usageOf).join('\n')}
  npm run faults -- ${CI} [--seed S]
      the short form of ${FAULT_RUNS.filter(({ ci }) => ci !== undefined)
        .map(({ id }) => id)
        .join(', ')}
The seed is printed; the same seed makes the same choices. Ends with 1 when anything was found wrong.`

const tell = (text: string) => console.log(text)

function usageOf({ id, about, options }: FaultRun): string {
  const named = Object.entries(options).map(([name, value]) => `[--${name} ${value === '' ? '…' : value}] `)
  return `  npm run faults -- ${id} ${named.join('')}[--seed S]\n      ${about}`
}

process.exitCode = await main(process.argv.slice(2))

/** The exit code. */
async function main([id, ...rest]: readonly string[]): Promise<number> {
  if (id === '--help') {
    tell(USAGE)
    return 0
  }
  try {
    if (id === CI) return await runAll(optionsOf(undefined, rest).seed)
    const run = FAULT_RUNS.find((each) => each.id === id)
    if (run === undefined) throw new TypeError(id === undefined ? 'which one?' : `there is no run ${id}`)
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

/** Throws a TypeError for what the run does not have, and for what is no number and should be one. */
function optionsOf(run: FaultRun | undefined, args: readonly string[]): GivenOptions {
  const known: OptionValues = { ...run?.options, seed: randomBytes(4).toString('hex') }
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.keys(known).map((name) => [name, { type: 'string' }]),
  )
  const given = Object.entries(parseArgs({ args: [...args], options }).values)
  const { seed, ...values } = { ...known, ...Object.fromEntries(given.map(parsed)) }
  return { seed: String(seed), values }

  function parsed([name, value]: readonly [string, unknown]): readonly [string, number | string] {
    if (typeof known[name] !== 'number') return [name, String(value)]
    const number = Number(value)
    if (!Number.isSafeInteger(number) || number < 1) throw new TypeError(`--${name} is a whole number, at least 1`)
    return [name, number]
  }
}

/** One after the other, as each has the machine to itself; what fails keeps none of the others from running. */
async function runAll(seed: string): Promise<number> {
  const failed: string[] = []
  for (const run of FAULT_RUNS) {
    if (run.ci === undefined) continue
    if (!(await runOne(run, run.ci, seed))) failed.push(run.id)
  }
  tell(failed.length === 0 ? `all is well, seed ${seed}` : `FAILED with seed ${seed}: ${failed.join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

/** False when anything was found wrong. */
async function runOne(run: FaultRun, values: OptionValues, seed: string): Promise<boolean> {
  const startedAt = performance.now()
  const given = Object.entries(values).map(([name, value]) => (value === '' ? '' : `--${name} ${value} `))
  tell(`${run.id} ${given.join('')}--seed ${seed}`)
  const outcome = await run.run({ seed, tell }, values).catch(thrown)
  if ('missing' in outcome) tell(`FAULT ${run.id} cannot run here: ${outcome.missing}`)
  const faults = 'missing' in outcome ? [outcome.missing] : outcome.faults
  if (!('missing' in outcome)) tellReport(outcome)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const result = faults.length === 0 ? 'nothing was found wrong' : `${faults.length} faults, seed ${seed}`
  tell(`${run.id}: ${result}, ${seconds} s`)
  return faults.length === 0
}

/** A run that breaks off has shown nothing. */
function thrown(error: unknown): RunOutcome {
  return { faults: [`the run broke off: ${inspect(error)}`] }
}

function tellReport({ faults, log, ...report }: Exclude<RunOutcome, { readonly missing: string }>): void {
  if (Object.keys(report).length > 0) tell(JSON.stringify(report, undefined, 2))
  if (log !== undefined && log !== '') tell(`the server logged:\n${log}`)
  for (const fault of faults) tell(`FAULT ${fault}`)
}
