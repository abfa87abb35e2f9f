/** The operations of a guest. */
import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import { readReceipt } from '@blindkeep/protocol/receipt'
import type { Chunks } from '../../domain/arrival/chunks.ts'
import type { Drops } from '../../domain/drops/drops.ts'
import type { Links } from '../../domain/drops/links.ts'
import type { RefusedDrops } from '../../domain/drops/refusedDrops.ts'
import { isRefusal, type Refusal, type Refuses } from '../../domain/ground/refusals.ts'
import { findDropUpload } from '../../domain/uploads/findUpload.ts'
import type { UploadEnding } from '../../domain/uploads/uploadEnding.ts'
import type { Store } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { chunkAnswer, sessionHeaders } from '../chunk.ts'

type Row = 'guestLink' | 'createDrop' | 'noteHeldBack' | 'appendChunk' | 'dropSession' | 'cancelDrop' | 'guestReceipt'

interface GuestPorts {
  readonly store: Store
  readonly links: Links
  readonly drops: Drops
  readonly refusedDrops: RefusedDrops
  readonly ending: UploadEnding
  readonly chunks: Chunks
}

export interface GuestSettings {
  readonly chunkBytesMax: number
  readonly chunkBytesSuggested: number
}

export function guestRoutes(
  { store, links, drops, refusedDrops, ending, chunks }: GuestPorts,
  settings: GuestSettings,
): Pick<Routes, Row> {
  const suggested = { suggested_chunk_size: settings.chunkBytesSuggested }
  return {
    async guestLink({ params }) {
      const view = await links.asGuestSees(params.opaque_id)
      if (isRefusal(view)) return view
      const { link, sealedTitle, contentTypes, maxFileSize, remainingBytes, remainingFiles, isInboxFull } = view
      const body = {
        opaque_id: link.opaqueId,
        drop_pubkey: toBase64(link.dropPublicKey),
        crypto_suite_id: link.suiteId,
        protocol_version: link.protocolVersion,
        content_types: [...contentTypes],
        ...(sealedTitle && { sealed_title: toBase64(sealedTitle) }),
        passphrase_required: link.verifierHash !== undefined,
        ...(maxFileSize !== undefined && { max_file_size: maxFileSize }),
        ...(remainingBytes !== undefined && { remaining_bytes: remainingBytes }),
        ...(remainingFiles !== undefined && { remaining_files: remainingFiles }),
        ...(isInboxFull && { inbox_full: true }),
        ...(link.expiresAt !== undefined && { expires_at: formatInstant(link.expiresAt) }),
        ...(link.singleUse && { single_use: true }),
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

    async noteHeldBack({ params, json }) {
      return (await refusedDrops.noteHeldBack(params.opaque_id, json.why)) ?? { status: 204 }
    },

    async appendChunk(call) {
      const { opaque_id: opaqueId, upload_id: uploadId } = call.params
      const find = findDropUpload({ opaqueId, uploadId })
      const answer = await chunkAnswer(call, { find, chunks, chunkBytesMax: settings.chunkBytesMax })
      if (!isRefusal(answer)) return { status: 204, headers: { 'X-Service-Offset': String(answer.offset) } }
      if (isOfOwner(answer)) throw new Error('a drop session was refused as an owner’s own is')
      return answer
    },

    async dropSession({ params }) {
      const found = await store.ask(findDropUpload({ opaqueId: params.opaque_id, uploadId: params.upload_id }))
      return isRefusal(found) ? found : { status: 200, headers: sessionHeaders(found.upload) }
    },

    async cancelDrop({ params }) {
      const found = await store.ask(findDropUpload({ opaqueId: params.opaque_id, uploadId: params.upload_id }))
      if (isRefusal(found)) return found
      return (await ending.cancel(found.upload)) ?? { status: 204 }
    },

    async guestReceipt({ params }) {
      const row = await drops.receipt({ opaqueId: params.opaque_id, uploadId: params.upload_id })
      return isRefusal(row) ? row : { status: 200, body: readReceipt(row.receiptCbor) }
    },
  }
}

type OfOwner = Refuses<'manifest_mismatch' | 'manifest_stale' | 'asset_id_taken' | 'account_suspended'>

function isOfOwner(refusal: Refusal): refusal is OfOwner {
  return ['manifest_mismatch', 'manifest_stale', 'asset_id_taken', 'account_suspended'].includes(refusal.refused)
}
