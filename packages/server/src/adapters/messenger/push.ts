/** Web Push through the browser vendor's service (RFC 8030), which learns the sender (RFC 8292) and no content. */
import { formatInstant, type Instant } from '@blindkeep/protocol/ids'
import type { PushSigner } from '../../ports/keyring.ts'
import type { Message, PushTarget } from '../../ports/messenger.ts'
import type { PostRequest } from './post.ts'
import { encryptPush } from './pushEncryption.ts'

/** How long the service keeps a message for a browser that is not connected: as long as the server keeps its events. */
const KEPT_SECONDS = 7 * 86_400
/** At most a day (RFC 8292, section 2). The clocks of services differ from ours. */
const TOKEN_SECONDS = 12 * 3600
/** Of every message, so that its size says nothing about it. */
const PADDED_BYTES = 256
/** The service has forgotten the subscription: it never comes back (RFC 8030, section 7.3). Some say it with 404. */
const GONE = [404, 410]

interface Sent {
  readonly now: Instant
  /** The origin of the server. */
  readonly serverId: string
  readonly signer: PushSigner
}

export function pushRequest(
  { url, p256dh, auth }: PushTarget,
  message: Message,
  { now, serverId, signer }: Sent,
): PostRequest {
  const endpoint = new URL(url)
  const token = signer.sign({
    aud: endpoint.origin,
    exp: Math.floor(now / 1000) + TOKEN_SECONDS,
    // Whom the service may ask. It takes https and mailto alone.
    ...(serverId.startsWith('https:') && { sub: serverId }),
  })
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Encoding': 'aes128gcm',
    Authorization: `vapid t=${token}, k=${Buffer.from(signer.publicKey).toString('base64url')}`,
    TTL: String(KEPT_SECONDS),
    // An owner who sends a test waits for it.
    Urgency: message.about === 'test' ? 'high' : 'normal',
    Topic: topicOf(message),
  }
  const content = Buffer.from(JSON.stringify(contentOf(message, new URL(serverId).host)))
  return { url: endpoint, headers, body: encryptPush(content, { p256dh, auth, paddedBytes: PADDED_BYTES }), gone: GONE }
}

/** A repeat replaces the same message if it was not fetched. At most 32 characters (RFC 8030, section 5.4). */
function topicOf({ messageId }: Message): string {
  return messageId.replace(/^msg_/, '').replaceAll('-', '').slice(0, 32)
}

/** What the service worker of the pages reads (`packages/web/src/push/pushMessage.ts`), and puts into words. */
function contentOf(message: Message, server: string): object {
  const { messageId: id } = message
  if (message.about !== 'landings') return { about: 'test', id, server }
  const { count, isNearlyFull, isRefused, lastAt } = message
  const more = { ...(isNearlyFull && { nearly_full: true }), ...(isRefused && { refused: true }) }
  return { about: 'landings', id, count, ...more, last_at: formatInstant(lastAt), server }
}
