/**
 * The passphrase of a share. Both the key in the address and the passphrase are needed to open its index, and a server
 * that keeps the rules gives the index only for the proof. So a person who has the address alone can try passphrases
 * only at the server, which limits the tries (decisions/shares.md).
 */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Environment } from '../ground/environment.ts'
import { sharePassphraseKey, sharePassphraseProof, sharePassphraseSalt } from '../seal/derive.ts'
import { normalPassphrase } from '../seal/passphraseSpellings.ts'

export interface SharePassphrase {
  /** SECRET: seals the index. Never sent. */
  readonly indexKey: Bytes
  /** For the server, which has it as verifier. */
  readonly proof: Bytes
}

interface GivenPassphrase {
  /** 32 bytes. */
  readonly shareKey: Uint8Array
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** As typed. */
  readonly passphrase: string
}

/** 64 MiB and about a second. */
export async function stretchSharePassphrase(
  { passphraseProof }: Pick<Environment, 'passphraseProof'>,
  { shareKey, opaqueId, passphrase }: GivenPassphrase,
): Promise<SharePassphrase> {
  const salt = sharePassphraseSalt(shareKey, opaqueId)
  const stretched = await passphraseProof(normalPassphrase(passphrase), salt)
  const inputs = { shareKey, stretched, opaqueId }
  return { indexKey: sharePassphraseKey(inputs), proof: sharePassphraseProof(inputs) }
}
