/** A request that is signed in place of carrying a secret (`@blindkeep/protocol/proof`). */
import { toBase64 } from '@blindkeep/protocol/bytes'
import { type OperationName, type OperationOf, operations } from '@blindkeep/protocol/operations'
import { proofMessage } from '@blindkeep/protocol/proof'
import type { Proof } from '@blindkeep/protocol/schemas/accounts'
import { primitives } from '#primitives'
import type { Calls } from './call.ts'
import type { CallAnswer, CallRequest } from './callTypes.ts'
import { serverIdOf } from './ownAddress.ts'

type ProvedName = {
  [Name in OperationName]: OperationOf<Name> extends { readonly proves: true } ? Name : never
}[OperationName]

type BodyOf<Name extends ProvedName> = CallRequest<Name> extends { readonly body: infer Body } ? Body : never

/** Everything in the body but the proof. */
export type ProvedMembers<Name extends ProvedName> = Omit<BodyOf<Name>, 'proof'> & {
  /** Of the Ed25519 key that signs: 32 bytes, SECRET. */
  readonly seed: Uint8Array
}

/**
 * Sends a request with its proof: signed for this operation, for the server of the address that the person gave, and
 * with a new nonce of that server. Throws what `serverIdOf` and a call throw.
 */
export async function callProved<Name extends ProvedName>(
  calls: Calls,
  name: Name,
  { seed, ...members }: ProvedMembers<Name>,
): Promise<CallAnswer<Name>> {
  const serverId = await serverIdOf(calls)
  const { nonce } = (await calls.call('nonce')).body
  const signature = primitives.ed25519.sign(
    proofMessage({ operation: operations[name], serverId, nonce, members }),
    seed,
  )
  const proof: Proof = { key: publicKeyOf(seed), nonce, signature: toBase64(signature) }
  return calls.call(name, { body: { ...members, proof } } as unknown as CallRequest<Name>)
}

/** The public key of a seed, base64. */
export function publicKeyOf(seed: Uint8Array): string {
  return toBase64(primitives.ed25519.publicKeyOf(seed))
}
