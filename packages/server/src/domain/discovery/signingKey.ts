/** The present key of access and capability tokens (specification, ServerInfoResponse, signing_key). */
import { equalBytes } from '@blindkeep/protocol/bytes'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring, TokenSigner } from '../../ports/keyring.ts'
import type { ReadTx, Store, WriteTx } from '../../ports/store.ts'
import { readTogether, whileUnchanged } from '../ground/cache.ts'

export interface SigningKey extends Pick<TokenSigner, 'sign' | 'verify'> {
  /** As `verify`, if the store still has the key. */
  verifyNow: TokenSigner['verify']
  /** The key that was last seen. With another one, what `verify` answered no longer counts. */
  known(): object
  /** Raw Ed25519 public key, 32 bytes. */
  publicKey(): Promise<Uint8Array>
  /** The transaction's key. Callers store a token's row in it and sign after: a rotation is before or after both. */
  seenBy(tx: ReadTx): Promise<Pick<TokenSigner, 'sign'>>
}

interface SigningKeyPorts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
}

/**
 * Starts with the key in `sealed`, and switches when the store has another one. From then on no token of the old key is
 * valid, also when it was verified before. Throws `WrongMasterSecret`.
 */
export function createSigningKey(
  { store, keyring }: Pick<SigningKeyPorts, 'store' | 'keyring'>,
  sealed: Uint8Array,
): SigningKey {
  let current = { sealed, signer: keyring.openTokenKey(sealed) }

  async function look(tx: ReadTx): Promise<TokenSigner> {
    const found = await tx.server.fact('token_key')
    if (found !== undefined && !equalBytes(found, current.sealed))
      current = { sealed: found, signer: keyring.openTokenKey(found) }
    return current.signer
  }

  /** Nothing is signed or published with a key that another process has replaced. */
  const latest = whileUnchanged(
    store,
    readTogether(() => store.ask(look)),
  )

  return {
    sign: async (header, claims) => (await latest(undefined)).sign(header, claims),
    seenBy: look,
    known: () => current.signer,
    async verify(typ, token) {
      const known = current.signer
      const claims = await known.verify(typ, token)
      if (claims !== undefined) return claims
      // Another process may have signed it with a newer key.
      const present = await latest(undefined)
      return present === known ? undefined : present.verify(typ, token)
    },
    verifyNow: async (typ, token) => (await latest(undefined)).verify(typ, token),
    publicKey: async () => (await latest(undefined)).publicKey,
  }
}

/**
 * Replaces the signing key. Access and capability tokens of the old key become invalid; refresh tokens stay valid. A
 * running server switches within seconds. Returns the new public key, 32 bytes. Throws `WrongMasterSecret`, and changes
 * nothing, when the keyring cannot open the present key, as it is not the server's keyring then.
 */
export async function rotateSigningKey({ store, keyring, clock }: SigningKeyPorts): Promise<Uint8Array> {
  const created = keyring.createTokenKey()
  await store.write(['server'], (tx) => rotateSigningIn(tx, { keyring, clock, created }))
  return keyring.openTokenKey(created).publicKey
}

/** The same in the caller's transaction, which has locked the server. */
export async function rotateSigningIn(
  tx: WriteTx,
  { keyring, clock, created }: Omit<SigningKeyPorts, 'store'> & { readonly created: Uint8Array },
): Promise<void> {
  const present = await tx.server.fact('token_key')
  if (present !== undefined) keyring.openTokenKey(present)
  await tx.server.setFact('token_key', created)
  // A peer that still has the old key learns from the list of revoked tokens.
  await tx.capabilities.revokeAll(clock.now())
}
