/** An owner's upload of a blob, from its offset, which a repeated session request tells. */
import type { CreateUploadResponse } from '@blindkeep/protocol/schemas/uploads'
import { HEADERS } from '@blindkeep/protocol/wire'
import { jsonOf, pause, type Reply } from '../api.ts'
import type { Asset, AssetBlob, Bundle } from '../ledger.ts'
import { randomContent, sha256 } from '../random.ts'
import { isRefusedForSpace } from '../uploadRules.ts'
import type { AssetPorts } from './adopt.ts'
import { describeAsset, newBlob } from './assetLedger.ts'
import { uploadBody } from './author.ts'

/** Longer than the lease of a node that was killed while it finished the upload. */
const MAX_STALL_MS = 120_000
const RETRY_PAUSE_MS = 50

export interface OwnUpload {
  readonly asset: Asset
  readonly bundle: Bundle
  readonly blob: AssetBlob
}

export function ownBlob(role: AssetBlob['role'], name: string, size: number): AssetBlob {
  return newBlob({ role, name, size, hash: sha256(randomContent(name, size)), attempt: undefined })
}

/** Until it has landed; with `upTo`, until that many bytes are acknowledged. */
export async function uploadBlob(
  ports: AssetPorts,
  upload: OwnUpload,
  { chunkBytes, upTo = upload.blob.size }: { readonly chunkBytes: number; readonly upTo?: number },
): Promise<void> {
  const { blob } = upload
  const isDone = () => (upTo < blob.size ? blob.acknowledgedOffset >= upTo : blob.landed === 'acknowledged')
  const deadline = ports.api.deadline(MAX_STALL_MS)
  for (let acknowledged = -1; !isDone(); ) {
    if (blob.acknowledgedOffset > acknowledged) deadline.restart()
    acknowledged = blob.acknowledgedOffset
    if (deadline.isOver()) throw new Error(`no progress of an upload: ${describeAsset(upload.asset)}`)
    if (await openOrFind(ports, upload)) await appendUpTo(ports, upload, { chunkBytes, upTo })
    if (!isDone()) await pause(RETRY_PAUSE_MS)
  }
}

/** False when the full disk refused the session. */
async function openOrFind(ports: AssetPorts, { asset, bundle, blob }: OwnUpload): Promise<boolean> {
  const { api, ledger } = ports
  const fault = (what: string) => ledger.fault(`${what}: ${describeAsset(asset)}`)
  const json = uploadBody(asset, bundle, blob)
  const reply = await api.askUntilAnswered({ method: 'POST', path: '/v1/upload', token: asset.owner.token, json })
  if (isRefusedForSpace(ports, reply)) return false
  if (reply.status !== 200 && reply.status !== 201) throw new Error(`an upload was answered ${describeReply(reply)}`)
  const { upload_id: uploadId } = jsonOf<CreateUploadResponse>(reply)
  if (blob.uploadId !== undefined && blob.uploadId !== uploadId) fault('an acknowledged session has another id')
  blob.uploadId = uploadId
  noteOffset(reply.status === 200 ? reply.offset : 0, blob, fault)
  return true
}

function noteOffset(offset: number, blob: AssetBlob, fault: (what: string) => void): void {
  if (!(offset >= blob.acknowledgedOffset)) fault(`a session goes back from ${blob.acknowledgedOffset} to ${offset}`)
  blob.acknowledgedOffset = Math.max(blob.acknowledgedOffset, offset || 0)
}

async function appendUpTo(
  ports: AssetPorts,
  upload: OwnUpload,
  { chunkBytes, upTo }: { readonly chunkBytes: number; readonly upTo: number },
): Promise<void> {
  const { blob } = upload
  const content = blob.content ?? randomContent(blob.name, blob.size)
  while (blob.acknowledgedOffset < upTo) {
    const chunk = content.subarray(blob.acknowledgedOffset, blob.acknowledgedOffset + chunkBytes)
    if (!(await append(ports, upload, chunk))) return
  }
  if (upTo === blob.size && blob.landed !== 'acknowledged') await askWhetherLanded(ports, upload)
}

/** False when only the server knows the outcome. */
async function append(ports: AssetPorts, { asset, blob }: OwnUpload, chunk: Buffer<ArrayBuffer>): Promise<boolean> {
  const { api, ledger, moments } = ports
  const offset = blob.acknowledgedOffset
  const isLast = offset + chunk.length === blob.size
  if (isLast && blob.landed === 'no') blob.landed = 'asked'
  moments.note(isLast ? 'last chunk sent' : 'chunk sent')
  const reply = await api.ask({
    method: 'PATCH',
    path: `/v1/upload/${blob.uploadId}`,
    token: asset.owner.token,
    headers: { [HEADERS.offset]: String(offset), [HEADERS.checksum]: sha256(chunk) },
    bytes: chunk,
  })
  if (reply === undefined || isRefusedForSpace(ports, reply)) return false
  if (reply.status !== 204 || reply.offset !== offset + chunk.length) {
    ledger.fault(
      `a chunk at ${offset} was answered ${describeReply(reply)}, offset ${reply.offset}: ${describeAsset(asset)}`,
    )
    return false
  }
  blob.acknowledgedOffset = reply.offset
  if (isLast) noteLanded(ports, blob)
  return true
}

/** The server has all bytes and the last answer was lost: the session lands without a further request. */
async function askWhetherLanded(ports: AssetPorts, { asset, blob }: OwnUpload): Promise<void> {
  const path = `/v1/upload/${blob.uploadId}`
  const reply = await ports.api.askUntilAnswered({ method: 'HEAD', path, token: asset.owner.token })
  const state = reply.header(HEADERS.state)
  if (state === 'landed' && blob.landed !== 'no') noteLanded(ports, blob)
  else if (state !== 'finishing')
    ports.ledger.fault(`a session that has all its bytes is ${reply.status} ${state}: ${describeAsset(asset)}`)
}

function noteLanded({ ledger, moments }: AssetPorts, blob: AssetBlob): void {
  blob.landed = 'acknowledged'
  moments.note('landed')
  ledger.counts.ownUploads++
}

function describeReply({ status, code, body }: Reply): string {
  return `${status} ${code ?? body.toString()}`
}
