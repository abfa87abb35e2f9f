/** `notify list`, `notify add`, `notify confirm`, `notify test`, `notify remove`. */
import type { AddChannel, DeliveryFault, OwnChannel, Owner } from '@blindkeep/client/owner'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { tellNameFaults } from '../devices/named.ts'
import { agrees, givenSecret, secret } from '../ground/ask.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { pick } from '../ground/pick.ts'
import { shortId, shown, timeText } from '../ground/texts.ts'

interface AddChannelFlags extends OwnerFlags {
  readonly addressFile?: string
  readonly tokenFile?: string
  readonly name?: string
}

const FAULTS: Readonly<Record<DeliveryFault, string>> = {
  address_refused: 'the name is unknown, or leads to an address to which the server does not send',
  unreachable: 'nothing answers there',
  timed_out: 'it took too long',
  tls_failed: 'its certificate is not valid',
  redirected: 'it leads elsewhere; give the address to which it leads',
  rejected: 'the receiver refuses the message; check address and token',
  receiver_failed: 'the receiver has a fault at the moment',
  no_longer_there: 'the receiver says that nothing is there any more',
  not_offered: 'the server no longer sends messages of this kind',
  unconfirmed:
    'the address waits for its code. Without one, look among unwanted mail, or remove the channel and add it again',
}

const STATES = { active: 'active', unconfirmed: 'waits for its code', given_up: 'given up' } as const

export async function listChannels(flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { offered, channels } = await owner.channels()
  const rows = channels.map((channel) => ({ cells: cellsOf(channel), fact: factOf(channel) }))
  const none =
    offered.length === 0
      ? 'The operator of the server has not switched messages on.'
      : 'There are no channels. Add one: blindkeep notify add KIND'
  report.list(['ID', 'KIND', 'TO', 'STATE', 'LAST MESSAGE', 'FAULT'], rows, none)
  report.aside(`The server offers: ${offered.length === 0 ? 'nothing' : offered.join(', ')}`)
  return tellNameFaults(
    channels.filter(({ nameFault }) => nameFault !== undefined).map(({ channelId }) => channelId),
    { what: 'channel', report },
  )
}

function cellsOf({ channelId, kind, shown: to, name, state, lastSentAt, lastFault }: OwnChannel): readonly string[] {
  const sent = lastSentAt === undefined ? 'none' : timeText(lastSentAt)
  const shownTo = shown(name ?? to)
  return [shortId(channelId), kind, shownTo, STATES[state], sent, lastFault === undefined ? '' : FAULTS[lastFault]]
}

function factOf(channel: OwnChannel) {
  return {
    channel_id: channel.channelId,
    kind: channel.kind,
    to: channel.shown,
    name: channel.name,
    state: channel.state,
    created_at: channel.createdAt,
    attempts: channel.attempts,
    last_sent_at: channel.lastSentAt,
    last_failed_at: channel.lastFailedAt,
    last_fault: channel.lastFault,
  }
}

const ADDRESSES: Readonly<Record<AddChannel['kind'], string>> = {
  webhook: 'Whole https URL of the webhook',
  ntfy: 'Whole https URL of the ntfy topic',
  email: 'E-mail address',
}

/** Who knows the URL of a webhook or the name of a topic can use it: they are secrets. */
export async function addChannel(kind: AddChannel['kind'], flags: AddChannelFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const address = await secret({
    what: ADDRESSES[kind],
    file: flags.addressFile,
    variable: 'BLINDKEEP_CHANNEL_ADDRESS',
    flag: '--address-file',
  })
  const token =
    kind === 'ntfy' ? await givenSecret({ file: flags.tokenFile, variable: 'BLINDKEEP_CHANNEL_TOKEN' }) : undefined
  const { channel, secret: signedWith } = await owner.addChannel({ kind, address, token, name: flags.name })
  const id = shortId(channel.channelId)
  report.answer(signedWith ?? channel.channelId, { event: 'added', ...factOf(channel), secret: signedWith })
  if (signedWith !== undefined)
    report.aside(
      `The line above is the secret of the channel ${id}: its messages are signed with it. It is shown only now.`,
    )
  if (channel.state === 'unconfirmed')
    report.aside(`The address has got a message with a code. Then: blindkeep notify confirm ${id} CODE`)
  else report.aside(`Try it: blindkeep notify test ${id}`)
  return EXIT.done
}

/** The code can do nothing else, so it may be an argument. */
export async function confirmChannel(given: string, code: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { channelId } = await picked(owner, given)
  const channel = await owner.confirmChannel(channelId, code)
  report.result(`The channel ${shortId(channelId)} is active.`, { event: 'confirmed', ...factOf(channel) })
  return EXIT.done
}

export async function testChannel(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { channelId } = await picked(owner, given)
  const fault = await owner.testChannel(channelId)
  const fact = { channel_id: channelId }
  if (fault === undefined) {
    report.result('The receiver has taken the message.', { event: 'tested', ...fact })
    return EXIT.done
  }
  const message = `The message did not arrive: ${FAULTS[fault]}.`
  report.problem(message, { event: 'failed', ...fact, reason: fault, message })
  return EXIT.failed
}

export async function removeChannel(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { channelId, kind, shown: host, name: to = host } = await picked(owner, given)
  if (!(await agrees(`Remove the channel ${shortId(channelId)} (${kind}, ${shown(to)})?`, flags))) return EXIT.failed
  await owner.removeChannel(channelId)
  report.result(`The channel ${shortId(channelId)} is removed.`, { event: 'removed', channel_id: channelId })
  return EXIT.done
}

async function picked(owner: Owner, given: string): Promise<OwnChannel> {
  const { channels } = await owner.channels()
  return pick(channels, given, {
    what: 'channel',
    listedBy: 'notify list',
    id: ({ channelId }) => channelId,
    name: ({ name }) => name,
  })
}
