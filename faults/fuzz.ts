/** R8: valid and malformed requests to every operation, from every kind of caller. Every answer is declared in the document, and the data stays consistent. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Reply } from '../conformance/call.ts'
import { endedToken, revokedToken } from '../conformance/callers.ts'
import { type Client, createClient } from '../conformance/client.ts'
import { answerOf } from '../conformance/expect.ts'
import { type Person, personFrom, prepare } from '../conformance/matrixCalls.ts'
import { asOwner, type Owner, signIn, signUp } from '../conformance/world.ts'
import { type RunningServer, startServer } from '../testing/startServer.ts'
import { bent, type Command, requestOf } from './fuzz/requests.ts'
import type { Json, Maker } from './fuzz/values.ts'
import { type Counted, createWatch, pathOf, type Watch } from './fuzz/watch.ts'
import { FAULT_ENV } from './load.ts'
import { createOracle } from './oracle.ts'
import { createRandom, type Random } from './random.ts'
import type { SharedOptions } from './report.ts'
import { loggedBy } from './report.ts'

interface FuzzRun extends SharedOptions {
  readonly commands: number
}

/** `requests` counts the commands and the requests that prepared them. */
interface FuzzReport extends Counted {
  readonly faults: readonly string[]
  readonly commands: number
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
const MAX_FAULTS = 20
const POLL_MS = 50

interface Accounts {
  readonly owner: Person
  readonly other: Person
  readonly tokens: Readonly<Record<Caller, string | undefined>>
}

interface Fuzzing {
  readonly watch: Watch
  readonly maker: Maker
  /** An account whose access token expires one second after its issue. */
  readonly shortLived: Owner
  /** Number of sent commands. */
  sent: number
}

export async function runFuzz({ seed, commands, print }: FuzzRun): Promise<FuzzReport> {
  const server = await startServer({ env: { ...FAULT_ENV, ACCESS_TOKEN_SECONDS: '1' } })
  try {
    const shortLived = await signUp(await createClient(server.url))
    await server.restart({ ACCESS_TOKEN_SECONDS: FAULT_ENV.ACCESS_TOKEN_SECONDS })
    const fuzzing = await newFuzzing(await createClient(server.url), shortLived)
    const { faults, counted } = fuzzing.watch
    const random = createRandom(seed)
    for (let from = 0; from < commands && faults.length < MAX_FAULTS; from += COMMANDS_PER_ACCOUNTS) {
      await sendCommands(fuzzing, { random, from, to: Math.min(from + COMMANDS_PER_ACCOUNTS, commands) })
      print(`${Math.min(from + COMMANDS_PER_ACCOUNTS, commands)} of ${commands} commands`)
    }
    const report = { commands: fuzzing.sent, ...counted() }
    return { ...report, faults: [...faults, ...(await afterwards(server))], log: loggedBy(server.log()) }
  } finally {
    await server.stop()
  }
}

async function newFuzzing(client: Client, shortLived: Owner): Promise<Fuzzing> {
  const watch = createWatch(client)
  const root: Json = JSON.parse((await client.send({ method: 'GET', path: '/openapi.json' })).body.toString())
  return { watch, maker: { root, pool: watch.pool }, shortLived: { ...shortLived, client: watch.client }, sent: 0 }
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
    : requestOf(maker, random, operation)
  if (made === undefined) return undefined
  const call = { ...made, token: accounts.tokens[caller] }
  return random.chance(BENT_CHANCE) ? bent(random, call) : { call, isPathBent: false, isTokenBent: false }
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
