/** The server's keys: created at the first start, opened later. Attestation and signing keys rotate while it runs. */
import type { KeyId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { AttestationSigner, Keyring } from '../../ports/keyring.ts'
import type { Random } from '../../ports/random.ts'
import type { AttestationKey, ServerFact, Store } from '../../ports/store.ts'
import { createSigningKey, type SigningKey } from '../discovery/signingKey.ts'
import { keyFrom, MAX_CHOSEN_ROTATIONS, type Rotation, requireRoomForRotation, rotateIn } from './keyChanges.ts'

export interface ServerKeys {
  /** Throws `WrongMasterSecret`. */
  readonly signerOf: SignerOf
  readonly tokens: SigningKey
  /** 32 random bytes for values that must be unguessable and the same after every start. */
  readonly serverSecret: Uint8Array
}

export type SignerOf = (key: AttestationKey) => Pick<AttestationSigner, 'receipts'>

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

/**
 * Activates a new attestation key and retires the old one, in one transaction (specification, States and transitions,
 * Attestation key). Receipts that the old key has signed but that have not committed are signed again. Throws what
 * `rotateIn` throws, and changes nothing.
 */
export async function rotateAttestationKey({ store, keyring, clock }: Omit<KeyPorts, 'random'>): Promise<Rotation> {
  const created = keyring.createAttestationKey()
  return store.write(['receipt log', 'chain', 'server'], async (tx) => {
    await requireRoomForRotation(tx, MAX_CHOSEN_ROTATIONS)
    return rotateIn(tx, { keyring, clock, created })
  })
}
