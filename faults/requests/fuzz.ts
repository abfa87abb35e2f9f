/**
 * R8: valid and malformed requests to every operation, from every kind of caller. Every answer is declared in the
 * document, the data stays consistent, and no request holds the server's event loop for long.
 */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Call, Reply } from '../../conformance/call.ts'
import { endedToken, revokedToken } from '../../conformance/callers.ts'
import { type Client, createClient } from '../../conformance/client.ts'
import type { DeclaredOperation } from '../../conformance/document.ts'
import { answerOf } from '../../conformance/expect.ts'
import { type Person, personFrom, prepare } from '../../conformance/matrixCalls.ts'
import { newKey, proved } from '../../conformance/proving.ts'
import { asOwner, type Owner, signIn, signUp } from '../../conformance/world.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { FAULT_ENV } from '../harness/load.ts'
import { createOracle } from '../harness/oracle.ts'
import { createRandom, type Random } from '../harness/random.ts'
import type { SharedOptions } from '../harness/report.ts'
import { loggedBy } from '../harness/report.ts'
import { runHeavy } from './fuzz/heavy.ts'
import { createLoopWatch, type LoopWatch, watchedEnv } from './fuzz/loop.ts'
import { bent, type Command, requestOf } from './fuzz/requests.ts'
import { type Json, type Maker, record } from './fuzz/values.ts'
import { type Counted, createWatch, pathOf, type Watch } from './fuzz/watch.ts'

interface FuzzRun extends SharedOptions {
  readonly commands: number
}

/** `requests` counts the commands and the requests that prepared them. */
interface FuzzReport extends Counted {
  readonly faults: readonly string[]
  readonly commands: number
  /** Kinds of heavy requests, each of which was sent alone. */
  readonly heavyKinds: number
  /** The longest turn of the server's event loop, and the request that caused it. */
  readonly longestTurn: string
  readonly log: string
}

const CALLERS = ['none', 'guest', 'owner', 'other', 'expired', 'ended', 'revoked'] as const
type Caller = (typeof CALLERS)[number]
/** Every operation of an account answers 401 to them. */
const STRANGERS: readonly Caller[] = ['none', 'guest', 'expired', 'ended', 'revoked']
const AT_ONCE = 8
/** Then new accounts take over, so that lists stay short. */
const COMMANDS_PER_ACCOUNTS = 2_000
const PREPARED_CHANCE = 0.15
const BENT_CHANCE = 0.5
const UNSIGNED_CHANCE = 0.1
const OTHER_KEY_CHANCE = 0.4
const MAX_FAULTS = 20
const POLL_MS = 50

interface Accounts {
  readonly owner: Person
  readonly other: Person
  readonly tokens: Readonly<Record<Caller, string | undefined>>
}

interface Fuzzing {
  readonly watch: Watch
  readonly loop: LoopWatch
  readonly maker: Maker
  /** An account whose access token expires one second after its issue. */
  readonly shortLived: Owner
  /** Number of sent commands. */
  sent: number
}

export async function runFuzz({ seed, commands, print }: FuzzRun): Promise<FuzzReport> {
  const turns = await mkdtemp(join(tmpdir(), 'blindkeep-turns-'))
  const turnsFile = join(turns, 'turns')
  await writeFile(turnsFile, '')
  const server = await startServer({ env: { ...FAULT_ENV, ...watchedEnv(turnsFile), ACCESS_TOKEN_SECONDS: '1' } })
  try {
    const shortLived = await signUp(await createClient(server.url))
    await server.restart({ ACCESS_TOKEN_SECONDS: FAULT_ENV.ACCESS_TOKEN_SECONDS })
    const client = await createClient(server.url)
    const loop = createLoopWatch(turnsFile, pinging(server.url))
    const fuzzing = await newFuzzing(client, { shortLived, loop })
    const { faults, counted } = fuzzing.watch
    const random = createRandom(seed)
    for (let from = 0; from < commands && faults.length < MAX_FAULTS; from += COMMANDS_PER_ACCOUNTS) {
      await sendCommands(fuzzing, { random, from, to: Math.min(from + COMMANDS_PER_ACCOUNTS, commands) })
      await judgeSuspects(fuzzing)
      print(`${Math.min(from + COMMANDS_PER_ACCOUNTS, commands)} of ${commands} commands`)
    }
    const heavy = await runHeavy({ client, loop })
    print(`${heavy.kinds} kinds of heavy requests`)
    const { name, workedMs } = loop.longest()
    const longestTurn = `${workedMs.toFixed(0)} of at most ${loop.maxMs.toFixed(0)} ms: ${name}`
    const report = { commands: fuzzing.sent, heavyKinds: heavy.kinds, longestTurn, ...counted() }
    const all = [...faults, ...heavy.faults, ...(await afterwards(server))]
    return { ...report, faults: all, log: loggedBy(server.log()) }
  } finally {
    await server.stop()
    await rm(turns, { recursive: true, force: true })
  }
}

/** By itself, because the suite's client judges each answer, and this is most of the requests. */
function pinging(url: string): () => Promise<unknown> {
  const agent = new Agent({ keepAlive: true })
  return async () => {
    const [answer]: IncomingMessage[] = await once(get(`${url}/healthz`, { agent }), 'response')
    if (answer !== undefined) await once(answer.resume(), 'end')
  }
}

