/** Register, link, drop, receipt, with @hey-api/openapi-ts. */
import { type Facts, MAX_FILE_BYTES, registration } from './facts.ts'
import { createClient } from './made/heyApi/client/index.ts'
import {
  appendChunk,
  changeLink,
  createDrop,
  guestReceipt,
  nonce,
  provisionLink,
  register,
  serverInfo,
} from './made/heyApi/sdk.gen.ts'
import type { AssetReceipt } from './made/heyApi/types.gen.ts'

export async function story({ baseUrl, email, opaqueId, sealed, hash, kemCt }: Facts): Promise<AssetReceipt> {
  const client = createClient({ baseUrl })
  const throwing = { client, throwOnError: true } as const
  const { server_id: serverId } = (await serverInfo(throwing)).data
  const given = (await nonce(throwing)).data
  const { data: tokens } = await register({
    ...throwing,
    body: await registration(email, { serverId, nonce: given.nonce }),
  })
  const auth = tokens.access_token
  const link = { opaque_id: opaqueId, drop_pubkey: 'AAAA', crypto_suite_id: 1, max_file_size: MAX_FILE_BYTES }
  await provisionLink({ ...throwing, auth, body: link })

  const path = { opaque_id: opaqueId }
  const body = { content_type: 'application/octet-stream', size: sealed.length, ciphertext_hash: hash, kem_ct: kemCt }
  const { error } = await createDrop({ client, path, body })
  // The code narrows the type, so that `limit` is known.
  if (error?.code !== 'error.drop.file_too_large' || error.limit !== MAX_FILE_BYTES)
    throw new Error('the link took a file that is too large')
  await changeLink({ ...throwing, auth, path, body: { max_file_size: null } })

  const { data: created } = await createDrop({ ...throwing, path, body })
  const session = { ...path, upload_id: created.upload_id }
  const headers = { 'X-Service-Offset': 0, 'X-Service-Checksum': hash }
  await appendChunk({ ...throwing, path: session, headers, body: new Blob([sealed]) })
  return (await guestReceipt({ ...throwing, path: session })).data
}
