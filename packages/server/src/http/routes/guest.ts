import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant, parseSha256Hex } from '@blindkeep/protocol/ids'
import { readReceipt } from '@blindkeep/protocol/receipt'
import { INTEGER_MAX } from '@blindkeep/protocol/wire'
import type { AppendChunk } from '../../domain/chunks.ts'
import type { Drops } from '../../domain/drops.ts'
import type { Links } from '../../domain/links.ts'
import { isRefusal, type Refuses } from '../../domain/refusals.ts'
import { findDropUpload, type UploadEnding } from '../../domain/uploads.ts'
import type { Store } from '../../ports/store.ts'
import type { Call, Routes } from '../call.ts'
import { mediaType } from '../gates.ts'

/** What somebody with nothing but a link does. */
type Row = 'guestLink' | 'createDrop' | 'appendChunk' | 'dropSession' | 'cancelDrop' | 'guestReceipt'

interface GuestPorts {
  readonly store: Store
  readonly links: Links
  readonly drops: Drops
  readonly ending: UploadEnding
  readonly appendChunk: AppendChunk
}

export interface GuestSettings {
  readonly chunkBytesMost: number
  readonly chunkBytesSuggested: number
}

export function guestRoutes(
  { store, links, drops, ending, appendChunk }: GuestPorts,
  settings: GuestSettings,
): Pick<Routes, Row> {
  const suggested = { suggested_chunk_size: settings.chunkBytesSuggested }
  return {
    async guestLink({ params }) {
      const view = await links.asGuestSees(params.opaque_id)
      if (isRefusal(view)) return view
      const { link, contentTypes, maxFileSize, remainingBytes, remainingFiles } = view
      const body = {
        opaque_id: link.opaqueId,
        drop_pubkey: toBase64(link.dropPublicKey),
        crypto_suite_id: link.suiteId,
        protocol_version: link.protocolVersion,
        content_types: [...contentTypes],
        passphrase_required: link.verifierHash !== undefined,
        ...(maxFileSize !== undefined && { max_file_size: maxFileSize }),
        ...(remainingBytes !== undefined && { remaining_bytes: remainingBytes }),
        ...(remainingFiles !== undefined && { remaining_files: remainingFiles }),
        ...(link.expiresAt !== undefined && { expires_at: formatInstant(link.expiresAt) }),
        ...suggested,
      }
      return { status: 200, body }
    },

    async createDrop({ params, json, header, source }) {
      const answer = await drops.create({
        opaqueId: params.opaque_id,
        declaration: {
          contentType: json.content_type,
          size: json.size,
          ciphertextHash: json.ciphertext_hash,
          kemCt: json.kem_ct,
          suggestedFilename: json.suggested_filename,
        },
        proof: json.passphrase_proof,
        idempotencyKey: header('idempotency-key'),
        source,
      })
      return isRefusal(answer) ? answer : { status: 201, body: { upload_id: answer, ...suggested } }
    },

    async appendChunk(call) {
      const upload = await findDropUpload(store, { opaqueId: call.params.opaque_id, uploadId: call.params.upload_id })
      if (isRefusal(upload)) return upload
      const headers = mediaType('application/octet-stream', call.header) ?? chunkHeaders(call)
      if (isRefusal(headers)) return headers
      const body = call.body.pieces(settings.chunkBytesMost)
      const answer = await appendChunk(upload.uploadId, { ...headers, body, signal: call.signal })
      // The body's size is judged before the chunk's place: what a refusal or a repeat did not need is still read, and counted.
      if ((await call.body.drain(settings.chunkBytesMost)) === 'too_large') return { refused: 'body_too_large' }
      return isRefusal(answer) ? answer : { status: 204, headers: { 'X-Service-Offset': String(answer.offset) } }
    },

    async dropSession({ params }) {
      const upload = await findDropUpload(store, { opaqueId: params.opaque_id, uploadId: params.upload_id })
      if (isRefusal(upload)) return upload
      const { receivedBytes, size, state } = upload
      return {
        status: 200,
        headers: {
          'X-Service-Offset': String(receivedBytes),
          'X-Service-Length': String(size),
          'X-Service-State': state,
        },
      }
    },

    async cancelDrop({ params }) {
      const upload = await findDropUpload(store, { opaqueId: params.opaque_id, uploadId: params.upload_id })
      if (isRefusal(upload)) return upload
      return (await ending.cancel(upload)) ?? { status: 204 }
    },

    async guestReceipt({ params }) {
      const row = await drops.receipt({ opaqueId: params.opaque_id, uploadId: params.upload_id })
      return isRefusal(row) ? row : { status: 200, body: readReceipt(row.receiptCbor) }
    },
  }
}

function chunkHeaders({ header }: Pick<Call<'appendChunk'>, 'header'>) {
  const offset = header('x-service-offset')
  const checksum = parseSha256Hex(header('x-service-checksum') ?? '')
  if (offset === undefined || !/^\d{1,16}$/.test(offset) || Number(offset) > INTEGER_MAX)
    return { refused: 'offset_missing' } satisfies Refuses<'offset_missing'>
  if (checksum === undefined) return { refused: 'checksum_missing' } satisfies Refuses<'checksum_missing'>
  return { offset: Number(offset), checksum }
}
