/** Bodies with a proof, for requests that tests write themselves. */
import { type Key, newKey, proofOf } from '../conformance/proving.ts'

export interface Proving {
  readonly members: object
  /** By default a new one, which no account has. */
  readonly key?: Key
}

/** The body for `POST path` at the server of this address, by default with a key of its own. */
export async function provedBody(url: string, path: string, { members, key = newKey() }: Proving): Promise<object> {
  const facts = await fetch(`${url}/.well-known/service/server-info`)
  const { server_id: serverId } = (await facts.json()) as { readonly server_id: string }
  const answer = await fetch(`${url}/v1/auth/nonce`, { method: 'POST' })
  const { nonce } = (await answer.json()) as { readonly nonce: string }
  const label = 'service/proof/1'
  return { ...members, proof: proofOf(key, { label, method: 'POST', path, serverId, nonce, members }) }
}
