import { parseSize, SIZE_FORMS, sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { formatInstant, type Instant } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { openPresentStore } from '../assembly/data.ts'
import type { Config } from '../config/config.ts'
import { type AccountStatus, createOperator, type LimitChanges, type Operator } from '../domain/closing/operator.ts'
import { UNLIMITED } from '../domain/quota/quota.ts'
import { createUploadEnding } from '../domain/uploads/uploadEnding.ts'
import { createWriters } from '../domain/uploads/writers.ts'
import { type Call, type Command, columns, type Outcome, UsageError, withOpen } from './command.ts'
import { requireConsent, YES } from './consent.ts'
import { quotaOf } from './quota.ts'

const NEEDS_SETTINGS =
  'Run it with the settings of the server: it reads QUOTA_SOFT_BYTES, QUOTA_HARD_BYTES and QUOTA_GRACE_DAYS from the environment.'
const ACCOUNT_FORMS = '<account> is an e-mail or an account_id.'

/** The operator's commands for accounts. The server may run; it follows a change from the next request on. */
export const accountCommands: readonly Command[] = [
  {
    name: 'account list',
    summary: 'Lists all accounts with their e-mail, usage and state.',
    details: [NEEDS_SETTINGS],
    run: (call) => withOperator(call.config, list),
  },
  {
    name: 'account suspend',
    summary: 'Suspends an account: it can read and delete, but not write.',
    details: [
      'Its links and shares answer as if they did not exist, also to guests who are uploading. Nothing is lost: `account resume` ends the',
      'suspension, and uploads continue where they stopped, unless they have expired.',
      ACCOUNT_FORMS,
    ],
    takes: ['account'],
    run: ({ config, given: [named = ''] }) =>
      withOperator(config, async (operator) => {
        const { isChanged, ...standing } = present(await operator.suspend(named), named)
        const { email, suspendedAt } = standing.account
        const since = suspendedAt === undefined ? '' : ` since ${formatInstant(suspendedAt)}`
        return {
          lines: [
            isChanged ? `${email} is now suspended.` : `${email} was already suspended${since}. Nothing changed.`,
          ],
          json: { ...jsonOf(standing), changed: isChanged },
        }
      }),
  },
  {
    name: 'account resume',
    summary: 'Ends the suspension of an account.',
    details: [ACCOUNT_FORMS],
    takes: ['account'],
    run: ({ config, given: [named = ''] }) =>
      withOperator(config, async (operator) => {
        const { isChanged, ...standing } = present(await operator.resume(named), named)
        const { email } = standing.account
        return {
          lines: [isChanged ? `${email} is no longer suspended.` : `${email} was not suspended. Nothing changed.`],
          json: { ...jsonOf(standing), changed: isChanged },
        }
      }),
  },
  {
    name: 'account reset-totp',
    summary: 'Removes the second factor of an owner who has lost it.',
    details: [
      'Its backup codes are removed too, and the next sign-in needs only the password. First make sure that the owner asks for it,',
      'by a way that an attacker with the password does not have.',
      ACCOUNT_FORMS,
    ],
    takes: ['account'],
    run: ({ config, given: [named = ''] }) =>
      withOperator(config, async (operator) => {
        const { isChanged, ...standing } = present(await operator.resetSecondFactor(named), named)
        const { email } = standing.account
        const done = `The second factor of ${email} is removed: the password is enough to sign in. Tell the owner to turn on another one.`
        return {
          lines: [isChanged ? done : `${email} has no second factor. Nothing changed.`],
          json: { ...jsonOf(standing), changed: isChanged },
        }
      }),
  },
  {
    name: 'account delete',
    summary: 'Deletes an account with everything in it.',
    details: [
      'Its sessions end at once, its links and shares answer as if they did not exist, and its bytes are removed: what is nowhere else is lost. The receipts',
      'stay valid. A server that runs begins within SWEEP_SECONDS, and keeps the bytes for GC_GRACE_SECONDS. Backups still have them. It is refused while a file',
      'is retained. To stop an account without losing anything: `account suspend`.',
      ACCOUNT_FORMS,
    ],
    takes: ['account'],
    options: { yes: YES },
    run: (call) => withOperator(call.config, (operator) => remove(operator, call)),
  },
  {
    name: 'account quota',
    summary: 'Shows the usage and limits of an account, or sets the account’s own limits.',
    details: [
      'A hard limit of its own replaces both limits of the server; without a soft limit, the account is warned at the hard one.',
      'A hard limit at or below its usage starts the grace period; one above its usage ends it.',
      ACCOUNT_FORMS,
      NEEDS_SETTINGS,
    ],
    takes: ['account'],
    options: {
      soft: {
        value: 'SIZE',
        meaning: `Usage from which the account is warned: ${SIZE_FORMS}; \`default\` is the limit of the server.`,
      },
      hard: {
        value: 'SIZE',
        meaning:
          'Usage from which uploads are refused, in the same forms; `unlimited`; `default` is the limit of the server.',
      },
    },
    run: (call) => withOperator(call.config, (operator) => quota(operator, call)),
  },
]

function withOperator(config: Config, work: (operator: Operator) => Promise<Outcome>): Promise<Outcome> {
  const ports = { clock: systemClock, quota: quotaOf(config) }
  return withOpen(openPresentStore(config), (store) => {
    // This process writes nothing, and the server notices by itself what is to be deleted.
    const ending = createUploadEnding({ ...ports, store, writers: createWriters(), onDeleting: () => undefined })
    return work(createOperator({ ...ports, store, ending }))
  })
}

async function remove(operator: Operator, call: Call): Promise<Outcome> {
  const [named = ''] = call.given
  const { account, pendingDrops, quota } = present(await operator.find(named), named)
  const { email, accountId } = account
  await requireConsent(call, {
    lines: [
      `This deletes ${email} (${accountId}): ${sizeText(quota.used)}, with ${countText(pendingDrops, 'drop')} in the inbox that were not adopted.`,
      'It cannot be undone.',
    ],
    word: email,
  })
  const outcome = present(await operator.remove(accountId), named)
  if ('refused' in outcome)
    throw new Error(
      outcome.refused === 'asset_retained'
        ? `${email} has a file that is protected from deletion, and the account with it: its owner sees until when. \`blindkeep-server account suspend\` stops it meanwhile`
        : `${email} has changed meanwhile. Look at it again`,
    )
  return {
    lines: [
      `${email} is deleted. The running server, or its next start, removes its bytes; a content on hold stays as long as the hold.`,
    ],
    json: { email, account_id: accountId, deleted: true },
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
      `the soft limit of ${softLimitBytes} bytes must be at most the hard limit of ${hardLimitBytes} bytes`,
    )
  }
  const { quotaSoftBytes: soft, quotaHardBytes: hard, quotaGraceDays } = config
  return {
    lines: [
      ...quotaLines(answer),
      // Settings that differ from the server's may just have started or ended a grace period.
      `The server’s limits, by the settings of this command: soft ${limitText(soft, exactly)}, hard ${limitText(hard, exactly)}, grace ${countText(quotaGraceDays, 'day')}.`,
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
  throw new UsageError(`--${name} takes ${SIZE_FORMS}, ${words}, not ${text}`)
}

function present<Answer>(answer: Answer | undefined, named: string): Answer {
  if (answer === undefined)
    throw new Error(`there is no account ${named}; \`blindkeep-server account list\` lists them`)
  return answer
}

function quotaLines({ account, pendingDrops, quota: { used, softLimit, hardLimit, state, graceEnds } }: AccountStatus) {
  const origin = (own: number | undefined) => (own === undefined ? 'of the server' : 'of its own')
  const rows = [
    ['used', exactly(used)],
    ['soft limit', `${limitText(softLimit, exactly)}, ${origin(account.softLimitBytes ?? account.hardLimitBytes)}`],
    ['hard limit', `${limitText(hardLimit, exactly)}, ${origin(account.hardLimitBytes)}`],
    ['state', graceEnds === undefined ? state : `${state}, the grace period ends ${formatInstant(graceEnds)}`],
    ['pending drops', String(pendingDrops)],
  ]
  return [account.email, ...columns(rows)]
}

function limitText(limit: number | undefined, shown = sizeText): string {
  return limit === undefined ? 'no limit' : shown(limit)
}

function exactly(bytes: number): string {
  return bytes < 1000 ? sizeText(bytes) : `${bytes} B (${sizeText(bytes)})`
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
