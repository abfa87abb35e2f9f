/** Public facts about the server. They contain nothing about any account. */
import type { Instant } from '@blindkeep/protocol/ids'
import type { ProtocolWindow } from '@blindkeep/protocol/window'
import type { Clock } from '../../ports/clock.ts'
import type { AttestationKey, Deprecation, RevokedCapability, Store } from '../../ports/store.ts'
import { cacheFor, readTogether, whileUnchanged } from '../ground/cache.ts'
import { inPages } from '../ground/inPages.ts'
import type { AcceptedVersions } from './protocolWindow.ts'
import type { SigningKey } from './signingKey.ts'

export interface ServerFacts {
  readonly serverId: string
  /** Without a slash at the end. */
  readonly publicUrl: string
  readonly federationUrl: string | undefined
}

export interface ServerInfo extends ServerFacts, ProtocolWindow {
  /** Public key of access tokens and capabilities: Ed25519, 32 bytes. */
  readonly signingKey: Uint8Array
  readonly deprecations: readonly Deprecation[]
}

export interface Revocations {
  /** An instant before the list was read: the list knows every revocation until then. */
  readonly at: Instant
  readonly revoked: readonly RevokedCapability[]
}

export interface PublishedKeys {
  readonly serverId: string
  readonly keys: readonly PublishedKey[]
}

export type PublishedKey = Omit<AttestationKey, 'sealedPrivateKey'>

/**
 * The list of revoked tokens is read at most once in this time, unless it has grown: any client may read it, and
 * accounts can make it long. HTTP caches may keep it for longer than this.
 */
const CACHE_MS = 1000
/** Their rows are short. */
const PAGE_REVOKED = 1000

interface DiscoveryPorts {
  readonly store: Store
  readonly clock: Clock
  readonly tokens: Pick<SigningKey, 'publicKey'>
  readonly protocolWindow: AcceptedVersions
}

export type Discovery = ReturnType<typeof createDiscovery>

export function createDiscovery(
  { store, clock, tokens, protocolWindow }: DiscoveryPorts,
  { serverId, publicUrl, federationUrl }: ServerFacts,
) {
  const publishedKeys = whileUnchanged(store, async (): Promise<PublishedKeys> => {
    const keys = await store.read((tx) => tx.keys.attestationKeys())
    return { serverId, keys: keys.map(publishedOf) }
  })
  const markOfRevoked = whileUnchanged(
    store,
    readTogether(() => store.ask((tx) => tx.capabilities.revokedMark(clock.now()))),
  )
  const readRevocations = () =>
    cacheFor(clock, CACHE_MS, async (): Promise<Revocations> => {
      const at = clock.now()
      const revoked = await inPages(async (after: RevokedCapability | undefined) => {
        const items = await store.ask((tx) => tx.capabilities.revoked(at, { after, max: PAGE_REVOKED }))
        return { items, next: items.length === PAGE_REVOKED ? items.at(-1) : undefined }
      })
      return { at, revoked }
    })
  let revocations = { mark: '', list: readRevocations() }

  return {
    async serverInfo(): Promise<ServerInfo> {
      const facts = { serverId, publicUrl, federationUrl, ...protocolWindow.current() }
      return { ...facts, signingKey: await tokens.publicKey(), deprecations: protocolWindow.announced() }
    },

    deprecations: (): readonly Deprecation[] => protocolWindow.announced(),

    /**
     * Throws when the list cannot be read: an empty list would claim that nothing is revoked (specification,
     * Discovery). It has what any process has committed before the call: a token that one node has listed is not
     * missing at the next one.
     */
    async revocations(): Promise<Revocations> {
      const mark = await markOfRevoked(undefined)
      if (mark !== revocations.mark) revocations = { mark, list: readRevocations() }
      return revocations.list()
    },

    /** As it is now: a client that has a receipt of any process finds its key in the list of every process. */
    attestationKeys: (): Promise<PublishedKeys> => publishedKeys(undefined),
  }
}

function publishedOf({ keyId, publicKey, activeFrom, activeTo }: AttestationKey): PublishedKey {
  return { keyId, publicKey, activeFrom, activeTo }
}
