/** A channel's target as stored: sealed and bound to its id, so that no row opens in another's place. */
import { timingSafeEqual } from 'node:crypto'
import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import type { ChannelId } from '@blindkeep/protocol/ids'
import { MAX_CHANNEL_SHOWN_LENGTH } from '@blindkeep/protocol/schemas/channels'
import type { Keyring } from '../../ports/keyring.ts'
import type { Target } from '../../ports/messenger.ts'

/** `code`: of an unconfirmed e-mail address. `sealedName`: the owner's name, for the owner's clients only. */
export type StoredTarget = Target & { readonly code?: string; readonly sealedName?: Uint8Array | undefined }

export type Targets = ReturnType<typeof createTargets>

export function createTargets({ keyring }: { readonly keyring: Pick<Keyring, 'seal' | 'open'> }) {
  const nameOf = (channelId: ChannelId) => `channel ${channelId}`
  return {
    seal(channelId: ChannelId, target: StoredTarget): Uint8Array {
      const asText = (member: string, value: unknown) => (isBytes(member, value) ? toBase64(value) : value)
      return keyring.seal(nameOf(channelId), new TextEncoder().encode(JSON.stringify(target, asText)))
    },

    open(channelId: ChannelId, sealed: Uint8Array): StoredTarget {
      // Only `seal` makes what opens here.
      const asBytes = (member: string, value: unknown) =>
        BYTE_MEMBERS.has(member) && typeof value === 'string' ? fromBase64(value) : value
      return JSON.parse(new TextDecoder().decode(keyring.open(nameOf(channelId), sealed)), asBytes)
    },
  }
}

/** The members that are bytes, of any kind. Their stored form is base64. */
const BYTE_MEMBERS: ReadonlySet<string> = new Set(['secret', 'p256dh', 'auth', 'sealedName'])

function isBytes(member: string, value: unknown): value is Uint8Array {
  return BYTE_MEMBERS.has(member) && value instanceof Uint8Array
}

/** What a list may show: an e-mail address is the owner's own, but a URL may be a secret beyond its host. */
export function shownOf(target: StoredTarget): string {
  if (target.kind === 'email') return target.address
  // Rows from before the limit of hosts may have longer ones.
  return new URL(target.url).host.slice(0, MAX_CHANNEL_SHOWN_LENGTH)
}

export function isCode(given: string, { code }: StoredTarget): boolean {
  if (code === undefined || given.length !== code.length) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(code))
}
