import { formatInstant } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import type { Config } from '../config.ts'
import { openPresentStore } from '../data.ts'
import {
  createInvites,
  INVITE_DAYS,
  type Invites,
  type ListedInvite,
  MAX_INVITE_DAYS,
} from '../domain/account/invites.ts'
import { type Call, type Command, columns, type Outcome, UsageError } from './command.ts'

/** Letting people register where registration is by invite. The server may run meanwhile. */
export const inviteCommands: readonly Command[] = [
  {
    name: 'account invite',
    summary: 'Makes a code with which one person may register, and shows it this once.',
    details: [
      'It is asked for where REGISTRATION is invite, which it is by default once PUBLIC_URL is an address that others reach.',
      'Whoever has the code can use it, so send it as you would a password. Only its hash is kept.',
    ],
    options: {
      days: {
        value: 'DAYS',
        meaning: `How long it is good, 1 to ${MAX_INVITE_DAYS} days; ${INVITE_DAYS} when left out.`,
      },
    },
    run: (call) => withInvites(call.config, (invites) => issue(invites, call)),
  },
  {
    name: 'account invites',
    summary:
      'Lists the invites of late, oldest first: whether they are live, used or expired, and by whom they were used.',
    details: ['Without their codes, which are not kept. An invite is forgotten 30 days after its end.'],
    run: ({ config }) => withInvites(config, list),
  },
]

async function withInvites(config: Config, work: (invites: Invites) => Promise<Outcome>): Promise<Outcome> {
  const store = await openPresentStore(config)
  try {
    return await work(createInvites({ store, clock: systemClock, random: systemRandom }))
  } finally {
    await store.close()
  }
}

async function issue(invites: Invites, { config, option }: Call): Promise<Outcome> {
  const days = Number(option('days') ?? INVITE_DAYS)
  if (!Number.isInteger(days) || days < 1 || days > MAX_INVITE_DAYS)
    throw new UsageError(`--days takes a whole number from 1 to ${MAX_INVITE_DAYS}`)
  const { code, expiresAt } = await invites.issue(days)
  return {
    lines: [
      code,
      `Good for one registration until ${formatInstant(expiresAt)}. It is not shown again.`,
      ...(config.registration === 'closed' ? ['REGISTRATION is closed: nobody can use it until that is invite.'] : []),
    ],
    json: { code, expires_at: formatInstant(expiresAt) },
  }
}

async function list(invites: Invites): Promise<Outcome> {
  const listed = await invites.list()
  return {
    lines: listed.length === 0 ? ['There are no invites.'] : columns(listed.map(lineOf)),
    json: {
      invites: listed.map(({ createdAt, expiresAt, state, usedBy, email }) => ({
        created_at: formatInstant(createdAt),
        expires_at: formatInstant(expiresAt),
        state,
        used_by: usedBy && { account_id: usedBy, email },
      })),
    },
  }
}

function lineOf({ createdAt, expiresAt, state, usedBy, email }: ListedInvite): readonly string[] {
  const word = usedBy === undefined ? state : `${state} by ${email ?? usedBy}`
  return [formatInstant(createdAt), `until ${formatInstant(expiresAt)}  ${word}`]
}
