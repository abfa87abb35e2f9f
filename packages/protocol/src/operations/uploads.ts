import { CreateUploadRequest, CreateUploadResponse, UploadsResponse } from '../schemas/uploads.ts'
import { chunkHeaders, chunkProblems, sessionState } from './chunks.ts'
import { manifestProblems } from './manifests.ts'
import type { Operations } from './operation.ts'

export const uploadOperations = {
  createUpload: {
    method: 'POST',
    path: '/v1/upload',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Create an upload session',
    description:
      'One blob of an asset, which manifest_envelope.file_id names. The same asset, role and hash again: 200 with the session that is open, or that landed. The id of an asset is reserved by its first session and given up if nothing lands.',
    body: { type: 'application/json', schema: CreateUploadRequest },
    creates: true,
    writes: true,
    answers: {
      200: {
        description: 'The session that there is; X-Service-Offset says where to go on.',
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
      'error.storage.unavailable',
    ],
  },
  listUploads: {
    method: 'GET',
    path: '/v1/upload/sessions',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'The caller’s open sessions',
    description: 'All that the caller is charged for, guests’ included, oldest first.',
    answers: { 200: { description: 'The sessions.', body: UploadsResponse } },
    problems: [],
  },
  appendUpload: {
    method: 'PATCH',
    path: '/v1/upload/{upload_id}',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Append one chunk to an upload session',
    description:
      'As for a drop session. The chunk that ends at the declared size is answered 204 only when the blob has landed in its asset, with a signed receipt. A provenance blob is checked then: signatures of the creating device, and every field against the envelope.',
    requestHeaders: chunkHeaders,
    body: { type: 'application/octet-stream' },
    writes: true,
    answers: { 204: { description: 'Kept.', headers: ['X-Service-Offset'] } },
    problems: [...chunkProblems, 'error.manifest.mismatch', 'error.manifest.stale', 'error.asset.id_taken'],
    statuses: { 'error.manifest.mismatch': 409 },
  },
  uploadSession: {
    method: 'HEAD',
    path: '/v1/upload/{upload_id}',
    tag: 'uploads',
    auth: 'bearer',
    summary: 'Where an upload session stands',
    description: 'Ask it before resuming.',
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
      'One’s own, or a guest’s through one of the caller’s links. Gives quota and caps back. What has landed, or is about to, cannot be cancelled.',
    answers: { 204: { description: 'Cancelled.' } },
    problems: ['error.upload.session_not_found', 'error.upload.session_closed'],
  },
} as const satisfies Operations
