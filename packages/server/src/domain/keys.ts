import { equalBytes, utf8 } from '@blindkeep/protocol/bytes'
import { keyId } from '@blindkeep/protocol/keys'
import type { Clock } from '../ports/clock.ts'
import type { Keyring, TokenSigner } from '../ports/keyring.ts'
import type { Random } from '../ports/random.ts'
import type { ServerFact, Store } from '../ports/store.ts'
import type { ActiveAttestationKey } from './receipts.ts'

/** The server's own keys: made at the first start, opened at every other. */
export interface ServerKeys {
  readonly active: ActiveAttestationKey
  readonly tokens: TokenSigner
  /** For what must stay the same from one start to the next and be guessed by nobody. */
  readonly serverSecret: Uint8Array
}

interface KeyPorts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly random: Random
}

export async function openServerKeys({ store, keyring, clock, random }: KeyPorts): Promise<ServerKeys> {
  const sealedTokenKey = await factOrMade('token_key', () => keyring.createTokenKey())
  const sealedSecret = await factOrMade('server_secret', () => keyring.seal('server-secret', random.bytes(32)))
  const key = await activeKeyOrMade()
  return {
    active: { keyId: key.keyId, signer: keyring.openAttestationKey(key), activeFrom: key.activeFrom },
    tokens: keyring.openTokenKey(sealedTokenKey),
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
      const present = (await tx.keys.attestationKeys()).at(-1)
      if (present !== undefined) return present
      const made = keyring.createAttestationKey()
      const key = { ...made, keyId: keyId(made.publicKey), activeFrom: clock.now(), activeTo: undefined }
      await tx.keys.insertAttestationKey(key)
      return key
    })
  }
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
