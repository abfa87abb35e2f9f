import { formatInstant, type Instant } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import type { Config } from '../config.ts'
import { openPresentStore } from '../data.ts'
import { type AccountStatus, createOperator, type LimitChanges, type Operator } from '../domain/account/operator.ts'
import { UNLIMITED } from '../domain/quota/quota.ts'
import { type Call, type Command, columns, type Outcome, UsageError } from './command.ts'
import { quotaOf } from './quota.ts'
import { parseSize, SIZE_FORMS, sizeText } from './sizes.ts'

const WITH_THE_SERVERS_SETTINGS =
  'Run it with the settings of the server: QUOTA_SOFT_BYTES, QUOTA_HARD_BYTES and QUOTA_GRACE_DAYS are read from the environment.'

/** What the operator does with accounts. The server may run meanwhile, and obeys from the next request on. */
export const accountCommands: readonly Command[] = [
  {
    name: 'account list',
    summary: 'Lists every account: whose it is, what it uses, and whether it is suspended.',
    details: [WITH_THE_SERVERS_SETTINGS],
    run: (call) => withOperator(call.config, list),
  },
  {
    name: 'account suspend',
    summary: 'Suspends an account: it reads and frees, and writes nothing.',
    details: [
      'Its links answer as if they were not there, to guests with files under way too. Nothing is lost: `account resume` ends it,',
      'and uploads go on where they stopped, unless they have run out meanwhile. <account> is an e-mail or an account_id.',
    ],
    takes: ['account'],
    run: ({ config, given: [named = ''] }) =>
      withOperator(config, async (operator) => {
        const { isChanged, ...standing } = present(await operator.suspend(named), named)
        const { email, suspendedAt } = standing.account
        const since = suspendedAt === undefined ? '' : ` since ${formatInstant(suspendedAt)}`
        return {
          lines: [isChanged ? `${email} is suspended now.` : `${email} has been suspended${since}: nothing to do.`],
          json: { ...jsonOf(standing), changed: isChanged },
        }
      }),
  },
  {
    name: 'account resume',
    summary: 'Ends the suspension of an account.',
    details: ['<account> is an e-mail or an account_id.'],
    takes: ['account'],
    run: ({ config, given: [named = ''] }) =>
      withOperator(config, async (operator) => {
        const { isChanged, ...standing } = present(await operator.resume(named), named)
        const { email } = standing.account
        return {
          lines: [isChanged ? `${email} is not suspended any more.` : `${email} is not suspended: nothing to do.`],
          json: { ...jsonOf(standing), changed: isChanged },
        }
      }),
  },
  {
    name: 'account reset-totp',
    summary: 'Takes away the second factor of an owner who has lost it.',
    details: [
      'Its backup codes go with it, and the next sign-in asks for the password alone. So be sure that it is the owner who asks, by some way',
      'that a stranger with the password does not have. <account> is an e-mail or an account_id.',
    ],
    takes: ['account'],
    run: ({ config, given: [named = ''] }) =>
      withOperator(config, async (operator) => {
        const { isChanged, ...standing } = present(await operator.resetSecondFactor(named), named)
        const { email } = standing.account
        const done = `${email} has no second factor any more: the password alone signs in. Tell its owner to turn on another.`
        return {
          lines: [isChanged ? done : `${email} has no second factor on: nothing to do.`],
          json: { ...jsonOf(standing), changed: isChanged },
        }
      }),
  },
  {
    name: 'account quota',
    summary: 'Shows what an account uses and may use, or gives it limits of its own.',
    details: [
      'A hard limit of its own takes the place of both limits of the deployment; without a soft one it is warned at the hard one.',
      'A hard limit at or below what it uses begins its grace; one above ends it. <account> is an e-mail or an account_id.',
      WITH_THE_SERVERS_SETTINGS,
    ],
    takes: ['account'],
    options: {
      soft: { value: 'SIZE', meaning: `Where the warning starts, ${SIZE_FORMS}; \`default\`: as for everybody.` },
      hard: {
        value: 'SIZE',
        meaning: 'Where uploads stop, in the same forms; `unlimited`: nowhere; `default`: as for everybody.',
      },
    },
    run: (call) => withOperator(call.config, (operator) => quota(operator, call)),
  },
]

async function withOperator(config: Config, work: (operator: Operator) => Promise<Outcome>): Promise<Outcome> {
  const store = await openPresentStore(config)
  try {
    return await work(createOperator({ store, clock: systemClock, quota: quotaOf(config) }))
  } finally {
    await store.close()
  }
}

