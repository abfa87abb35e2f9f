import type { Selectable } from 'kysely'
import type { AssetUpload, DropUpload, Opener, UnclosedUpload, Upload } from '../../ports/store.ts'
import { envelopeOf } from './envelopes.ts'
import type { UploadTable } from './schema.ts'

/** Reads a row of `uploads` as the session of a guest or of an owner. */
export function uploadOf(row: Selectable<UploadTable>): Upload {
  return row.asset_id === null ? dropUploadOf(row) : assetUploadOf(row)
}

export function dropUploadOf(row: Selectable<UploadTable>): DropUpload {
  return {
    ...declaredIn(row),
    opaqueId: present(row.opaque_id),
    kemCt: present(row.kem_ct),
    suggestedFilename: row.suggested_filename ?? undefined,
    idempotencyKey: row.idempotency_key ?? undefined,
    opener: row.opener === null ? undefined : openerOf(row.opener),
    ...progressOf(row),
  }
}

export function assetUploadOf(row: Selectable<UploadTable>): AssetUpload {
  return {
    ...declaredIn(row),
    assetId: present(row.asset_id),
    albumId: present(row.album_id),
    role: present(row.role),
    envelope: envelopeOf(present(row.envelope)),
    sessionId: row.session_id ?? undefined,
    ...progressOf(row),
  }
}

type UnclosedRow = Pick<
  Selectable<UploadTable>,
  'upload_id' | 'opaque_id' | 'asset_id' | 'role' | 'size' | 'received_bytes' | 'state' | 'created_at'
>

export function unclosedOf(row: UnclosedRow): UnclosedUpload {
  const { upload_id: uploadId, size, received_bytes: receivedBytes, state, created_at: createdAt } = row
  const progress = { uploadId, size, receivedBytes, state, createdAt }
  return row.asset_id === null
    ? { ...progress, opaqueId: present(row.opaque_id) }
    : { ...progress, assetId: row.asset_id, role: present(row.role) }
}

function declaredIn(row: Selectable<UploadTable>) {
  return {
    uploadId: row.upload_id,
    accountId: row.account_id,
    size: row.size,
    ciphertextHash: row.ciphertext_hash,
    contentType: row.content_type,
    declarationHash: row.declaration_hash,
    location: row.location,
    createdAt: row.created_at,
  }
}

function progressOf(row: Selectable<UploadTable>) {
  return {
    state: row.state,
    receivedBytes: row.received_bytes,
    chunkCount: row.chunk_count,
    lastChunkAt: row.last_chunk_at ?? undefined,
    writingUntil: row.writing_until ?? undefined,
    lease:
      row.leased_by === null || row.leased_until === null ? undefined : { by: row.leased_by, until: row.leased_until },
    closedAt: row.closed_at ?? undefined,
    failure: row.failure ?? undefined,
  }
}

/** Only `uploads.ts` writes it. */
function openerOf(text: string): Opener {
  const { network, source, isFirst } = JSON.parse(text)
  return { network, source, isFirst }
}

/** The table's check makes each row complete for its kind. An incomplete row was written by other software. */
function present<Value>(value: Value | null): Value {
  if (value === null) throw new Error('A row of uploads is neither a complete session of a guest nor of an owner')
  return value
}
