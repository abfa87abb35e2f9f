/** Whether an e-mail has an account, by bytes and time, for each operation with any e-mail. */
import type { Reply } from '../../../conformance/call.ts'
import { fingerprint } from '../../../conformance/expect.ts'
import { newKey } from '../../../conformance/proving.ts'
import { provedBody } from '../../../testing/proving.ts'
import type { Random } from '../../harness/random.ts'
import { type Ask, overOneConnection } from './timed.ts'
import { MAX_T, medianOf, type Welch, welch } from './welch.ts'

/** Below the attempt limits of an account: 100 wrong keys in 15 minutes. */
const ATTEMPTS_PER_EMAIL = 90
const WARM_UP_ROUNDS = 100
/** The size of a sealed account key: 32 bytes in one segment, behind one header block. */
const SEALED_BYTES = 1138

interface Operation {
  readonly name: string
  readonly path: string
  readonly members: (email: string, random: Random) => Record<string, unknown>
  /** With a right proof of a key that no account has. */
  readonly proves?: true
  /** The member whose value differs from e-mail to e-mail and always has the same length. */
  readonly varies?: 'salt' | 'sealed_recovery_key'
}

const base64 = (random: Random, bytes: number) => Buffer.from(random.hex(bytes), 'hex').toString('base64')
const keyOf = (random: Random) => newKey(Buffer.from(random.hex(32), 'hex'))

const OPERATIONS: readonly Operation[] = [
  { name: 'kdf', path: '/v1/auth/kdf', members: (email) => ({ email }), varies: 'salt' },
  { name: 'login', path: '/v1/auth/login', members: (email) => ({ email }), proves: true },
  {
    name: 'recover/start',
    path: '/v1/auth/recover/start',
    members: (email) => ({ email }),
    varies: 'sealed_recovery_key',
  },
  {
    name: 'recover/finish',
    path: '/v1/auth/recover/finish',
    members: (email, random) => ({ email, sign_in_key: keyOf(random).shown }),
    proves: true,
  },
]

interface Measured {
  readonly known: number[]
  readonly unknown: number[]
}

export interface EmailReport {
  readonly faults: readonly string[]
  readonly times: Readonly<Record<string, Welch & { readonly knownMs: number; readonly unknownMs: number }>>
}

interface Asking {
  readonly url: string
  readonly samples: number
  readonly random: Random
}

/** Each round calls all operations with both kinds, in random order, over one connection. */
export async function askForEmails({ url, samples, random }: Asking): Promise<EmailReport> {
  const rounds = samples + WARM_UP_ROUNDS
  const count = Math.ceil(rounds / ATTEMPTS_PER_EMAIL)
  const emails = Array.from({ length: 2 * count }, () => `${random.hex(8)}@example.org`)
  const [known, unknown] = [emails.slice(0, count), emails.slice(count)]
  const measured = new Map(OPERATIONS.map(({ name }): [string, Measured] => [name, { known: [], unknown: [] }]))
  const answers = new Map(OPERATIONS.map(({ name }) => [name, new Set<string>()]))

  await overOneConnection(url, async (ask) => {
    for (const email of known) await register(url, ask, { email, random })
    for (let round = 0; round < rounds; round += 1) {
      for (const { operation, kind } of shuffled(random)) {
        const email = (kind === 'known' ? known : unknown)[round % count] ?? ''
        const { reply, ms } = await ask('POST', operation.path, await bodyOf(url, operation, { email, random }))
        if (round >= WARM_UP_ROUNDS) measured.get(operation.name)?.[kind].push(ms)
        answers.get(operation.name)?.add(lookOf(reply, operation))
      }
    }
  })
  return reportOf(measured, answers)
}

interface Stranger {
  readonly email: string
  readonly random: Random
}

async function bodyOf(url: string, { path, members, proves }: Operation, { email, random }: Stranger): Promise<object> {
  const given = members(email, random)
  return proves === true ? provedBody(url, path, { members: given, key: keyOf(random) }) : given
}

function shuffled(random: Random) {
  const kinds = ['known', 'unknown'] as const
  const asks = OPERATIONS.flatMap((operation) => kinds.map((kind) => ({ operation, kind, order: random.fraction() })))
  return asks.toSorted((one, other) => one.order - other.order)
}

function reportOf(
  measured: ReadonlyMap<string, Measured>,
  answers: ReadonlyMap<string, ReadonlySet<string>>,
): EmailReport {
  const faults: string[] = []
  const times: Record<string, EmailReport['times'][string]> = {}
  for (const [name, { known, unknown }] of measured) {
    const { t, tCropped } = welch(known, unknown)
    times[name] = { t, tCropped, knownMs: medianOf(known), unknownMs: medianOf(unknown) }
    for (const [what, value] of Object.entries({ t, 't without the slowest': tCropped }))
      if (!(Math.abs(value) < MAX_T))
        faults.push(`${name}: ${what} is ${value.toFixed(2)}: the time reveals who has an account`)
    const looks = [...(answers.get(name) ?? [])]
    if (looks.length !== 1) faults.push(`${name}: the answers differ:\n${looks.join('\n----\n')}`)
  }
  return { faults, times }
}

/** With every optional member, so that every column of the row has a value. */
async function register(url: string, ask: Ask, { email, random }: Stranger): Promise<void> {
  const path = '/v1/auth/register'
  const members = {
    email,
    kdf_version: 1,
    salt: base64(random, 16),
    sealed_account_key: base64(random, SEALED_BYTES),
    sealed_recovery_key: base64(random, SEALED_BYTES),
    recovery_key: keyOf(random).shown,
  }
  const { reply } = await ask('POST', path, await provedBody(url, path, { members, key: keyOf(random) }))
  if (reply.status !== 201) throw new Error(`an account was answered ${reply.status} ${reply.body}`)
}

/** Everything that a stranger sees, except the value that may differ. */
function lookOf(reply: Reply, { varies }: Operation): string {
  const look = fingerprint(reply)
  if (varies === undefined || reply.status !== 200) return look
  const value = String(JSON.parse(reply.body.toString())[varies])
  return look.replace(value, `${value.length} characters`)
}
