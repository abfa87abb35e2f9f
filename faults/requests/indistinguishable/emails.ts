/** Whether an e-mail has an account, by bytes and time, for each operation with any e-mail. */
import type { Reply } from '../../../conformance/call.ts'
import { fingerprint } from '../../../conformance/expect.ts'
import type { Random } from '../../harness/random.ts'
import { type Ask, overOneConnection } from './timed.ts'
import { MAX_T, medianOf, type Welch, welch } from './welch.ts'

/** Below the attempt limits of an account: 100 wrong secrets and 100 wrong proofs in 15 minutes. */
const ATTEMPTS_PER_EMAIL = 90
const WARM_UP_ROUNDS = 100
/** The size of a sealed account key: 32 bytes in one segment, behind one header block. */
const SEALED_BYTES = 1138

interface Operation {
  readonly name: string
  readonly path: string
  body(email: string, random: Random): Record<string, unknown>
  /** A slow hash, two at a time. So two requests run at once, and nothing else is measured. */
  readonly isSlow?: true
  /** The member whose value differs from e-mail to e-mail and always has the same length. */
  readonly varies?: 'salt' | 'sealed_recovery_key'
}

const base64 = (random: Random, bytes: number) => Buffer.from(random.hex(bytes), 'hex').toString('base64')

const OPERATIONS: readonly Operation[] = [
  { name: 'kdf', path: '/v1/auth/kdf', body: (email) => ({ email }), varies: 'salt' },
  {
    name: 'login',
    path: '/v1/auth/login',
    body: (email, random) => ({ email, password: base64(random, 32) }),
    isSlow: true,
  },
  {
    name: 'recover/start',
    path: '/v1/auth/recover/start',
    body: (email) => ({ email }),
    varies: 'sealed_recovery_key',
  },
  {
    name: 'recover/finish',
    path: '/v1/auth/recover/finish',
    body: (email, random) => ({ email, recovery_proof: base64(random, 32), password: base64(random, 32) }),
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

/** Each round calls all operations with both kinds, in random order; quick ones over one connection. */
export async function askForEmails({ url, samples, random }: Asking): Promise<EmailReport> {
  const rounds = samples + WARM_UP_ROUNDS
  const count = Math.ceil(rounds / ATTEMPTS_PER_EMAIL)
  const emails = Array.from({ length: 2 * count }, () => `${random.hex(8)}@example.org`)
  const [known, unknown] = [emails.slice(0, count), emails.slice(count)]
  const measured = new Map(OPERATIONS.map(({ name }): [string, Measured] => [name, { known: [], unknown: [] }]))
  const answers = new Map(OPERATIONS.map(({ name }) => [name, new Set<string>()]))

  async function askInTurn(operations: readonly Operation[], lane: { readonly from: number; readonly step: number }) {
    await overOneConnection(url, async (ask) => {
      for (let round = lane.from; round < rounds; round += lane.step) {
        for (const { operation, kind } of shuffled(operations, random)) {
          const email = (kind === 'known' ? known : unknown)[round % count] ?? ''
          const { reply, ms } = await ask('POST', operation.path, operation.body(email, random))
          if (round >= WARM_UP_ROUNDS) measured.get(operation.name)?.[kind].push(ms)
          answers.get(operation.name)?.add(lookOf(reply, operation))
        }
      }
    })
  }

  await overOneConnection(url, async (ask) => {
    for (const email of known) await register(ask, email, random)
  })
  await askInTurn(
    OPERATIONS.filter(({ isSlow }) => isSlow !== true),
    { from: 0, step: 1 },
  )
  const slow = OPERATIONS.filter(({ isSlow }) => isSlow === true)
  await Promise.all([0, 1].map((from) => askInTurn(slow, { from, step: 2 })))
  return reportOf(measured, answers)
}

function shuffled(operations: readonly Operation[], random: Random) {
  const kinds = ['known', 'unknown'] as const
  const asks = operations.flatMap((operation) => kinds.map((kind) => ({ operation, kind, order: random.fraction() })))
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
async function register(ask: Ask, email: string, random: Random): Promise<void> {
  const { reply } = await ask('POST', '/v1/auth/register', {
    email,
    password: base64(random, 32),
    kdf_version: 1,
    salt: base64(random, 16),
    sealed_account_key: base64(random, SEALED_BYTES),
    sealed_recovery_key: base64(random, SEALED_BYTES),
    recovery_proof: base64(random, 32),
  })
  if (reply.status !== 201) throw new Error(`an account was answered ${reply.status} ${reply.body}`)
}

/** Everything that a stranger sees, except the value that may differ. */
function lookOf(reply: Reply, { varies }: Operation): string {
  const look = fingerprint(reply)
  if (varies === undefined || reply.status !== 200) return look
  const value = String(JSON.parse(reply.body.toString())[varies])
  return look.replace(value, `${value.length} characters`)
}
