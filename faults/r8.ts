/** Every operation, asked by everybody, rightly and wrongly: nothing that the document does not declare is answered, and what is kept stays whole. */
import { setTimeout as wait } from 'node:timers/promises'
import { endedToken, revokedToken } from '../conformance/callers.ts'
import { type Client, createClient, type Reply } from '../conformance/client.ts'
import { said } from '../conformance/expect.ts'
import { type Person, personFrom, prepare } from '../conformance/matrixCalls.ts'
import { asOwner, type Owner, signIn, signUp } from '../conformance/world.ts'
import { type RunningServer, startServer } from '../testing/startServer.ts'
import { bent, type Command, requestOf } from './fuzz/requests.ts'
import type { Json, Maker } from './fuzz/values.ts'
import { type Counted, createWatch, pathOf, type Watch } from './fuzz/watch.ts'
import { FAULT_ENV } from './load.ts'
import { createOracle } from './oracle.ts'
import { loggedBy } from './r2.ts'
import { createRandom, type Random } from './random.ts'
import type { SharedOptions } from './runs.ts'

interface FuzzRun extends SharedOptions {
  readonly commands: number
}

/** Its requests are commands, and those that made what commands are about. */
interface FuzzReport extends Counted {
  readonly faults: readonly string[]
  readonly commands: number
  readonly log: string
}

const CALLERS = ['none', 'guest', 'owner', 'other', 'expired', 'ended', 'revoked'] as const
type Caller = (typeof CALLERS)[number]
/** Nothing of an account's is for them. */
const STRANGERS: readonly Caller[] = ['none', 'guest', 'expired', 'ended', 'revoked']
const AT_ONCE = 8
/** Then others play, so that nobody's lists become long. */
const COMMANDS_OF_A_CAST = 2_000
const GRANTED_CHANCE = 0.15
const BENT_CHANCE = 0.5
const MAX_FAULTS = 20
const POLL_MS = 50

interface Cast {
  readonly owner: Person
  readonly other: Person
  readonly tokens: Readonly<Record<Caller, string | undefined>>
}

interface Game {
  readonly watch: Watch
  readonly maker: Maker
  /** Their access token is over a second after it was issued. */
  readonly brief: Owner
  /** Commands that were sent. */
  played: number
}

export async function runR8({ seed, commands, tell }: FuzzRun): Promise<FuzzReport> {
  const server = await startServer({ env: { ...FAULT_ENV, ACCESS_TOKEN_SECONDS: '1' } })
  try {
    const brief = await signUp(await createClient(server.url))
    await server.restart({ ACCESS_TOKEN_SECONDS: FAULT_ENV.ACCESS_TOKEN_SECONDS })
    const game = await newGame(await createClient(server.url), brief)
    const { faults, counted } = game.watch
    const random = createRandom(seed)
    for (let from = 0; from < commands && faults.length < MAX_FAULTS; from += COMMANDS_OF_A_CAST) {
      await play(game, { random, from, to: Math.min(from + COMMANDS_OF_A_CAST, commands) })
      tell(`${Math.min(from + COMMANDS_OF_A_CAST, commands)} of ${commands} commands`)
    }
    const report = { commands: game.played, ...counted() }
    return { ...report, faults: [...faults, ...(await afterwards(server))], log: loggedBy(server.log()) }
  } finally {
    await server.stop()
  }
}

async function newGame(client: Client, brief: Owner): Promise<Game> {
  const watch = createWatch(client)
  const root: Json = JSON.parse((await client.send({ method: 'GET', path: '/openapi.json' })).body.toString())
  return { watch, maker: { root, pool: watch.pool }, brief: { ...brief, client: watch.client }, played: 0 }
}

/** It lives, ends as it should, and what it leaves is whole. */
async function afterwards(server: RunningServer): Promise<readonly string[]> {
  const isReady = await fetch(`${server.url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
  const exitCode = await server.terminate()
  return [
    ...(isReady ? [] : ['the server does not answer any more']),
    ...(exitCode === 0 ? [] : [`the server ended with ${exitCode}`]),
    ...(await createOracle(server.dataDir).examine()),
  ]
}

async function newCast({ watch: { client }, brief }: Game): Promise<Cast> {
  const [owner, other] = [await personFrom(await signUp(client)), await personFrom(await signUp(client))]
  while ((await asOwner(brief, 'GET', '/v1/quota')).status !== 401) await wait(POLL_MS)
  const present = await signIn(brief)
  const tokens = {
    none: undefined,
    guest: owner.link.opaqueId,
    owner: owner.owner.token,
    other: other.owner.token,
    expired: brief.token,
    ended: await endedToken(present),
    revoked: await revokedToken(present),
  }
  return { owner, other, tokens }
}

/** Several commands at a time, each with random of its own. */
async function play(game: Game, { random, from, to }: { random: Random; from: number; to: number }): Promise<void> {
  const { client, faults } = game.watch
  let cast = await newCast(game)
  let next = from
  const player = async () => {
    while (next < to && faults.length < MAX_FAULTS) {
      const own = random.fork(String(next++))
      const caller = own.pick(CALLERS)
      const command = await commandOf(game, cast, { caller, random: own })
      if (command === undefined) continue
      game.played++
      const reply = await client.send(command.call).catch(() => undefined)
      if (reply === undefined) continue
      judgeStranger(game.watch, { caller, command, reply })
      if (said(reply) === '401 auth.session_expired' && !STRANGERS.includes(caller)) cast = await newCast(game)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, player))
}

/** Undefined when what it is about cannot be made, as when a command before has ended the account. */
async function commandOf(
  { watch, maker }: Game,
  cast: Cast,
  { caller, random }: { readonly caller: Caller; readonly random: Random },
): Promise<Command | undefined> {
  const operation = random.pick(watch.client.document.operations)
  const whose = caller === 'other' ? cast.other : cast.owner
  const made = random.chance(GRANTED_CHANCE)
    ? await prepare(operation.name, whose).then(
        ({ call }) => call,
        () => undefined,
      )
    : requestOf(maker, random, operation)
  if (made === undefined) return undefined
  const call = { ...made, token: cast.tokens[caller] }
  return random.chance(BENT_CHANCE) ? bent(random, call) : { call, isPathBent: false, isTokenBent: false }
}

/** Whatever else is wrong with a request: who asks is looked at first. */
function judgeStranger(
  { client, fault }: Watch,
  { caller, command, reply }: { readonly caller: Caller; readonly command: Command; readonly reply: Reply },
): void {
  const { call, isPathBent, isTokenBent } = command
  if (isPathBent || isTokenBent || !STRANGERS.includes(caller)) return
  const isOfAccount = client.document.find(call.method, pathOf(call))?.bearer === true
  if (isOfAccount && reply.status !== 401) fault(call, `${caller} was answered ${said(reply)}`)
}
