/** Register, link, drop, receipt, with openapi-typescript and openapi-fetch. */
import createClient from 'openapi-fetch'
import { type Facts, MAX_FILE_BYTES, registration } from './facts.ts'
import type { components, paths } from './made/types.ts'

type Receipt = components['schemas']['AssetReceipt']

export async function story({ baseUrl, email, opaqueId, sealed, hash, kemCt }: Facts): Promise<Receipt> {
  const client = createClient<paths>({ baseUrl })
  const info = await client.GET('/.well-known/service/server-info')
  const given = await client.POST('/v1/auth/nonce')
  if (info.data === undefined || given.data === undefined) throw new Error('no server facts, or no nonce')
  const account = await registration(email, { serverId: info.data.server_id, nonce: given.data.nonce })
  const registered = await client.POST('/v1/auth/register', { body: account })
  // `data` and not `error`: a 413 for the limit of bodies has no body, so `error` may be undefined.
  if (registered.data === undefined) throw new Error(registered.error?.code)
  const headers = { Authorization: `Bearer ${registered.data.access_token}` }
  const path = { opaque_id: opaqueId }
  const link = { opaque_id: opaqueId, drop_pubkey: 'AAAA', crypto_suite_id: 1, max_file_size: MAX_FILE_BYTES }
  const provisioned = await client.POST('/v1/drops/links', { headers, body: link })
  if (provisioned.data === undefined) throw new Error(provisioned.error?.code)

  const body = { content_type: 'application/octet-stream', size: sealed.length, ciphertext_hash: hash, kem_ct: kemCt }
  const tooLarge = await client.POST('/d/{opaque_id}', { params: { path }, body })
  // The code narrows the type, so that `limit` is known.
  if (tooLarge.error?.code !== 'error.drop.file_too_large' || tooLarge.error.limit !== MAX_FILE_BYTES)
    throw new Error('the link took a file that is too large')
  const changed = await client.PATCH('/v1/drops/links/{opaque_id}', {
    headers,
    params: { path },
    body: { max_file_size: null },
  })
  if (changed.data === undefined) throw new Error(changed.error?.code)

  const created = await client.POST('/d/{opaque_id}', { params: { path }, body })
  if (created.data === undefined) throw new Error(created.error?.code)
  const session = { ...path, upload_id: created.data.upload_id }
  const chunk = await client.PATCH('/d/{opaque_id}/{upload_id}', {
    params: { path: session, header: { 'X-Service-Offset': 0, 'X-Service-Checksum': hash } },
    headers: { 'Content-Type': 'application/octet-stream' },
    body: new Blob([sealed]),
    bodySerializer: (bytes) => bytes,
  })
  if (!chunk.response.ok) throw new Error(chunk.error?.code)
  const receipt = await client.GET('/d/{opaque_id}/{upload_id}/receipt', { params: { path: session } })
  if (receipt.data === undefined) throw new Error(receipt.error?.code)
  return receipt.data
}
