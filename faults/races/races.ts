/** R6: races of 64 requests over HTTP. As many win as the rules say; the data stays consistent. */
import { AssertionError } from 'node:assert/strict'
import { type Client, createClient } from '../../conformance/client.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { FAULT_ENV } from '../harness/load.ts'
import { createOracle } from '../harness/oracle.ts'
import { createRandom, type Random } from '../harness/random.ts'
import type { SharedOptions } from '../harness/report.ts'
import { type Cluster, openCluster } from '../nodes/cluster.ts'
import { ADMISSION_RACES } from './admission.ts'
import { ADOPTION_RACES } from './adoptions.ts'
import { ENDING_RACES } from './endings.ts'
import { INVITE_RACES } from './invites.ts'
import { OWNER_RACES } from './owners.ts'
import { newAuthors, type Race, type Round } from './race.ts'
import { SECOND_FACTOR_RACES } from './secondFactors.ts'

interface RaceRun extends SharedOptions {
  /** Rounds of each race. */
  readonly rounds: number
  /** A part of a race's name; all races when it is empty. */
  readonly race: string
  /** With several, a race's requests go to them in turn; they share a PostgreSQL and an S3 store. */
  readonly nodes: number
}

interface RaceReport {
  readonly faults: readonly string[]
  /** The racing requests and all requests around them. */
  readonly requests: number
}

interface Outcome {
  readonly rounds: number
  /** How often each outcome occurred. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly requests: number
  readonly requestsPerSecond: number
}

/** Authors are replaced, so that their lists stay short. */
const ROUNDS_PER_AUTHOR = 50
/** A round ends before a lease expires. */
const SETTINGS = { ...FAULT_ENV, ADOPTION_LEASE_SECONDS: '60' }
const RACES = [
  ...ADMISSION_RACES,
  ...ENDING_RACES,
  ...ADOPTION_RACES,
  ...OWNER_RACES,
  ...SECOND_FACTOR_RACES,
  ...INVITE_RACES,
]

export async function runRaces({
  seed,
  rounds,
  race: part,
  nodes,
  print,
}: RaceRun): Promise<RaceReport | { readonly missing: string }> {
  const faults: string[] = []
  let sum = 0
  const chosen = RACES.filter(({ name }) => name.includes(part))
  if (chosen.length === 0) faults.push(`no race has ${part} in its name: ${RACES.map(({ name }) => name).join(', ')}`)
  for (const group of bySettings(chosen)) {
    const place = await openPlace({ ...SETTINGS, ...group[0]?.settings }, nodes)
    if ('missing' in place) return place
    const { found, requests } = await runGroup(group, place, { rounds, seed, print })
    faults.push(...found)
    sum += requests
  }
  return { faults, requests: sum }
}

/** Races with the same settings share a server, as it takes several nodes seconds to start. */
function bySettings(races: readonly Race[]): readonly (readonly Race[])[] {
  return [...Map.groupBy(races, ({ settings }) => JSON.stringify(settings)).values()]
}

type Place = Pick<Cluster, 'server' | 'oracle'>

async function openPlace(
  env: Readonly<Record<string, string>>,
  nodes: number,
): Promise<Place | { readonly missing: string }> {
  if (nodes > 1) return openCluster({ count: nodes, env })
  const server = await startServer({ env })
  return { server, oracle: createOracle(server.dataDir) }
}

interface Found {
  readonly found: readonly string[]
  readonly requests: number
}

/** One race after the other, then the checks of what they have left. Ends the place. */
async function runGroup(
  races: readonly Race[],
  { server, oracle }: Place,
  { rounds, seed, print }: Pick<RaceRun, 'rounds' | 'seed' | 'print'>,
): Promise<Found> {
  try {
    const found: string[] = []
    let sum = 0
    for (const race of races) {
      const { outcome, fault } = await runRace(race, server, {
        rounds: Math.ceil(rounds / (race.weight ?? 1)),
        random: createRandom(`${seed}/${race.name}`),
      })
      if (fault !== undefined) found.push(`${race.name}: ${fault}`)
      const { outcomes, requests, requestsPerSecond } = outcome
      sum += requests
      print(
        `${race.name}: ${outcome.rounds} rounds, ${JSON.stringify(outcomes)}, ${requests} requests, ${requestsPerSecond}/s`,
      )
    }
    const exitCode = await server.terminate()
    if (exitCode !== 0) found.push(`the server ended with ${exitCode}: ${server.log().slice(-2000)}`)
    found.push(...(await oracle.examine()))
    return { found, requests: sum }
  } finally {
    await server.stop()
  }
}

interface Rounds {
  readonly rounds: number
  readonly random: Random
}

/** Stops at the first round with a fault. */
async function runRace(
  race: Race,
  server: RunningServer,
  { rounds, random }: Rounds,
): Promise<{ readonly outcome: Outcome; readonly fault: string | undefined }> {
  const operate = operatorOf(server)
  const { client, requests } = counted(await createClient(server.url))
  const outcomes: Record<string, number> = {}
  const startedAt = performance.now()
  let authors = await newAuthors(client)
  let fault: string | undefined
  let round = 0
  for (; round < rounds && fault === undefined; round++) {
    if (round > 0 && round % ROUNDS_PER_AUTHOR === 0) authors = await newAuthors(client)
    try {
      const result = await race.round({ client, ...authors, index: round, random: random.fork(String(round)), operate })
      outcomes[result] = (outcomes[result] ?? 0) + 1
    } catch (error) {
      fault = `round ${round}: ${error instanceof AssertionError ? error.message : String(error)}`
    }
  }
  const requestsPerSecond = Math.round((requests() * 1000) / (performance.now() - startedAt))
  return { outcome: { rounds: round, outcomes, requests: requests(), requestsPerSecond }, fault }
}

function operatorOf(server: RunningServer): Round['operate'] {
  return async (...command) => {
    const { status, stdout, stderr } = await server.command([...command, '--json'])
    if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`)
    return JSON.parse(stdout)
  }
}

function counted(client: Client): { readonly client: Client; requests(): number } {
  let requests = 0
  const send: Client['send'] = (call) => {
    requests++
    return client.send(call)
  }
  return { client: { ...client, send }, requests: () => requests }
}
