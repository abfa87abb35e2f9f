import { type Bytes, fromHex } from '@blindkeep/protocol/bytes'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import type { Environment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import { serverIdOf } from '../http/ownAddress.ts'
import { passphraseSalt } from '../seal/derive.ts'
import type { SpelledPassphrase } from '../seal/passphraseSpellings.ts'

interface PassphrasePorts {
  readonly calls: Calls
  readonly environment: Pick<Environment, 'passphraseProof'>
}

/** Verifier and proof for this link: 64 MiB, about a second. Throws `AddressError`, and what a call throws. */
export async function linkPassphraseProof(
  { calls, environment }: PassphrasePorts,
  { opaqueId, passphrase }: { readonly opaqueId: OpaqueId; readonly passphrase: SpelledPassphrase },
): Promise<Bytes> {
  const serverId = await serverIdOf(calls)
  return environment.passphraseProof(passphrase, passphraseSalt(serverId, fromHex(opaqueId)))
}
