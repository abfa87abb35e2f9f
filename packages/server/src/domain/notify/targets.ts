/** The target of a channel as its row keeps it: sealed, and bound to the channel's id, so that no row opens in the place of another one. */
import { timingSafeEqual } from 'node:crypto'
import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import type { ChannelId } from '@blindkeep/protocol/ids'
import type { Keyring } from '../../ports/keyring.ts'
import type { Target } from '../../ports/messenger.ts'

/** `code`: of an e-mail address that was not confirmed yet. */
export type StoredTarget = Target & { readonly code?: string }

export type Targets = ReturnType<typeof createTargets>

export function createTargets({ keyring }: { readonly keyring: Pick<Keyring, 'seal' | 'open'> }) {
  const nameOf = (channelId: ChannelId) => `channel ${channelId}`
  return {
    seal(channelId: ChannelId, target: StoredTarget): Uint8Array {
      const plain = target.kind === 'webhook' ? { ...target, secret: toBase64(target.secret) } : target
      return keyring.seal(nameOf(channelId), new TextEncoder().encode(JSON.stringify(plain)))
    },

    open(channelId: ChannelId, sealed: Uint8Array): StoredTarget {
      // Only `seal` makes what opens here.
      const plain = JSON.parse(new TextDecoder().decode(keyring.open(nameOf(channelId), sealed)))
      return plain.kind === 'webhook' ? { ...plain, secret: fromBase64(plain.secret) } : plain
    },
  }
}

/** What a list may show: an e-mail address is the owner's own, but a URL may be a secret beyond its host. */
export function shownOf(target: StoredTarget): string {
  return target.kind === 'email' ? target.address : new URL(target.url).host
}

export function isCode(given: string, { code }: StoredTarget): boolean {
  if (code === undefined || given.length !== code.length) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(code))
}
