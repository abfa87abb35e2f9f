/** Races of 64 requests against a real server over HTTP, over and over: exactly those win of whom the rules say so, and what is left is whole. */
import { AssertionError } from 'node:assert/strict'
import { type Client, createClient } from '../conformance/client.ts'
import { type RunningServer, startServer } from '../testing/startServer.ts'
import { FAULT_ENV } from './load.ts'
import { createOracle } from './oracle.ts'
import { ADMISSION_RACES } from './races/admission.ts'
import { ADOPTION_RACES } from './races/adoptions.ts'
import { ENDING_RACES } from './races/endings.ts'
import { INVITE_RACES } from './races/invites.ts'
import { OWNER_RACES } from './races/owners.ts'
import { newAuthors, type Race, type Round } from './races/race.ts'
import { SECOND_FACTOR_RACES } from './races/secondFactors.ts'
import { createRandom, type Random } from './random.ts'
import type { SharedOptions } from './runs.ts'

interface RaceRun extends SharedOptions {
  /** Of each race. */
  readonly rounds: number
  /** A part of a race's name; all of them when it is empty. */
  readonly race: string
}

interface RaceReport {
  readonly faults: readonly string[]
  /** Those that raced, and all that was asked around them. */
  readonly requests: number
}

interface Outcome {
  readonly rounds: number
  /** What came out of the rounds, and how often. */
  readonly winners: Readonly<Record<string, number>>
  readonly requests: number
  readonly requestsPerSecond: number
}

/** Everyone's lists stay short. */
const ROUNDS_OF_AN_AUTHOR = 50
/** A round is over before a lease runs out. */
const SETTINGS = { ...FAULT_ENV, ADOPTION_LEASE_SECONDS: '60' }
const RACES = [
  ...ADMISSION_RACES,
  ...ENDING_RACES,
  ...ADOPTION_RACES,
  ...OWNER_RACES,
  ...SECOND_FACTOR_RACES,
  ...INVITE_RACES,
]

export async function runR6({ seed, rounds, race: part, tell }: RaceRun): Promise<RaceReport> {
  const faults: string[] = []
  let sum = 0
  const chosen = RACES.filter(({ name }) => name.includes(part))
  if (chosen.length === 0) faults.push(`no race is called ${part}: ${RACES.map(({ name }) => name).join(', ')}`)
  for (const race of chosen) {
    const { outcome, found } = await runRace(race, { rounds, random: createRandom(`${seed}/${race.name}`) })
    faults.push(...found.map((fault) => `${race.name}: ${fault}`))
    const { winners, requests, requestsPerSecond } = outcome
    sum += requests
    tell(
      `${race.name}: ${outcome.rounds} rounds, ${JSON.stringify(winners)}, ${requests} requests, ${requestsPerSecond}/s`,
    )
  }
  return { faults, requests: sum }
}

interface Rounds {
  readonly rounds: number
  readonly random: Random
}

/** On a server of its own, whose data is looked at when it has ended. Stops at the first round that comes out wrong. */
async function runRace(
  race: Race,
  { rounds, random }: Rounds,
): Promise<{ readonly outcome: Outcome; readonly found: readonly string[] }> {
  const server = await startServer({ env: { ...SETTINGS, ...race.settings } })
  try {
    const found: string[] = []
    const operate = operatorOf(server)
    const { client, requests } = counted(await createClient(server.url))
    const winners: Record<string, number> = {}
    const startedAt = performance.now()
    let authors = await newAuthors(client)
    let played = 0
    for (; played < rounds && found.length === 0; played++) {
      if (played > 0 && played % ROUNDS_OF_AN_AUTHOR === 0) authors = await newAuthors(client)
      try {
        const word = await race.round({
          client,
          ...authors,
          index: played,
          random: random.fork(String(played)),
          operate,
        })
        winners[word] = (winners[word] ?? 0) + 1
      } catch (error) {
        found.push(`round ${played}: ${error instanceof AssertionError ? error.message : String(error)}`)
      }
    }
    const requestsPerSecond = Math.round((requests() * 1000) / (performance.now() - startedAt))
    const exitCode = await server.terminate()
    if (exitCode !== 0) found.push(`the server ended with ${exitCode}: ${server.log().slice(-2000)}`)
    found.push(...(await createOracle(server.dataDir).examine()))
    return { outcome: { rounds: played, winners, requests: requests(), requestsPerSecond }, found }
  } finally {
    await server.stop()
  }
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
