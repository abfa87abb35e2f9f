import { equalBytes } from '@blindkeep/protocol/bytes'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring, TokenSigner } from '../../ports/keyring.ts'
import type { ReadTx, Store } from '../../ports/store.ts'
import { cacheFor } from '../cache.ts'

/** What access and capability tokens are signed with (specification, ServerInfoResponse, signing_key): whichever key the server has now. */
export interface SigningKey extends Pick<TokenSigner, 'sign' | 'verify'> {
  /** Raw Ed25519 public key, 32 bytes. */
  publicKey(): Promise<Uint8Array>
  /** The key that the transaction sees, to sign with after its commit what it has kept of a token: a rotation comes before both or after both. */
  seenBy(tx: ReadTx): Promise<Pick<TokenSigner, 'sign'>>
}

interface SigningKeyPorts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
}

/** A rotation by another process is heard of by looking again, at the most so often. */
const LOOK_AGAIN_MS = 1_000

/**
 * The key that rests sealed as `sealed`, until a look at the store shows another: whoever asks later than that gets what the new key says, so that no
 * token of the old one, however often it was found good, is good any more. Throws `WrongMasterSecret`.
 */
export function createSigningKey({ store, keyring, clock }: SigningKeyPorts, sealed: Uint8Array): SigningKey {
  let current = { sealed, signer: keyring.openTokenKey(sealed) }

  async function look(tx: ReadTx): Promise<TokenSigner> {
    const found = await tx.server.fact('token_key')
    if (found !== undefined && !equalBytes(found, current.sealed))
      current = { sealed: found, signer: keyring.openTokenKey(found) }
    return current.signer
  }

  const signer = cacheFor(clock, LOOK_AGAIN_MS, () => store.read(look))
  return {
    sign: async (header, claims) => (await signer()).sign(header, claims),
    seenBy: look,
    verify: async (typ, token) => (await signer()).verify(typ, token),
    publicKey: async () => (await signer()).publicKey,
  }
}

/**
 * Puts a new signing key in the place of the present one: access and capability tokens that were signed until now are good no more, while refresh
 * tokens are. A server that runs takes it up within seconds. Gives the new public key, 32 bytes. Throws `WrongMasterSecret`, and changes nothing, when
 * the keyring does not open the present key, as it could not be the server's.
 */
export async function rotateSigningKey({ store, keyring, clock }: SigningKeyPorts): Promise<Uint8Array> {
  const made = keyring.createTokenKey()
  await store.write(async (tx) => {
    const present = await tx.server.fact('token_key')
    if (present !== undefined) keyring.openTokenKey(present)
    await tx.server.setFact('token_key', made)
    // For as long as a peer knows only the old key, the list of revoked tokens has to say so.
    await tx.capabilities.revokeAll(clock.now())
  })
  return keyring.openTokenKey(made).publicKey
}
