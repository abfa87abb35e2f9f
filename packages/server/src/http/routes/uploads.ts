/** The uploads of an owner. */
import { formatInstant } from '@blindkeep/protocol/ids'
import { trimEnd } from '@blindkeep/protocol/trimEnd'
import type { Chunks } from '../../domain/arrival/chunks.ts'
import type { Uploads } from '../../domain/assets/assetUploads.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import { spenderOf } from '../../domain/ground/sessionShare.ts'
import { findChargedUpload, findOwnUpload } from '../../domain/uploads/findUpload.ts'
import type { UploadEnding } from '../../domain/uploads/uploadEnding.ts'
import type { Store, UnclosedUpload } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { chunkAnswer, sessionHeaders } from '../chunk.ts'
import { declaredOf } from '../wire/declared.ts'
import { listQuestion } from '../wire/lists.ts'
import { mapInSlices } from '../wire/slices.ts'

type Row = 'createUpload' | 'listUploads' | 'appendUpload' | 'uploadSession' | 'cancelUpload'

interface UploadRoutePorts {
  readonly store: Store
  readonly uploads: Uploads
  readonly ending: UploadEnding
  readonly chunks: Chunks
}

interface UploadRouteSettings {
  /** Without a slash at the end. */
  readonly publicUrl: string
  readonly chunkBytesMax: number
  readonly chunkBytesSuggested: number
}

export function uploadRoutes(
  { store, uploads, ending, chunks }: UploadRoutePorts,
  { publicUrl, chunkBytesMax, chunkBytesSuggested }: UploadRouteSettings,
): Pick<Routes, Row> {
  // Below a path of its own, a proxy takes the path away before it asks the server.
  const base = trimEnd(new URL(publicUrl).pathname, '/')
  return {
    async createUpload({ json, caller }) {
      const answer = await uploads.create(
        spenderOf(caller),
        declaredOf(json, { assetId: json.manifest_envelope.file_id, role: json.blob_role }),
      )
      if (isRefusal(answer)) return answer
      const { uploadId, offset } = answer
      const Location = `${base}/v1/upload/${uploadId}`
      const body = { upload_id: uploadId, upload_url: Location, suggested_chunk_size: chunkBytesSuggested }
      return offset === undefined
        ? { status: 201, body, headers: { Location } }
        : { status: 200, body, headers: { Location, 'X-Service-Offset': String(offset) } }
    },

    async listUploads({ query, caller }) {
      const unclosed = await uploads.list(caller.account.accountId, listQuestion(query))
      if (isRefusal(unclosed)) return unclosed
      return { status: 200, body: { uploads: await mapInSlices(unclosed, entryOf) } }
    },

    async appendUpload(call) {
      const { upload_id: uploadId } = call.params
      const find = findOwnUpload({ accountId: call.caller.account.accountId, uploadId })
      const answer = await chunkAnswer(call, { find, chunks, chunkBytesMax })
      return isRefusal(answer) ? answer : { status: 204, headers: { 'X-Service-Offset': String(answer.offset) } }
    },

    async uploadSession({ params, caller }) {
      const scope = { accountId: caller.account.accountId, uploadId: params.upload_id }
      const found = await store.ask(findOwnUpload(scope))
      return isRefusal(found) ? found : { status: 200, headers: sessionHeaders(found.upload) }
    },

    async cancelUpload({ params, caller }) {
      const scope = { accountId: caller.account.accountId, uploadId: params.upload_id }
      const found = await store.ask(findChargedUpload(scope))
      if (isRefusal(found)) return found
      return (await ending.cancel(found.upload)) ?? { status: 204 }
    },
  }
}

function entryOf(upload: UnclosedUpload) {
  return {
    upload_id: upload.uploadId,
    ...(upload.assetId === undefined
      ? { opaque_id: upload.opaqueId }
      : { asset_id: upload.assetId, blob_role: upload.role }),
    size: upload.size,
    offset: upload.receivedBytes,
    state: upload.state === 'open' ? ('open' as const) : ('finishing' as const),
    created_at: formatInstant(upload.createdAt),
  }
}
