import { MAX_EMAIL_LENGTH } from '../email.ts'
import type { ChannelId } from '../ids.ts'
import type { Static } from '../static.ts'
import {
  base64,
  boolean,
  integer,
  list,
  object,
  oneOf,
  optional,
  plainText,
  sealedName,
  text,
  time,
  uuid,
} from './shape.ts'

export const CHANNEL_KINDS = ['webhook', 'ntfy', 'email', 'push'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

export const CHANNEL_STATES = ['unconfirmed', 'active', 'given_up'] as const
export type ChannelState = (typeof CHANNEL_STATES)[number]

/** Why a message did not arrive. Never a receiver's own words: they may come from a hidden network. */
export const DELIVERY_FAULTS = [
  'address_refused',
  'unreachable',
  'timed_out',
  'tls_failed',
  'redirected',
  'rejected',
  'receiver_failed',
  'no_longer_there',
  'not_offered',
  'unconfirmed',
] as const
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number]

export const MAX_CHANNEL_ADDRESS_LENGTH = 1024
export const MAX_CHANNEL_TOKEN_LENGTH = 256
/** Of what a list shows of a channel: an e-mail address, or the host of a URL with its port. */
export const MAX_CHANNEL_SHOWN_LENGTH = MAX_EMAIL_LENGTH
export const CHANNEL_CODE_DIGITS = 8
/** A browser's public key, an uncompressed point of P-256, and its authentication secret (RFC 8291, section 2). */
export const PUSH_KEY_BYTES = 65
export const PUSH_AUTH_BYTES = 16

const channelId = uuid<ChannelId>('The channel.')
const kind = oneOf(
  CHANNEL_KINDS,
  'webhook: a POST signed as Standard Webhooks says. ntfy: a message to a topic. email: a mail. push: a message to a browser (Web Push, RFC 8030).',
)
const fault = oneOf(
  DELIVERY_FAULTS,
  'address_refused: the name is unknown, or leads to an address to which this server does not send. rejected: an answer 4xx, or a mail server’s lasting refusal. receiver_failed: an answer 5xx, a temporary refusal, or no valid answer. no_longer_there: 410; of a push service also 404. not_offered: the operator has switched the kind off. unconfirmed: nothing was sent, because the e-mail address waits for its code.',
)

export const AddChannelRequest = object('AddChannelRequest', {
  kind,
  address: text(
    'webhook and ntfy: the whole https URL, for ntfy that of the topic. email: the e-mail address. push: the endpoint of the browser’s subscription. It is never shown again, except for its host or e-mail address.',
    { minLength: 1, maxLength: MAX_CHANNEL_ADDRESS_LENGTH },
  ),
  token: optional(
    text('An access token for an ntfy topic that needs one.', {
      minLength: 1,
      maxLength: MAX_CHANNEL_TOKEN_LENGTH,
      pattern: '^[A-Za-z0-9._~+/=-]+$',
    }),
  ),
  p256dh: optional(
    base64('push, required: the public key of the browser’s subscription, an uncompressed point of P-256.', {
      min: PUSH_KEY_BYTES,
      max: PUSH_KEY_BYTES,
    }),
  ),
  auth: optional(
    base64('push, required: the authentication secret of the browser’s subscription.', {
      min: PUSH_AUTH_BYTES,
      max: PUSH_AUTH_BYTES,
    }),
  ),
  channel_id: optional(
    uuid<ChannelId>(
      'The id that the channel shall have, new and random; a sealed name is bound to it. Required for push, and with a sealed name.',
    ),
  ),
  sealed_name: optional(sealedName('channel')),
})
export type AddChannelRequest = Static<typeof AddChannelRequest>

const members = {
  channel_id: channelId,
  kind,
  state: oneOf(
    CHANNEL_STATES,
    'unconfirmed: an e-mail address whose code was not entered yet; it gets no messages. given_up: the server has stopped trying; a test that arrives makes the channel active again.',
  ),
  shown: plainText('The host of the URL, or the e-mail address.', { maxLength: MAX_CHANNEL_SHOWN_LENGTH }),
  sealed_name: optional(sealedName('channel')),
  created_at: time('When it was added.'),
  attempts: integer('Failed attempts in a row since the last message that arrived.'),
  last_sent_at: optional(time('When the last message arrived.')),
  last_failed_at: optional(time('When an attempt last failed. Absent after a message has arrived.')),
  last_fault: optional(fault),
}

export const ChannelResponse = object('ChannelResponse', members)
export type ChannelResponse = Static<typeof ChannelResponse>

export const AddChannelResponse = object('AddChannelResponse', {
  channel: ChannelResponse,
  secret: optional(
    plainText(
      'Of a webhook: what its messages are signed with, `whsec_` and base64. This is the only answer that contains it.',
    ),
  ),
})
export type AddChannelResponse = Static<typeof AddChannelResponse>

export const ChannelsResponse = object('ChannelsResponse', {
  offered: list(kind, 'The kinds of channels that may be added. Empty if the operator has switched messages off.'),
  channels: list(ChannelResponse, 'All of the caller’s channels, oldest first.'),
  push_key: optional(
    base64('Where push is offered: the server’s public key, with which a browser subscribes (RFC 8292, section 4.1).', {
      min: PUSH_KEY_BYTES,
      max: PUSH_KEY_BYTES,
    }),
  ),
})
export type ChannelsResponse = Static<typeof ChannelsResponse>

export const ConfirmChannelRequest = object('ConfirmChannelRequest', {
  code: text('The digits in the message.', { pattern: `^[0-9]{${CHANNEL_CODE_DIGITS}}$` }),
})
export type ConfirmChannelRequest = Static<typeof ConfirmChannelRequest>

export const ChannelTestResponse = object('ChannelTestResponse', {
  delivered: boolean('Whether the receiver has taken the message.'),
  fault: optional(fault),
})
export type ChannelTestResponse = Static<typeof ChannelTestResponse>
