/** An owner with album and device, and declarations of blobs: random bytes, except signed provenances. */
import { randomUUID } from 'node:crypto'
import { SEGMENT_PLAINTEXT_BYTES } from '@blindkeep/protocol/suites'
import { HEADERS } from '@blindkeep/protocol/wire'
import { newDeviceKeys, signManifest } from '../../../conformance/provenanceWriter.ts'
import { newKey } from '../../../conformance/proving.ts'
import { provedBody } from '../../../testing/proving.ts'
import { type Api, jsonOf, type Reply } from '../api.ts'
import type { Adoption, Asset, AssetBlob, Bundle, Owner } from '../ledger.ts'
import { type Random, sha256 } from '../random.ts'
import { newBlob } from './assetLedger.ts'

export async function signUp(api: Api, random: Random): Promise<Owner> {
  const [email, key] = [`${random.hex(8)}@faults.example`, newKey(Buffer.from(random.hex(32), 'hex'))]
  const path = '/v1/auth/register'
  const json = await provedBody(api.url, path, { members: { email }, key })
  const registered = await api.askUntilAnswered({ method: 'POST', path, json })
  if (registered.status !== 201) throw new Error(`a registration was answered ${registered.status} ${registered.code}`)
  const { access_token: token, account_id: accountId } = jsonOf<{ access_token: string; account_id: string }>(
    registered,
  )
  const make = async (path: string, body: object): Promise<Reply> => {
    const reply = await api.askUntilAnswered({ method: 'POST', path, token, json: body })
    if (reply.status !== 201) throw new Error(`${path} was answered ${reply.status} ${reply.code}`)
    return reply
  }
  const albumId = randomUUID()
  const deviceId = randomUUID()
  const deviceKeys = newDeviceKeys()
  await make('/v1/devices', { device_id: deviceId, public_key: deviceKeys.publicKey.toString('base64') })
  const answer = await make('/v1/albums', { album_id: albumId })
  const protocolVersion = answer.header(HEADERS.protocolMax)
  if (protocolVersion === undefined) throw new Error('an answer lacks the protocol version')
  return { email, key, token, accountId, albumId, deviceId, deviceKeys, protocolVersion }
}

export function adoptionBody({ asset, bundle }: Adoption) {
  return { ...declaration(asset, bundle, bundle.original), asset_id: asset.assetId }
}

export function uploadBody(asset: Asset, bundle: Bundle, blob: AssetBlob) {
  return { ...declaration(asset, bundle, blob), blob_role: blob.role }
}

/** The manifest of a bundle, signed by its owner's device. */
export function provenanceOf(asset: Asset, bundle: Bundle): AssetBlob {
  const { original } = bundle
  const content = signManifest(declaration(asset, bundle, original).manifest_envelope, asset.owner.deviceKeys)
  const [name, size, hash] = [`provenance of ${original.name}`, content.length, sha256(content)]
  const blob = newBlob({ role: 'provenance', name, size, hash, attempt: undefined })
  return { ...blob, content, timestamp: original.timestamp }
}

function declaration({ owner, assetId }: Asset, { action, original }: Bundle, { size, hash, timestamp }: AssetBlob) {
  const common = {
    album_id: owner.albumId,
    crypto_suite_id: 1,
    protocol_version: owner.protocolVersion,
    key_mode: 'derived' as const,
  }
  const envelope = {
    ...common,
    file_id: assetId,
    amk_version: 1,
    ciphertext_hash: hash,
    plaintext_size: 1,
    chunk_size: SEGMENT_PLAINTEXT_BYTES,
    original_blob_hash: original.hash,
    created_by_user: owner.accountId,
    created_by_device: owner.deviceId,
    client_version: 'faults/1',
    timestamp,
    action,
  }
  return { ...common, size, hash, content_type: 'application/octet-stream', manifest_envelope: envelope }
}
