/** A request that is signed in place of carrying a secret (`@blindkeep/protocol/proof`). */
import { toBase64 } from '@blindkeep/protocol/bytes'
import { type OperationName, type OperationOf, operations } from '@blindkeep/protocol/operations'
import { proofMessage } from '@blindkeep/protocol/proof'
import type { Proof } from '@blindkeep/protocol/schemas/accounts'
import { ed25519 } from '@noble/curves/ed25519.js'
import type { Calls } from './call.ts'
import type { CallRequest } from './callTypes.ts'
import { serverIdOf } from './ownAddress.ts'

type ProvedName = {
  [Name in OperationName]: OperationOf<Name> extends { readonly proves: true } ? Name : never
}[OperationName]

type BodyOf<Name extends ProvedName> = CallRequest<Name> extends { readonly body: infer Body } ? Body : never

/**
 * The body with its proof: signed with the Ed25519 key of `seed` (32 bytes, SECRET) for this operation, for the server
 * of the address that the person gave, and with a new nonce of that server. Good for one request within five minutes:
 * each repeat needs another. Throws what `serverIdOf` throws.
 */
export async function proved<Name extends ProvedName>(
  calls: Calls,
  name: Name,
  { seed, ...members }: Omit<BodyOf<Name>, 'proof'> & { readonly seed: Uint8Array },
): Promise<BodyOf<Name>> {
  const serverId = await serverIdOf(calls)
  const { nonce } = (await calls.call('nonce')).body
  const signature = ed25519.sign(proofMessage({ operation: operations[name], serverId, nonce, members }), seed)
  const proof: Proof = { key: toBase64(ed25519.getPublicKey(seed)), nonce, signature: toBase64(signature) }
  return { ...members, proof } as unknown as BodyOf<Name>
}