async function list(operator: Operator): Promise<Outcome> {
  const standings: AccountStatus[] = []
  for await (const standing of operator.list()) standings.push(standing)
  const rows = standings.map(({ account, pendingDrops, quota: { used, hardLimit, state } }) => [
    account.email,
    account.suspendedAt === undefined ? 'active' : 'suspended',
    `${sizeText(used)} of ${limitText(hardLimit)}`,
    state,
    String(pendingDrops),
    formatInstant(account.createdAt),
    account.accountId,
  ])
  const heads = ['E-MAIL', 'STATE', 'USED', 'QUOTA', 'PENDING', 'CREATED', 'ACCOUNT']
  return {
    lines: rows.length === 0 ? ['There are no accounts.'] : columns([heads, ...rows]),
    json: { accounts: standings.map(jsonOf) },
  }
}

async function quota(operator: Operator, { config, given: [named = ''], option }: Call): Promise<Outcome> {
  const changes: LimitChanges = {
    softLimitBytes: limitOf('soft', option('soft')),
    hardLimitBytes: limitOf('hard', option('hard')),
  }
  const isChange = changes.softLimitBytes !== undefined || changes.hardLimitBytes !== undefined
  const answer = present(await (isChange ? operator.setLimits(named, changes) : operator.find(named)), named)
  if ('refused' in answer) {
    const { softLimitBytes, hardLimitBytes } = answer
    throw new UsageError(
      `the soft limit, ${softLimitBytes} bytes, has to be at most the hard one, ${hardLimitBytes} bytes`,
    )
  }
  const { quotaSoftBytes: soft, quotaHardBytes: hard, quotaGraceDays } = config
  return {
    lines: [
      ...quotaLines(answer),
      // Those of another environment than the server’s may have just begun a grace, or ended one.
      `The deployment’s limits, by this command’s settings: soft ${limitText(soft, exactly)}, hard ${limitText(hard, exactly)}, grace ${quotaGraceDays} days.`,
    ],
    json: { ...jsonOf(answer), deployment_limits: { soft, hard, grace_days: quotaGraceDays } },
  }
}

function limitOf(name: 'soft' | 'hard', text: string | undefined): number | 'default' | undefined {
  if (text === undefined || text === 'default') return text
  if (text === 'unlimited' && name === 'hard') return UNLIMITED
  const bytes = parseSize(text)
  if (bytes !== undefined) return bytes
  const words = name === 'hard' ? 'unlimited or default' : 'or default'
  throw new UsageError(`--${name} takes ${SIZE_FORMS}, ${words}; ${text} is none of them`)
}

function present<Answer>(answer: Answer | undefined, named: string): Answer {
  if (answer === undefined) throw new Error(`there is no account ${named}; \`account list\` lists them`)
  return answer
}

function quotaLines({ account, pendingDrops, quota: { used, softLimit, hardLimit, state, graceEnds } }: AccountStatus) {
  const origin = (own: number | undefined) => (own === undefined ? 'of the deployment' : 'of its own')
  const rows = [
    ['used', exactly(used)],
    ['soft limit', `${limitText(softLimit, exactly)}, ${origin(account.softLimitBytes ?? account.hardLimitBytes)}`],
    ['hard limit', `${limitText(hardLimit, exactly)}, ${origin(account.hardLimitBytes)}`],
    ['state', graceEnds === undefined ? state : `${state}, the grace ends ${formatInstant(graceEnds)}`],
    ['pending drops', String(pendingDrops)],
  ]
  return [account.email, ...columns(rows)]
}

function limitText(limit: number | undefined, shown = sizeText): string {
  return limit === undefined ? 'no limit' : shown(limit)
}

function exactly(bytes: number): string {
  return bytes < 1024 ? sizeText(bytes) : `${bytes} B (${sizeText(bytes)})`
}

function jsonOf({ account, pendingDrops, quota: { used, softLimit, hardLimit, state, graceEnds } }: AccountStatus) {
  const { softLimitBytes, hardLimitBytes } = account
  return {
    email: account.email,
    account_id: account.accountId,
    created_at: formatInstant(account.createdAt),
    state: account.suspendedAt === undefined ? 'active' : 'suspended',
    suspended_at: timeOf(account.suspendedAt),
    pending_drops: pendingDrops,
    quota: { used, soft_limit: softLimit, hard_limit: hardLimit, state, grace_ends: timeOf(graceEnds) },
    own_limits: { soft: softLimitBytes, hard: hardLimitBytes === UNLIMITED ? 'unlimited' : hardLimitBytes },
  }
}

function timeOf(instant: Instant | undefined): string | undefined {
  return instant && formatInstant(instant)
}
