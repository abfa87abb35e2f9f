/** The requests that cost a server most, each alone: none may hold the event loop for long (`loop.ts`). */
import type { Call } from '../../../conformance/call.ts'
import type { Client } from '../../../conformance/client.ts'
import { type Person, personFrom, prepare } from '../../../conformance/matrixCalls.ts'
import { signUp } from '../../../conformance/world.ts'
import { heavyBodies } from './heavyBodies.ts'
import { heaviestGranted, type Judge } from './heavyGranted.ts'
import { HEAVY_HEADERS, heavyPaths } from './heavyHeaders.ts'
import type { LoopWatch, SendOne } from './loop.ts'
import { record } from './values.ts'

/** They would take what the next request needs. Their gates are those of the others. */
const ENDING = ['DELETE /v1/account', 'POST /v1/auth/logout', 'GET /v1/events']
/** Sent last: with another sign-in key, the account can prepare no request that needs it. */
const NEW_KEY = 'POST /v1/auth/password'
const MAX_FAULTS = 40
/** To know what one request did takes two more. So the turns of some are looked at together, and rarely of each. */
const LOOKED_AT_ONCE = 16

interface HeavyRun {
  readonly client: Client
  readonly loop: LoopWatch
}

interface HeavyReport {
  readonly faults: readonly string[]
  /** Kinds of requests that were sent. */
  readonly kinds: number
}

export async function runHeavy({ client, loop }: HeavyRun): Promise<HeavyReport> {
  const faults: string[] = []
  let kinds = 0

  const judge: Judge = async (name, send, before) => {
    if (faults.length >= MAX_FAULTS) return
    kinds++
    const workedMs = await loop.measure(name, send, before)
    if (workedMs > loop.maxMs) faults.push(`${name} held the event loop for ${workedMs.toFixed(0)} ms`)
  }

  let waiting: { readonly name: string; readonly send: SendOne }[] = []
  const judgeWaiting = async () => {
    const several = waiting
    waiting = []
    const name = `one of ${several.length} from ${several[0]?.name}`
    const sends = several.map(({ send }) => send)
    if (several.length === 0 || faults.length >= MAX_FAULTS) return
    if ((await loop.measureSeveral(name, sends)) <= loop.maxMs) kinds += several.length
    else for (const { name, send } of several) await judge(name, send)
  }
  const judgeSoon = async (name: string, send: SendOne) => {
    waiting.push({ name, send })
    if (waiting.length === LOOKED_AT_ONCE) await judgeWaiting()
  }

  // A connection that ends without an answer is no fault of the loop: the other commands of the run judge answers.
  const send = (call: Call) => () => client.send(call).catch(() => undefined)
  const person = await personFrom(await signUp(client))
  const names = client.document.operations.map(({ name }) => name).filter((name) => !ENDING.includes(name))
  for (const name of [...names.filter((name) => name !== NEW_KEY), NEW_KEY]) {
    const call = await callOf(name, person)
    for (const { what, headers } of HEAVY_HEADERS)
      await judgeSoon(`${name} with ${what}`, send({ ...call, headers: { ...call.headers, ...headers } }))
    for (const { what, path } of heavyPaths(call.path)) await judgeSoon(`${name} with ${what}`, send({ ...call, path }))
    for (const { name: what, bytes } of call.json === undefined ? [] : heavyBodies(record(call.json)))
      await judgeSoon(`${name} with ${what}`, send(withBody(call, bytes)))
    await judgeWaiting()
  }
  await heaviestGranted(client, judge)
  return { faults, kinds }
}

async function callOf(name: string, person: Person): Promise<Call> {
  const { call } = await prepare(name, person)
  const isOfAccount = name.includes(' /v1/')
  return isOfAccount ? { token: person.owner.token, ...call } : call
}

const withBody = ({ json: _, headers, ...call }: Call, body: Uint8Array): Call => ({
  ...call,
  body,
  headers: { ...headers, 'content-type': 'application/json' },
})
