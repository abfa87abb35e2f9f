import { formatInstant } from '@blindkeep/protocol/ids'
import { inviteLink } from '@blindkeep/protocol/inviteLink'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { openPresentStore } from '../assembly/data.ts'
import { type Config, publicAddressOf } from '../config/config.ts'
import { line } from '../config/parsers.ts'
import {
  createInvites,
  INVITE_DAYS,
  type Invites,
  type ListedInvite,
  MAX_INVITE_DAYS,
} from '../domain/account/invites.ts'
import { checkServerId, recordedServerId } from '../domain/discovery/serverId.ts'
import { isLoopback } from '../http/names/addresses.ts'
import type { Store } from '../ports/store.ts'
import { type Call, type Command, columns, type Outcome, UsageError, withOpen } from './command.ts'

/** Invites for registration. The server may run. */
export const inviteCommands: readonly Command[] = [
  {
    name: 'account invite',
    summary: 'Makes a code for one registration, and shows it only once.',
    details: [
      'Registration requires a code if REGISTRATION is invite, the default when PUBLIC_URL is not a loopback address.',
      'The code works for anyone who has it: send it like a password. The server keeps only its hash.',
    ],
    options: {
      days: {
        value: 'DAYS',
        meaning: `How long the code is valid, 1 to ${MAX_INVITE_DAYS} days. Default: ${INVITE_DAYS}.`,
      },
      note: {
        value: 'TEXT',
        meaning:
          'Whom it is for, one line of at most 200 characters, for `account invites`. Only these commands show it.',
      },
    },
    run: (call) =>
      withOpen(openPresentStore(call.config), async (store) =>
        issue(invitesOf(store), await addressOf(store, call.config), call),
      ),
  },
  {
    name: 'account invites',
    summary: 'Lists recent invites with their ids, oldest first: live, used (with the account) or expired.',
    details: [
      'The codes are not shown, because the server does not keep them. An invite is deleted 30 days after its end.',
    ],
    run: ({ config }) => withInvites(config, list),
  },
  {
    name: 'invite revoke',
    summary: 'Ends an invite that is not used yet: its code registers no account any more.',
    details: [
      '<invite> is the code, or its id in `account invites`. To end what was made with a used one: `account delete`.',
    ],
    takes: ['invite'],
    run: ({ config, given: [named = ''] }) =>
      withInvites(config, async (invites) => {
        const outcome = await invites.revoke(named)
        // The code may work: it is not repeated.
        if (outcome === 'unknown')
          throw new Error('there is no such invite; `blindkeep-server account invites` lists them with their ids')
        if (outcome === 'used')
          throw new Error(
            'this invite was used. `blindkeep-server account invites` shows by which account; `blindkeep-server account delete <account>` deletes it',
          )
        return { lines: ['The invite is revoked.'], json: { revoked: true } }
      }),
  },
]

function withInvites(config: Config, work: (invites: Invites) => Promise<Outcome>): Promise<Outcome> {
  return withOpen(openPresentStore(config), (store) => work(invitesOf(store)))
}

const invitesOf = (store: Store) => createInvites({ clock: systemClock, random: systemRandom, store })

async function issue(
  invites: Invites,
  { baseUrl, note }: Address,
  { config, option }: Pick<Call, 'config' | 'option'>,
): Promise<Outcome> {
  const days = Number(option('days') ?? INVITE_DAYS)
  if (!Number.isInteger(days) || days < 1 || days > MAX_INVITE_DAYS)
    throw new UsageError(`--days takes a whole number from 1 to ${MAX_INVITE_DAYS}`)
  const { code, expiresAt } = await invites.issue(days, noteIn(option('note')))
  // The link opens the form with the code in it.
  const url = baseUrl === undefined ? undefined : inviteLink(baseUrl, code)
  return {
    lines: [
      ...(url === undefined ? [code] : [url, `The code alone: ${code}`]),
      `Valid for one registration until ${formatInstant(expiresAt)}. It is not shown again.`,
      ...(note === undefined ? [] : [note]),
      ...(config.registration === 'closed'
        ? ['REGISTRATION is closed: the code works only if you set it to invite.']
        : []),
    ],
    json: { code, ...(url !== undefined && { url }), expires_at: formatInstant(expiresAt) },
  }
}

function noteIn(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const parsed = line(given)
  if ('fault' in parsed) throw new UsageError(`--note ${parsed.fault}`)
  return parsed.value
}

/**
 * The address of the server that has the data, which may have started with other settings. Throws `WrongServerId`
 * if PUBLIC_URL names another server. Without `baseUrl` if the running server chose its port, and so it alone knows
 * the address.
 */
async function addressOf(store: Store, config: Config): Promise<Address> {
  const { publicUrl, port } = config
  if (publicUrl !== undefined) {
    await checkServerId(store, publicUrl.serverId)
    return { baseUrl: publicUrl.baseUrl }
  }
  const recorded = await recordedServerId(store)
  if (recorded === undefined)
    return port === 0 ? {} : { baseUrl: publicAddressOf(config, port).baseUrl, note: NO_ADDRESS_YET }
  return { baseUrl: recorded, ...(!isLoopback(new URL(recorded).hostname) && { note: NO_PATH }) }
}

interface Address {
  readonly baseUrl?: string
  /** What the link may lack. */
  readonly note?: string
}

const NO_ADDRESS_YET =
  'The data has no address before its first account: the link has HOST and PORT of the settings here. If the server has others, send the code alone.'
const NO_PATH = 'PUBLIC_URL is not set here: if that of the server has a path, the link lacks it.'

async function list(invites: Invites): Promise<Outcome> {
  const listed = await invites.list()
  return {
    lines: listed.length === 0 ? ['There are no invites.'] : columns(listed.map(lineOf)),
    json: {
      invites: listed.map(({ inviteId, createdAt, expiresAt, state, usedBy, email, note }) => ({
        invite_id: inviteId,
        created_at: formatInstant(createdAt),
        expires_at: formatInstant(expiresAt),
        state,
        used_by: usedBy && { account_id: usedBy, email },
        note,
      })),
    },
  }
}

function lineOf({ inviteId, createdAt, expiresAt, state, usedBy, email, note }: ListedInvite): readonly string[] {
  const status = usedBy === undefined ? state : `${state} by ${email ?? usedBy}`
  return [inviteId, formatInstant(createdAt), `until ${formatInstant(expiresAt)}  ${status}`, note ?? '']
}
