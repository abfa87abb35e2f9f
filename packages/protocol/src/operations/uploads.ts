import { CreateUploadRequest, CreateUploadResponse, UploadsResponse } from '../schemas/uploads.ts'
import { chunkHeaders, chunkProblems, sessionState } from './chunks.ts'
import { manifestProblems } from './manifests.ts'
import type { Operations } from './operation.ts'
import { pageQuery, pagesOf } from './pages.ts'

export const uploadOperations = {
  createUpload: {
    method: 'POST',
    path: '/v1/upload',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Create an upload session',
    description:
      'A session for one blob of the asset that manifest_envelope.file_id names. A repeat with the same asset, role and hash gets 200 with the open or landed session; if the bytes of a landed one are missing, damaged or suspected, error.storage.unavailable. The first session of an asset reserves its id; the id is released if nothing lands. A replace whose original_blob_hash is the present original is of metadata alone: they are not listed until a provenance lands that names them and continues from the present one.',
    body: { type: 'application/json', schema: CreateUploadRequest },
    creates: true,
    writes: true,
    leaves: 'uploads',
    answers: {
      200: {
        description: 'The existing session. X-Service-Offset says where to continue.',
        body: CreateUploadResponse,
        headers: ['Location', 'X-Service-Offset'],
      },
      201: { description: 'Send the chunks.', body: CreateUploadResponse, headers: ['Location'] },
    },
    problems: [
      ...manifestProblems,
      'error.upload.file_too_large',
      'error.request.limit_reached',
      'error.quota.exceeded',
    ],
  },
  listUploads: {
    method: 'GET',
    path: '/v1/upload/sessions',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'List the caller’s open upload sessions',
    description: `All sessions that the caller’s quota is charged for, including those of guests, oldest first: up to 1.9 MB. ${pagesOf('sessions')}`,
    query: pageQuery({
      of: 'sessions',
      id: CreateUploadResponse.properties.upload_id,
      gone: 'error.upload.session_not_found',
      places: 'Every session has a place, also for a day after it ended.',
    }),
    answers: { 200: { description: 'The sessions.', body: UploadsResponse } },
    problems: ['error.upload.session_not_found'],
  },
  appendUpload: {
    method: 'PATCH',
    path: '/v1/upload/{upload_id}',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Append one chunk to an upload session',
    description:
      'As for a drop session. The chunk that ends at the declared size gets its 204 only when the blob has landed in its asset, with a signed receipt. The creating device must be live then. A provenance blob is checked too: the signatures of the device, and every field against the envelope.',
    requestHeaders: chunkHeaders,
    body: { type: 'application/octet-stream' },
    writes: true,
    answers: { 204: { description: 'The chunk is kept.', headers: ['X-Service-Offset'] } },
    problems: [...chunkProblems, 'error.manifest.mismatch', 'error.manifest.stale', 'error.asset.id_taken'],
    statuses: { 'error.manifest.mismatch': 409 },
  },
  uploadSession: {
    method: 'HEAD',
    path: '/v1/upload/{upload_id}',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Get the state of an upload session',
    description: 'Call it before resuming.',
    answers: sessionState,
    problems: ['error.upload.session_not_found'],
  },
  cancelUpload: {
    method: 'DELETE',
    path: '/v1/upload/{upload_id}',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Cancel an open session',
    description:
      'A session of the caller, or of a guest of the caller’s links. Returns quota and caps. A finishing or landed session cannot be cancelled.',
    answers: { 204: { description: 'Cancelled.' } },
    problems: ['error.upload.session_not_found', 'error.upload.session_closed'],
  },
} as const satisfies Operations
