import { countText } from '@blindkeep/protocol/counts'
import { formatInstant, type Instant, parseInstant } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { openAddressMove } from '../assembly/addressMove.ts'
import { openPresentKeyring, openPresentStore } from '../assembly/data.ts'
import { type Config, publicAddressOf } from '../config/config.ts'
import { endpointText } from '../config/endpoint.ts'
import { settingsInForce } from '../config/inForce.ts'
import { type PublicAddress, publicAddress } from '../config/parsers.ts'
import { type AnnouncedMove, announcedMove, announcedMoveFact, whereabouts } from '../domain/discovery/publicUrls.ts'
import { recordedNameIn, recordedServerId } from '../domain/discovery/serverId.ts'
import {
  type MoveOutlook,
  moveOutlook,
  moveServer,
  type PlannedMove,
  type ServerMove,
} from '../domain/moving/serverMove.ts'
import { isLoopback } from '../http/names/addresses.ts'
import { isServedAt, openMoveCheck } from '../http/names/moveCheck.ts'
import type { Store } from '../ports/store.ts'
import { unusableAddress } from '../process/listening.ts'
import { type Call, type Command, type Outcome, UsageError, withOpen } from './command.ts'
import { requireConsent, YES } from './consent.ts'
import { requireWholeLog } from './restored.ts'

/** Moving a server to another address. */
export const moveCommands: readonly Command[] = [
  {
    name: 'move',
    summary: 'Moves this stopped server to the address in PUBLIC_URL: accounts, files, keys, links and receipts stay.',
    details: [
      'First set PUBLIC_URL to the new address, with its name and proxy ready, and stop the server (all nodes). The old address need not lead here any more.',
      'Looks first whether the new address leads to HOST and PORT of this machine, and whether a server with this one’s keys still answers at the old one.',
      'Then it says what ends, and asks. All sessions and tokens end: owners sign in at the new address with their password; recovery words stay as they are.',
      'Passkeys end if the host is another one. A new key signs receipts; old receipts stay valid, and a signed statement says that the server has moved.',
      'Make a backup before, and another one after it. docs/moving.md says all of it, step by step.',
    ],
    options: {
      check: { value: 'flag', meaning: 'Only looks, and says what would happen. Changes nothing.' },
      unchecked: {
        value: 'flag',
        meaning: 'Does not ask the two addresses: for a network that cannot reach itself by its public name.',
      },
      yes: YES,
    },
    run: runMove,
  },
  {
    name: 'move announce',
    summary: 'Tells owners, in their pages, where the server is going to move and when. The server may run.',
    details: [
      'Takes the new address and a day: `blindkeep-server move announce https://new.example --on 2027-01-31`. A later announcement replaces an earlier one,',
      'and `move` ends it. Owners can try their password before the day. With --stop and no address it takes the announcement back,',
      'and with neither it shows what is announced.',
    ],
    takes: ['new address'],
    mayTakeNone: true,
    options: {
      on: { value: 'YYYY-MM-DD', meaning: 'The day of the move, or a time of RFC 3339.' },
      stop: { value: 'flag', meaning: 'Takes the announcement back.' },
    },
    run: runAnnounce,
  },
]

async function runMove(call: Call): Promise<Outcome> {
  const { config, flag } = call
  const address = newAddress(config)
  return withOpen(openAddressMove(config), async (data) => {
    const from = await recordedServerId(data.store)
    if (from === undefined || from === address.serverId) return notNeeded(from, address, config)
    if (config.publicUrl === undefined) throw new UsageError(NO_ADDRESS)
    await requireWholeLog(data)
    const planned = { from, to: address.serverId, publicUrl: address.baseUrl }
    const outlook = await moveOutlook(data, planned)
    if (!flag('unchecked')) await checkAddresses(config, planned, outlook)
    const lines = [...consequencesOf(planned, outlook, data.clock.now()), ...settingLines(call, planned)]
    if (flag('check')) return checkedOutcome(lines, { planned, outlook, isChecked: !flag('unchecked') })
    await requireConsent(call, { lines: [...lines, CANNOT_BE_UNDONE], word: 'move' })
    await data.requireAlone()
    data.outdateCopies()
    return movedOutcome(planned, outlook, await moveServer(data, planned))
  })
}

/** A setting that was forgotten must not lead from a name to this machine. */
const NO_ADDRESS = 'set PUBLIC_URL to the new address, also if it is an address of this machine'

function newAddress(config: Config): PublicAddress {
  if (config.publicUrl === undefined && config.port === 0) throw new UsageError(NO_ADDRESS)
  return publicAddressOf(config, config.port)
}