async function newFuzzing(
  client: Client,
  { shortLived, loop }: { readonly shortLived: Owner; readonly loop: LoopWatch },
): Promise<Fuzzing> {
  const noted = { ...client, send: (call: Call) => loop.note(call, () => client.send(call)) }
  const watch = createWatch(noted)
  const root: Json = JSON.parse((await client.send({ method: 'GET', path: '/openapi.json' })).body.toString())
  const maker = { root, pool: watch.pool }
  return { watch, loop, maker, shortLived: { ...shortLived, client: watch.client }, sent: 0 }
}

/** Sends again, alone, what was under way when the server did nothing else for too long. */
async function judgeSuspects({ watch: { client, fault }, loop }: Fuzzing): Promise<void> {
  for (const call of await loop.suspects()) {
    const workedMs = await loop.measure(`${call.method} ${call.path.slice(0, 80)}`, () =>
      client.send(call).catch(() => undefined),
    )
    if (workedMs > loop.maxMs) fault(call, `held the event loop for ${workedMs.toFixed(0)} ms`)
  }
}

/** The server must still answer, exit with 0 and leave consistent data. */
async function afterwards(server: RunningServer): Promise<readonly string[]> {
  const isReady = await fetch(`${server.url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
  const exitCode = await server.terminate()
  return [
    ...(isReady ? [] : ['the server no longer answers']),
    ...(exitCode === 0 ? [] : [`the server ended with ${exitCode}`]),
    ...(await createOracle(server.dataDir).examine()),
  ]
}

async function newAccounts({ watch: { client }, shortLived }: Fuzzing): Promise<Accounts> {
  const [owner, other] = [await personFrom(await signUp(client)), await personFrom(await signUp(client))]
  while ((await asOwner(shortLived, 'GET', '/v1/quota')).status !== 401) await wait(POLL_MS)
  const present = await signIn(shortLived)
  const tokens = {
    none: undefined,
    guest: owner.link.opaqueId,
    owner: owner.owner.token,
    other: other.owner.token,
    expired: shortLived.token,
    ended: await endedToken(present),
    revoked: await revokedToken(present),
  }
  return { owner, other, tokens }
}

/** Several commands at a time, each with its own random source. */
async function sendCommands(
  fuzzing: Fuzzing,
  { random, from, to }: { random: Random; from: number; to: number },
): Promise<void> {
  const { client, faults } = fuzzing.watch
  let accounts = await newAccounts(fuzzing)
  let next = from
  const player = async () => {
    while (next < to && faults.length < MAX_FAULTS) {
      const own = random.fork(String(next++))
      const caller = own.pick(CALLERS)
      const command = await commandOf(fuzzing, accounts, { caller, random: own })
      if (command === undefined) continue
      fuzzing.sent++
      const reply = await client.send(command.call).catch(() => undefined)
      if (reply === undefined) continue
      judgeStranger(fuzzing.watch, { caller, command, reply })
      if (answerOf(reply) === '401 auth.session_expired' && !STRANGERS.includes(caller))
        accounts = await newAccounts(fuzzing)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, player))
}

/** Undefined when its subject cannot be prepared, for example because an earlier command deleted the account. */
async function commandOf(
  { watch, maker }: Fuzzing,
  accounts: Accounts,
  { caller, random }: { readonly caller: Caller; readonly random: Random },
): Promise<Command | undefined> {
  const operation = random.pick(watch.client.document.operations)
  const whose = caller === 'other' ? accounts.other : accounts.owner
  const made = random.chance(PREPARED_CHANCE)
    ? await prepare(operation.name, whose).then(
        ({ call }) => call,
        () => undefined,
      )
    : await signed(watch, requestOf(maker, random, operation), { operation, owner: whose.owner, random })
  if (made === undefined) return undefined
  const call = { ...made, token: accounts.tokens[caller] }
  return random.chance(BENT_CHANCE) ? bent(random, call) : { call, isPathBent: false, isTokenBent: false }
}

/** With a right proof, where one is asked for: of the owner's key, or of another one. */
async function signed(
  { client }: Watch,
  call: Call,
  {
    operation,
    owner,
    random,
  }: { readonly operation: DeclaredOperation; readonly owner: Owner; readonly random: Random },
): Promise<Call> {
  if (!operation.proves || random.chance(UNSIGNED_CHANCE)) return call
  const { proof: _, ...json } = record(call.json)
  const key = random.chance(OTHER_KEY_CHANCE) ? newKey(Buffer.from(random.hex(32), 'hex')) : owner.key
  return proved(client, key, { ...call, json })
}

/** A request from a stranger is answered 401, whatever else is wrong with it. */
function judgeStranger(
  { client, fault }: Watch,
  { caller, command, reply }: { readonly caller: Caller; readonly command: Command; readonly reply: Reply },
): void {
  const { call, isPathBent, isTokenBent } = command
  if (isPathBent || isTokenBent || !STRANGERS.includes(caller)) return
  const isOfAccount = client.document.find(call.method, pathOf(call))?.bearer === true
  if (isOfAccount && reply.status !== 401) fault(call, `${caller} was answered ${answerOf(reply)}`)
}
