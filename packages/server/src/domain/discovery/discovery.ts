/** Public facts about the server. They contain nothing about any account. */
import type { Instant, KeyId } from '@blindkeep/protocol/ids'
import { KeyChangeError, type SignedKeyChange } from '@blindkeep/protocol/keyChange'
import type { ProtocolWindow } from '@blindkeep/protocol/window'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { AttestationKey, Deprecation, RevokedCapability, Store } from '../../ports/store.ts'
import { cacheFor, readTogether, whileUnchanged } from '../ground/cache.ts'
import { inPages } from '../ground/inPages.ts'
import type { AcceptedVersions } from './protocolWindow.ts'
import { type AnnouncedMove, announcedMove } from './publicUrls.ts'
import { ServerMoved } from './serverId.ts'
import { type SignedChange, type SignedChanges, signedChanges } from './signedChanges.ts'
import type { SigningKey } from './signingKey.ts'

export interface ServerFacts {
  readonly serverId: string
  /** Without a slash at the end. */
  readonly publicUrl: string
  readonly federationUrl: string | undefined
}

/** The name before the last move. */
export interface FormerName {
  readonly serverId: string
  /** RFC 3339. */
  readonly movedAt: string
}

export interface ServerInfo extends ServerFacts, ProtocolWindow {
  readonly movesTo: AnnouncedMove | undefined
  readonly movedFrom: FormerName | undefined
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

/** The statements by which the keys have changed. */
export interface PublishedChanges {
  readonly serverId: string
  /** Oldest first, of either kind. */
  readonly moves: readonly SignedKeyChange[]
  readonly rotations: readonly SignedKeyChange[]
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
  readonly keyring: Pick<Keyring, 'open'>
  readonly protocolWindow: AcceptedVersions
}

export type Discovery = ReturnType<typeof createDiscovery>

export function createDiscovery(
  { store, clock, tokens, keyring, protocolWindow }: DiscoveryPorts,
  { serverId, publicUrl, federationUrl }: ServerFacts,
) {
  const publishedKeys = whileUnchanged(store, async (): Promise<PublishedKeys> => {
    const keys = await store.read((tx) => tx.keys.attestationKeys())
    return { serverId, keys: keys.map(publishedOf) }
  })
  const changes = createChanges(store, serverId)
  const sealedMove = readTogether(() => store.ask((tx) => tx.server.fact('moves_to')))
  /** Each of these looks at the store by itself: server-info looks once for all. */
  const stored = whileUnchanged(store, async () => {
    const [signingKey, sealed, known] = await Promise.all([
      tokens.publicKey(),
      sealedMove(),
      changes().catch(unlessUnreadable),
    ])
    const movesTo = known && announcedMove(sealed, keyring, { serverId, moves: known.published.moves.length })
    return { signingKey, movesTo, movedFrom: known?.movedFrom }
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
      const { signingKey, movesTo, movedFrom } = await stored(undefined)
      const { min, max } = protocolWindow.current()
      const deprecations = protocolWindow.announced()
      return { serverId, publicUrl, federationUrl, min, max, signingKey, movesTo, movedFrom, deprecations }
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

    /** Also as they are now. */
    async moves(): Promise<PublishedChanges> {
      return (await changes()).published
    },
  }
}

interface Changes {
  readonly published: PublishedChanges
  readonly movedFrom: FormerName | undefined
}

/** Up to 6 MB of statements, of which each comes with a key: they are read again when another key is active. */
function createChanges(store: Store, serverId: string): () => Promise<Changes> {
  const activeKeyId = whileUnchanged(
    store,
    readTogether(async () => (await store.ask((tx) => tx.keys.activeAttestationKey()))?.keyId),
  )
  let known: { readonly keyId: KeyId | undefined; readonly reading: Promise<Changes> } | undefined
  return async () => {
    const keyId = await activeKeyId(undefined)
    if (known === undefined || known.keyId !== keyId) {
      const reading = store.read(signedChanges).then((read) => changesOf(read, serverId))
      known = { keyId, reading }
      reading.catch(() => {
        if (known?.reading === reading) known = undefined
      })
    }
    return known.reading
  }
}

/** Only who needs the statements is kept from the server by one that was damaged. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof KeyChangeError)) throw error
}

/** Throws `ServerMoved` if the last of them leads to another name than that of this process. */
function changesOf({ moves, rotations }: SignedChanges, serverId: string): Changes {
  const last = moves.at(-1)?.change
  if (last !== undefined && last.to !== serverId) throw new ServerMoved(serverId, last.to)
  const signedOf = ({ signed: { leave, arrive } }: SignedChange): SignedKeyChange => ({ leave, arrive })
  return {
    published: { serverId, moves: moves.map(signedOf), rotations: rotations.map(signedOf) },
    movedFrom: last && { serverId: last.from, movedAt: last.moved_at },
  }
}

function publishedOf({ keyId, publicKey, activeFrom, activeTo }: AttestationKey): PublishedKey {
  return { keyId, publicKey, activeFrom, activeTo }
}
