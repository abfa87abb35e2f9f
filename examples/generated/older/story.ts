/** Register, link, drop, receipt, with the typescript-fetch of openapi-generator. */
import { type Facts, registration } from '../facts.ts'
import { AccountsApi, Configuration, DiscoveryApi, GuestApi, LinksApi } from '../made/openapiGenerator'

export async function story({ baseUrl, email, opaqueId, sealed, hash, kemCt }: Facts) {
  const { serverId } = await new DiscoveryApi(new Configuration({ basePath: baseUrl })).serverInfo()
  const accounts = new AccountsApi(new Configuration({ basePath: baseUrl }))
  const { nonce } = await accounts.nonce()
  const { accessToken } = await accounts.register({ registerRequest: await registration(email, { serverId, nonce }) })
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
