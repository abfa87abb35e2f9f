/** Register, link, drop, receipt, with the typescript-fetch of openapi-generator. */
import type { Facts } from '../facts.ts'
import { PASSWORD } from '../facts.ts'
import { AccountsApi, Configuration, GuestApi, LinksApi } from '../made/openapiGenerator'

export async function story({ baseUrl, email, opaqueId, sealed, hash, kemCt }: Facts) {
  const accounts = new AccountsApi(new Configuration({ basePath: baseUrl }))
  const { accessToken } = await accounts.register({ registerRequest: { email, password: PASSWORD } })
  const links = new LinksApi(new Configuration({ basePath: baseUrl, accessToken }))
  await links.provisionLink({ provisionLinkRequest: { opaqueId, dropPubkey: 'AAAA', cryptoSuiteId: 1 } })

  const guest = new GuestApi(new Configuration({ basePath: baseUrl }))
  const declared = { contentType: 'application/octet-stream', size: sealed.length, ciphertextHash: hash, kemCt }
  const { uploadId } = await guest.createDrop({ opaqueId, idempotencyKey: 'once', createDropRequest: declared })
  const session = { opaqueId, uploadId }
  await guest.appendChunk({ ...session, xServiceOffset: 0, xServiceChecksum: hash, body: new Blob([sealed]) })
  const { ciphertextHash, size } = await guest.guestReceipt(session)
  return { ciphertext_hash: ciphertextHash, size }
}
