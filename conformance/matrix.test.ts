/** Every operation answers every kind of caller as `matrix.ts` says, and a refused caller has changed nothing. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { type Call, json } from './call.ts'
import { deletedAccountToken, endedToken, revokedToken } from './callers.ts'
import type { Client } from './client.ts'
import { answerOf } from './expect.ts'
import { answerTo, CALLERS, type Caller, type Entry, MATRIX } from './matrix.ts'
import { type Person, personFrom, prepare } from './matrixCalls.ts'
import { connect, NEEDS_OWN_SERVER, newServer } from './server.ts'
import { asOwner, newOpaqueId, type Owner, signIn, signUp } from './world.ts'

const AT_A_TIME = 8

const server = await connect()
const declared = server.document.operations.map(({ name }) => name)
/** In the order of the matrix. Another test compares its operations with the document. */
const asked = Object.keys(MATRIX).filter((name) => declared.includes(name))

/** One operation of the matrix, for all callers. */
interface Cell {
  readonly caller: Caller
  readonly name: string
  readonly expected: string
  readonly call: Call
}

/** Callers that all account operations refuse. Another account too, when it names the owner's data. */
const REFUSED_CALLERS: readonly Caller[] = ['none', 'guest', 'expired', 'ended', 'revoked', 'deleted']

interface World {
  readonly client: Client
  /** The accounts and links of the callers. */
  readonly people: Readonly<Record<'owner' | 'other' | 'suspended', Person>>
  /** The token of each caller. */
  readonly tokens: Readonly<Record<Caller, string | undefined>>
  suspend(): Promise<void>
}

/** One server that is started twice: access tokens are short-lived at first, so that one can expire. */
async function newWorld(): Promise<World> {
  const server = await newServer({ ACCESS_TOKEN_SECONDS: '1', LOG_LEVEL: 'warn' })
  const shortLived = await signUp(server.client)
  const client = await server.restart({ ACCESS_TOKEN_SECONDS: '900' })
  const isOver = async () => (await asOwner({ ...shortLived, client }, 'GET', '/v1/quota')).status === 401
  await until(isOver, 'the token expires')
  const owner = await signIn({ ...shortLived, client })
  const suspended = await personFrom(await signUp(client))
  const people = {
    owner: await personFrom(owner),
    other: await personFrom(await signUp(client)),
    // A caller that may not change the key keeps it.
    suspended: { ...suspended, nextKey: suspended.owner.key },
  }
  const tokens = {
    none: undefined,
    guest: people.owner.link.opaqueId,
    expired: shortLived.token,
    ended: await endedToken(owner),
    revoked: await revokedToken(owner),
    deleted: await deletedAccountToken(client),
    other: people.other.owner.token,
    owner: owner.token,
    suspended: people.suspended.owner.token,
  }
  const suspend = async () => void (await server.operate('account', 'suspend', people.suspended.owner.email))
  return { client, people, tokens, suspend }
}

/** A request with data of its own. */
async function newCell({ people, tokens }: World, name: string, caller: Caller): Promise<Cell> {
  const entry = entryOf(name)
  const isOwn = caller === 'suspended' || (caller === 'other' && entry.other === undefined)
  const { call, token } = await prepare(name, isOwn ? people[caller] : people.owner)
  const opaqueId = entry.asks === 'link' ? otherLink() : undefined
  return {
    caller,
    name,
    expected: expectedOf(name, caller),
    call: {
      ...call,
      path: opaqueId === undefined ? call.path : call.path.replace(/[0-9a-f]{32}/, opaqueId),
      token: (isOwn || caller === 'owner' ? token : undefined) ?? tokens[caller],
    },
  }

  /** Replacements for the link of the owner. */
  function otherLink(): string | undefined {
    if (caller === 'none') return newOpaqueId()
    return caller === 'other' && !isOwn ? people.other.link.opaqueId : undefined
  }
}

/** The same request from these callers. */
const askedBy = ({ tokens }: World, callers: readonly Caller[], { name, call }: Cell): readonly Cell[] =>
  callers.map((caller) => ({
    caller,
    name,
    expected: expectedOf(name, caller),
    call: { ...call, token: tokens[caller] },
  }))

