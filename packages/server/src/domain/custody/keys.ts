/** The server's keys: created at the first start, opened later. Attestation and signing keys rotate while it runs. */
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Random } from '../../ports/random.ts'
import type { ServerFact, Store } from '../../ports/store.ts'
import { createSigningKey, type SigningKey } from '../discovery/signingKey.ts'
import { keyFrom, MAX_CHOSEN_ROTATIONS, type Rotation, requireRoomForRotation, rotateIn } from './keyChanges.ts'

export interface ServerKeys {
  readonly tokens: SigningKey
  /** 32 random bytes for values that must be unguessable and the same after every start. */
  readonly serverSecret: Uint8Array
}

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
  keyring.openAttestationKey(await findOrCreateActiveKey())
  return {
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