function notNeeded(from: string | undefined, { serverId, baseUrl }: PublicAddress, { publicUrl }: Config): Outcome {
  const line =
    from === undefined
      ? `There is nothing to move: the server has neither accounts nor receipts yet. Start it at ${baseUrl}.`
      : publicUrl === undefined
        ? `The server is at ${serverId} already, and PUBLIC_URL is not set. To move it, set PUBLIC_URL to the new address first.`
        : `The server is at ${serverId} already. Start it. (Another path below the same origin is no move: let the proxy redirect the old path for links that were printed.)`
  return { lines: [line], json: { moved: false, server_id: from ?? null } }
}

/** Throws an error for people if the new address does not lead here, or the old one to a server with the same keys. */
async function checkAddresses(config: Config, { from, publicUrl }: PlannedMove, outlook: MoveOutlook): Promise<void> {
  const { leaves = from, keyIds } = outlook
  const listening = await openMoveCheck(config).catch(unusableAddress(config))
  try {
    const fault = await listening.faultInNew({ publicUrl, formerUrls: [...outlook.formerUrls, leaves] })
    if (fault !== undefined)
      throw new Error(
        `${fault} Nothing was changed. Let the name and the proxy lead to ${endpointText(config.host, config.port)} first, where the server will listen (HOST and PORT). If only this machine cannot reach it, or something in front first asks /readyz, add --unchecked.`,
      )
    if (!(await isServedAt(leaves, keyIds))) return
    throw new Error(
      `a server with this one’s keys answers at ${leaves}: a copy of this data is in use there, and two servers would sign receipts that contradict each other. Nothing was changed. Stop that one, and take its newest data. If only a cache answers there, add --unchecked.`,
    )
  } finally {
    await listening.close()
  }
}

const CANNOT_BE_UNDONE =
  'Moving back is another move: nothing of this one is undone. Make a backup now if there is none from today.'
/** A clock is set by hand, and a little wrong. */
const CLOCK_TOLERANCE_MS = 60_000

function consequencesOf({ from, to }: PlannedMove, outlook: MoveOutlook, now: Instant): readonly string[] {
  const {
    accounts,
    withPasskeys,
    links,
    shares,
    uploads,
    pushChannels,
    endsPasskeys,
    announced = to,
    notBefore,
  } = outlook
  const whereOld = isLoopback(new URL(from).hostname)
    ? 'only this machine could open them, and their owners copy them again in their pages'
    : `printed and sent ones work as long as ${from} leads here`
  return [
    `The server ${from} becomes ${to}.`,
    `  ${countText(accounts, 'account')}: all sessions end, and owners sign in at ${to} with the same password.`,
    `  ${countText(withPasskeys, 'account')} with passkeys${withPasskeys === 0 || !endsPasskeys ? '' : ': these end with their host. Their owners need the password or the recovery words'}.`,
    `  ${countText(links, 'live link')} and ${countText(shares, 'live share')}${links + shares === 0 ? '' : `: ${whereOld}`}.`,
    `  ${countText(uploads, 'upload')} of guests under way${uploads === 0 ? '' : ': their senders open the link again, and start again'}.`,
    `  ${countText(pushChannels, 'browser')} with notifications${pushChannels === 0 ? '' : ': these are switched on again at the new address'}.`,
    ...(announced === to ? [] : [`  Another address was announced to owners: ${announced}.`]),
    ...(notBefore > now + CLOCK_TOLERANCE_MS
      ? [
          `  The last receipt or key is of ${formatInstant(notBefore)}, later than this machine’s clock (${formatInstant(now)}). The move is dated then, and stays so: set the clock right first.`,
        ]
      : []),
  ]
}

/** Other settings that name the old host. */
function settingLines({ config, settings }: Call, { from, to }: PlannedMove): readonly string[] {
  const [{ hostname: before }, { hostname: after }] = [new URL(from), new URL(to)]
  if (isLoopback(before) || before === after) return []
  const named = settingsInForce(config, settings).filter(
    ({ name, value, origin }) => name !== 'PUBLIC_URL' && origin !== 'default' && value.includes(before),
  )
  return named.map(({ name, value }) => `  ${name} still names the old host: ${value}`)
}

interface Checked {
  readonly planned: PlannedMove
  readonly outlook: MoveOutlook
  readonly isChecked: boolean
}

function checkedOutcome(lines: readonly string[], { planned, outlook, isChecked }: Checked): Outcome {
  return {
    lines: [
      isChecked ? `${planned.publicUrl} leads here.` : 'The addresses were not asked.',
      ...lines,
      'Nothing was changed.',
    ],
    json: { moved: false, checked: isChecked, ...concernsJson(planned, outlook) },
  }
}