function entryOf(name: string): Entry {
  const entry = MATRIX[name]
  assert.ok(entry !== undefined, `matrix.ts has no entry for ${name}`)
  return entry
}

/** The answer to a HEAD has no body and therefore no code. */
function expectedOf(name: string, caller: Caller): string {
  const answer = answerTo(caller, entryOf(name))
  return name.startsWith('HEAD ') ? answer.slice(0, 3) : answer
}

/** Runs `atOnce` items at a time, one by default. The results are in the order of the items. */
async function each<Item, Result>(
  items: readonly Item[],
  make: (item: Item) => Promise<Result>,
  atATime = 1,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = [...items.entries()].reverse()
  const lane = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) results[next[0]] = await make(next[1])
  }
  await Promise.all(Array.from({ length: atATime }, lane))
  return results
}

/** Describes the answers that differ from the expected ones. */
async function wrongAmong({ client }: World, cells: readonly Cell[], atATime = 1): Promise<readonly string[]> {
  const ask = async ({ caller, name, expected, call }: Cell) => {
    const answer = answerOf(await client.send(call))
    return answer === expected ? [] : [`${name} by ${caller}: expected ${expected}, was ${answer}`]
  }
  return (await each(cells, ask, atATime)).flat()
}

/** Everything that an owner sees of the account, as text, by operation. */
async function allOf(owner: Owner): Promise<ReadonlyMap<string, string>> {
  const lists = asked.filter((name) => /^GET \/v1\/(?!events|version)[^{]*$/.test(name))
  const asText = (value: unknown) => JSON.stringify(value, (name, each) => (name === 'last_used_at' ? undefined : each))
  const replies = await each(lists, (name) => asOwner(owner, 'GET', name.slice('GET '.length)))
  return new Map(lists.map((name, index) => [name, asText(json(replies[index] ?? assert.fail(name)))]))
}

// Covers: Authorization
describe('the authorization matrix', { skip: NEEDS_OWN_SERVER }, () => {
  it('has an entry for exactly the operations of the document', () => {
    const missing = declared.filter((name) => MATRIX[name] === undefined)
    const unknown = Object.keys(MATRIX).filter((name) => !declared.includes(name))
    assert.deepEqual(missing, [], 'matrix.ts has no entry for these operations')
    assert.deepEqual(unknown, [], 'matrix.ts has entries for operations that the document does not have')
    for (const { name, bearer } of server.document.operations)
      assert.equal(bearer, entryOf(name).asks === 'account', `the credential of ${name} in the document`)
  })

  it('holds for every operation and every kind of caller, and a refused caller has changed nothing', async () => {
    const world = await newWorld()
    const { owner } = world.people.owner
    const cells = (names: readonly string[], callers: readonly Caller[]) => {
      const pairs = names.flatMap((name) => callers.map((caller) => ({ name, caller })))
      return each(pairs, ({ name, caller }) => newCell(world, name, caller), AT_A_TIME)
    }
    const ofAccounts = asked.filter((name) => entryOf(name).asks === 'account')
    const withoutAccount = asked.filter((name) => entryOf(name).asks !== 'account')
    const suspended = await cells(asked, ['suspended'])
    const others = CALLERS.filter((caller) => caller !== 'suspended')
    const wrong = [...(await wrongAmong(world, await cells(withoutAccount, others), AT_A_TIME))]

    const ofOwner = await cells(ofAccounts, ['owner'])
    const before = await allOf(owner)
    const refused = ofOwner.flatMap((cell) => {
      const isNamed = entryOf(cell.name).other !== undefined
      return askedBy(world, isNamed ? [...REFUSED_CALLERS, 'other'] : REFUSED_CALLERS, cell)
    })
    wrong.push(...(await wrongAmong(world, refused, AT_A_TIME)))
    for (const [name, shown] of await allOf(owner))
      if (shown !== before.get(name)) wrong.push(`${name} shows a change by a caller that should be refused`)

    const ofOther = await cells(
      ofAccounts.filter((name) => entryOf(name).other === undefined),
      ['other'],
    )
    wrong.push(...(await wrongAmong(world, ofOther)), ...(await wrongAmong(world, ofOwner)))
    await world.suspend()
    wrong.push(...(await wrongAmong(world, suspended)))
    assert.deepEqual(wrong, [])
  })
})
