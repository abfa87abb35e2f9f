import { toBase64 } from '@blindkeep/protocol/bytes'
import { type OperationName, operations } from '@blindkeep/protocol/operations'
import { proofMessage } from '@blindkeep/protocol/proof'
import { publicBytes, signingKey, signMessage } from '../ground/signatures.ts'
import type { Web } from './http.ts'

/** The members of a request with a proof of the key of `seed` (32 bytes), with a nonce of the server. */
export async function provedBody(
  ask: Web['ask'],
  {
    operation,
    serverId,
    seed,
  }: { readonly operation: OperationName; readonly serverId: string; readonly seed: Uint8Array },
  members: object,
): Promise<object> {
  const { nonce } = (await ask({ method: 'POST', url: operations.nonce.path })).json()
  const key = signingKey('ed25519', seed)
  const message = proofMessage({ operation: operations[operation], serverId, nonce, members })
  const signature = toBase64(signMessage(key, message))
  return { ...members, proof: { key: toBase64(publicBytes(key)), nonce, signature } }
}