function movedOutcome(planned: PlannedMove, outlook: MoveOutlook, move: ServerMove): Outcome {
  const { from, publicUrl } = planned
  const isOfNobody = isLoopback(new URL(from).hostname)
  return {
    lines: [
      `The server is ${planned.to} since ${formatInstant(move.at)}. The new key ${move.active} signs receipts; ${move.retired} has ended.`,
      'Next: make a backup now (an older one is of the old address), then start the server.',
      `Owners sign in at ${publicUrl}/ with their password.${move.told === 0 ? '' : ` ${countText(move.told, 'owner hears', 'owners hear')} of it by a webhook, ntfy or e-mail once the server runs.`}`,
      ...(isOfNobody
        ? []
        : [
            `Let ${from} lead here for a year at least, if you still have it: one more name in the proxy, with the Host of the request passed on. The server redirects its pages and links, and says to programs that it has moved.`,
          ]),
    ],
    json: {
      moved: true,
      number: move.number,
      moved_at: formatInstant(move.at),
      active_key_id: move.active,
      retired_key_id: move.retired,
      owners_told: move.told,
      ...concernsJson(planned, outlook),
    },
  }
}

function concernsJson({ from, to, publicUrl }: PlannedMove, outlook: MoveOutlook) {
  return {
    from,
    to,
    public_url: publicUrl,
    accounts: outlook.accounts,
    accounts_with_passkeys: outlook.withPasskeys,
    passkeys_end: outlook.endsPasskeys,
    live_links: outlook.links,
    live_shares: outlook.shares,
    uploads_under_way: outlook.uploads,
    push_channels: outlook.pushChannels,
  }
}

async function runAnnounce({ config, given: [address], option, flag }: Call): Promise<Outcome> {
  const isShown = address === undefined && option('on') === undefined && !flag('stop')
  if (isShown) return withOpen(openPresentStore(config), async (store) => shownMove(store, config))
  if (flag('stop') ? address !== undefined || option('on') !== undefined : address === undefined)
    throw new UsageError('`move announce` takes the new address and --on, or --stop alone, or nothing')
  const announced = flag('stop') ? undefined : announcementOf(address ?? '', option('on') ?? '')
  const keyring = await openPresentKeyring(config)
  return withOpen(openPresentStore(config), async (store) => {
    const present = await recordedServerId(store)
    if (present === undefined)
      throw new Error('the server has neither accounts nor receipts yet: there is no owner to read it')
    if (announced?.serverId === present) throw new Error(`the server is at ${present} already`)
    await store.write(['server'], async (tx) => {
      if (announced === undefined) return tx.server.removeFact('moves_to')
      await tx.server.setFact('moves_to', announcedMoveFact(announced, keyring, await whereabouts(tx, present)))
    })
    if (announced === undefined) return { lines: ['No move is announced any more.'], json: { moves_to: null } }
    return announcedOutcome(announced, { said: 'Owners see it within a minute', name: present })
  })
}

/** What owners see. */
async function shownMove(store: Store, config: Config): Promise<Outcome> {
  const keyring = await openPresentKeyring(config)
  const announced = await store.read(async (tx) => {
    const present = await recordedNameIn(tx)
    const sealed = await tx.server.fact('moves_to')
    return present === undefined ? undefined : announcedMove(sealed, keyring, await whereabouts(tx, present))
  })
  if (announced === undefined) return { lines: ['No move is announced.'], json: { moves_to: null } }
  return announcedOutcome(announced, { said: 'Owners see', name: 'the server' })
}

function announcedOutcome(
  { serverId, on }: AnnouncedMove,
  { said, name }: { readonly said: string; readonly name: string },
): Outcome {
  return {
    lines: [
      `${said}: on ${formatInstant(on).slice(0, 10)} ${name} moves to ${serverId}.`,
      `On that day set PUBLIC_URL to ${serverId}, stop the server, and run \`blindkeep-server move\`.`,
    ],
    json: { moves_to: { server_id: serverId, on: formatInstant(on) } },
  }
}

function announcementOf(address: string, day: string) {
  const parsed = publicAddress(address)
  if ('fault' in parsed) throw new UsageError(`the new address ${parsed.fault}`)
  const { serverId } = parsed.value
  const { protocol, hostname } = new URL(serverId)
  if (protocol === 'http:' && !isLoopback(hostname))
    throw new UsageError('the new address must begin with https:, as the pages work at no other one')
  const on = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T00:00:00Z` : day)
  if (on === undefined) throw new UsageError('--on takes a day, for example 2027-01-31')
  if (on + DAY_MS < systemClock.now()) throw new UsageError('--on takes a day that is not over')
  return { serverId, on }
}

const DAY_MS = 86_400_000
