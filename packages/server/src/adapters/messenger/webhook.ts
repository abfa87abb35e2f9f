/** Standard Webhooks 1.0 (https://www.standardwebhooks.com), with its symmetric signature. */
import { createHmac } from 'node:crypto'
import { formatInstant, type Instant } from '@blindkeep/protocol/ids'
import type { Message, Target } from '../../ports/messenger.ts'
import type { PostRequest } from './post.ts'

interface Sent {
  readonly now: Instant
  /** The origin of the server. */
  readonly serverId: string
}

export function webhookRequest(
  { url, secret }: Extract<Target, { readonly kind: 'webhook' }>,
  message: Message,
  { now, serverId }: Sent,
): PostRequest {
  const { type, ...data } = dataOf(message)
  const body = JSON.stringify({ type, timestamp: formatInstant(now), data: { server: serverId, ...data } })
  const timestamp = Math.floor(now / 1000)
  const signed = `${message.messageId}.${timestamp}.${body}`
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': message.messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  }
  return { url: new URL(url), headers, body }
}

function dataOf(message: Message) {
  if (message.about === 'moved') {
    const { from, to, at } = message
    return { type: 'server.moved', from, to, moved_at: formatInstant(at) }
  }
  if (message.about === 'alarms') {
    const { begun, over } = message
    return {
      type: 'server.alarms',
      begun: begun.map(({ kind, severity, what, todo }) => ({ kind, severity, what, todo })),
      over: over.map(({ kind }) => kind),
    }
  }
  if (message.about !== 'landings') return { type: 'test' }
  const { count, isNearlyFull, isRefused, firstAt, lastAt } = message
  return {
    // A receiver of the first type alone hears of all that has landed.
    type: count > 0 ? 'drops.landed' : 'inbox.attention',
    count,
    ...(isNearlyFull && { nearly_full: true }),
    ...(isRefused && { refused: true }),
    first_at: formatInstant(firstAt),
    last_at: formatInstant(lastAt),
  }
}
