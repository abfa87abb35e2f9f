/** The server's keys: created at the first start, opened later. Attestation and signing keys rotate while it runs. */
import { type Instant, instantOf, type KeyId } from '@blindkeep/protocol/ids'
import { keyId } from '@blindkeep/protocol/keys'
import type { Clock } from '../../ports/clock.ts'
import type { AttestationSigner, Keyring } from '../../ports/keyring.ts'
import type { Random } from '../../ports/random.ts'
import type { AttestationKey, ServerFact, Store, WriteTx } from '../../ports/store.ts'
import { createSigningKey, type SigningKey } from '../discovery/signingKey.ts'

export interface ServerKeys {
  /** Throws `WrongMasterSecret`. */
  readonly signerOf: SignerOf
  readonly tokens: SigningKey
  /** 32 random bytes for values that must be unguessable and the same after every start. */
  readonly serverSecret: Uint8Array
}

export type SignerOf = (key: AttestationKey) => AttestationSigner

interface KeyPorts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly random: Random
}

/** Throws `WrongMasterSecret` when the keys were sealed with another master secret. */
export async function openServerKeys({ store, keyring, clock, random }: KeyPorts): Promise<ServerKeys> {
  const sealedTokenKey = await findOrCreateFact('token_key', () => keyring.createTokenKey())
  const sealedSecret = await findOrCreateFact('server_secret', () => keyring.seal('server-secret', random.bytes(32)))
  const signerOf = createSigners(keyring)
  signerOf(await findOrCreateActiveKey())
  return {
    signerOf,
    tokens: createSigningKey({ store, keyring }, sealedTokenKey),
    serverSecret: keyring.open('server-secret', sealedSecret),
  }

  async function findOrCreateFact(name: ServerFact, create: () => Uint8Array): Promise<Uint8Array> {
    return store.write(['server'], async (tx) => {
      const present = await tx.server.fact(name)
      if (present !== undefined) return present
      const created = create()
      await tx.server.setFact(name, created)
      return created
    })
  }

  async function findOrCreateActiveKey() {
    return store.write(['chain'], async (tx) => {
      const present = await tx.keys.activeAttestationKey()
      if (present !== undefined) return present
      const key = keyFrom(keyring.createAttestationKey(), clock.now())
      await tx.keys.insertAttestationKey(key)
      return key
    })
  }
}

/** Opening a key costs more than signing with it, so the last opened signer is cached: older keys sign no more. */
function createSigners(keyring: Keyring): SignerOf {
  let cached: { readonly keyId: KeyId; readonly signer: AttestationSigner } | undefined
  return (key) => {
    if (cached?.keyId !== key.keyId) cached = { keyId: key.keyId, signer: keyring.openAttestationKey(key) }
    return cached.signer
  }
}

function keyFrom(created: ReturnType<Keyring['createAttestationKey']>, activeFrom: Instant): AttestationKey {
  return { ...created, keyId: keyId(created.publicKey), activeFrom, activeTo: undefined }
}

export interface Rotation {
  readonly retired: KeyId
  readonly active: KeyId
  /** The end of the retired key and the beginning of the active one. */
  readonly at: Instant
}

/**
 * Activates a new attestation key and retires the old one, in one transaction (specification, States and transitions,
 * Attestation key). The instant is at or after the last receipt of the old key. Receipts that the old key has signed
 * but that have not committed are signed again. Throws `WrongMasterSecret`, and changes nothing, when the keyring does
 * not open the old key: the server could not open the new one either.
 */
export async function rotateAttestationKey({ store, keyring, clock }: Omit<KeyPorts, 'random'>): Promise<Rotation> {
  const created = keyring.createAttestationKey()
  return store.write(['receipt log', 'chain'], (tx) => rotateIn(tx, { keyring, clock, created }))
}

/** The same in the caller's transaction, which has locked the receipt log and the chain. */
export async function rotateIn(
  tx: WriteTx,
  {
    keyring,
    clock,
    created,
  }: Pick<KeyPorts, 'keyring' | 'clock'> & { readonly created: ReturnType<Keyring['createAttestationKey']> },
): Promise<Rotation> {
  const old = await tx.keys.activeAttestationKey()
  if (old === undefined) throw new Error('there is no attestation key yet: start the server once to create it')
  keyring.openAttestationKey(old)
  const head = await tx.receipts.head()
  const at = instantOf(Math.max(clock.now(), head?.receivedAt ?? 0, old.activeFrom))
  const key = keyFrom(created, at)
  await tx.keys.retireAttestationKey(old.keyId, at)
  await tx.keys.insertAttestationKey(key)
  return { retired: old.keyId, active: key.keyId, at }
}
