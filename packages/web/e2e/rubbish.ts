import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createCalls } from '@blindkeep/client/call'
import { parseLink } from '@blindkeep/client/guest'
import { parseSha256Hex } from '@blindkeep/protocol/ids'

/** Sends random bytes that no client has encrypted, as a malicious guest with the link can. */
export async function dropRubbish(url: string, size = 3000): Promise<void> {
  const { baseUrl, opaqueId } = parseLink(url)
  const { call } = createCalls({ baseUrl })
  const rubbish = Uint8Array.from(randomBytes(size))
  const hash = parseSha256Hex(createHash('sha256').update(rubbish).digest('hex'))
  assert.ok(hash)
  const { body } = await call('createDrop', {
    path: { opaque_id: opaqueId },
    body: {
      content_type: 'application/octet-stream',
      size,
      ciphertext_hash: hash,
      kem_ct: randomBytes(1120).toString('base64'),
    },
  })
  await call('appendChunk', {
    path: { opaque_id: opaqueId, upload_id: body.upload_id },
    headers: { 'X-Service-Offset': '0', 'X-Service-Checksum': hash },
    body: rubbish,
  })
}
