import { equalBytes, utf8 } from '@blindkeep/protocol/bytes'
import { type Instant, instantOf, type KeyId } from '@blindkeep/protocol/ids'
import { keyId } from '@blindkeep/protocol/keys'
import type { Clock } from '../../ports/clock.ts'
import type { AttestationSigner, Keyring } from '../../ports/keyring.ts'
import type { Random } from '../../ports/random.ts'
import type { AttestationKey, ServerFact, Store } from '../../ports/store.ts'
import { createSigningKey, type SigningKey } from '../discovery/signingKey.ts'

/** The server's own keys: made at the first start, opened at every other. Both kinds may be rotated while the server runs. */
export interface ServerKeys {
  /** Throws `WrongMasterSecret`. */
  readonly signerOf: SignerOf
  readonly tokens: SigningKey
  /** For what must stay the same from one start to the next and be guessed by nobody. */
  readonly serverSecret: Uint8Array
}

export type SignerOf = (key: AttestationKey) => AttestationSigner

interface KeyPorts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly random: Random
}

/** Throws `WrongMasterSecret` when the keyring is not the one that they were sealed with. */
export async function openServerKeys({ store, keyring, clock, random }: KeyPorts): Promise<ServerKeys> {
  const sealedTokenKey = await factOrMade('token_key', () => keyring.createTokenKey())
  const sealedSecret = await factOrMade('server_secret', () => keyring.seal('server-secret', random.bytes(32)))
  const signerOf = createSigners(keyring)
  signerOf(await activeKeyOrMade())
  return {
    signerOf,
    tokens: createSigningKey({ store, keyring, clock }, sealedTokenKey),
    serverSecret: keyring.open('server-secret', sealedSecret),
  }

  async function factOrMade(name: ServerFact, make: () => Uint8Array): Promise<Uint8Array> {
    return store.write(async (tx) => {
      const present = await tx.server.fact(name)
      if (present !== undefined) return present
      const made = make()
      await tx.server.setFact(name, made)
      return made
    })
  }

  async function activeKeyOrMade() {
    return store.write(async (tx) => {
      const present = await tx.keys.activeAttestationKey()
      if (present !== undefined) return present
      const key = keyFrom(keyring.createAttestationKey(), clock.now())
      await tx.keys.insertAttestationKey(key)
      return key
    })
  }
}

/** Opening a key costs more than signing with it. One is kept: the others do not sign any more. */
function createSigners(keyring: Keyring): SignerOf {
  let last: { readonly keyId: KeyId; readonly signer: AttestationSigner } | undefined
  return (key) => {
    if (last?.keyId !== key.keyId) last = { keyId: key.keyId, signer: keyring.openAttestationKey(key) }
    return last.signer
  }
}

function keyFrom(made: ReturnType<Keyring['createAttestationKey']>, activeFrom: Instant): AttestationKey {
  return { ...made, keyId: keyId(made.publicKey), activeFrom, activeTo: undefined }
}

export interface Rotation {
  readonly retired: KeyId
  readonly active: KeyId
  /** When the one stopped and the other began. */
  readonly at: Instant
}

/**
 * A new attestation key becomes active, the old one keeps its end (specification, States and transitions, Attestation key), in one transaction.
 * The moment lies at or after everything that the old key has signed; what it has signed and not committed by then is signed again with the new one.
 * Throws `WrongMasterSecret`, and changes nothing, when the keyring does not open the old key: the server could not open the new one.
 */
export async function rotateAttestationKey({ store, keyring, clock }: Omit<KeyPorts, 'random'>): Promise<Rotation> {
  const made = keyring.createAttestationKey()
  return store.write(async (tx) => {
    const old = await tx.keys.activeAttestationKey()
    if (old === undefined) throw new Error('there is no attestation key yet: the server’s first start makes it')
    keyring.openAttestationKey(old)
    const head = await tx.receipts.head()
    const at = instantOf(Math.max(clock.now(), head?.receivedAt ?? 0, old.activeFrom))
    const key = keyFrom(made, at)
    await tx.keys.retireAttestationKey(old.keyId, at)
    await tx.keys.insertAttestationKey(key)
    return { retired: old.keyId, active: key.keyId, at }
  })
}

export class WrongServerId extends Error {
  override readonly name = 'WrongServerId'
}

/** Receipts name the server's origin for ever, so a server that has signed any keeps its origin. */
export async function checkServerId(store: Store, serverId: string): Promise<void> {
  const written = await store.read((tx) => tx.server.fact('server_id'))
  if (written === undefined || equalBytes(written, utf8(serverId))) return
  const known = new TextDecoder().decode(written)
  throw new WrongServerId(
    `this data directory has signed receipts as ${known}, and would now call itself ${serverId}. Set PUBLIC_URL (or HOST and PORT) back to ${known}, or use another DATA_DIR.`,
  )
}
