import { StorageUnavailable } from '../../ports/storageErrors.ts'
import type { Client } from './client.ts'
import { isNoSuchKey, isNoSuchUpload } from './failure.ts'
import { sizeOfKey, timeFor } from './keys.ts'
import type { Spooled } from './spool.ts'

/** A multipart upload that is under way. Its id has to be durable before its first part. */
export interface MultipartUpload {
  readonly key: string
  readonly uploadId: string
}

/** A part as the store has it. */
export interface UploadedPart {
  readonly PartNumber: number
  readonly ETag: string
}

/** Stores copy inside themselves at least this fast. */
const COPY_BYTES_PER_SECOND = 4 * 1024 * 1024
/** Joining may take minutes: the library's peer then sends spaces, so that the answer has begun. */
const COMPLETE_MS = 10 * 60_000

/** Not repeated: a lost answer would leave an upload that nobody knows. */
export async function createMultipartUpload(client: Client, key: string): Promise<MultipartUpload> {
  const { address, sdk } = client
  const { UploadId } = await client.call(
    { operation: 'begin a multipart upload', lane: 'chunks', most: 1 },
    (s3, abort) => s3.send(new sdk.CreateMultipartUploadCommand({ Bucket: address.bucket, Key: key }), abort),
  )
  if (UploadId === undefined) throw new StorageUnavailable('the object store gave a multipart upload no id')
  return { key, uploadId: UploadId }
}

interface Part {
  readonly number: number
  readonly signal?: AbortSignal | undefined
}

export async function uploadPart(
  client: Client,
  { key, uploadId }: MultipartUpload,
  { number, signal, spooled }: Part & { readonly spooled: Spooled },
): Promise<UploadedPart> {
  const { address, sdk } = client
  const { size: ContentLength, sha256: ChecksumSHA256 } = spooled
  const place = { Bucket: address.bucket, Key: key, UploadId: uploadId, PartNumber: number }
  const options = { operation: 'take a part', lane: 'chunks', signal, moreMs: timeFor(spooled.size) } as const
  const { ETag } = await client.call(options, (s3, abort) => {
    const input = { ...place, Body: spooled.body(), ContentLength, ChecksumSHA256 }
    return s3.send(new sdk.UploadPartCommand(input), abort)
  })
  return partOf(number, ETag)
}

/** Copies a span of another key inside the store. `span` is left out for the whole key. */
export async function copyPart(
  client: Client,
  { key, uploadId }: MultipartUpload,
  {
    number,
    signal,
    source,
    span,
    bytes,
  }: Part & { readonly source: string; readonly span?: string; readonly bytes: number },
): Promise<UploadedPart> {
  const { address, sdk } = client
  const { bucket: Bucket } = address
  // Keys of ours need no escaping.
  const from = { CopySource: `${Bucket}/${source}`, ...(span !== undefined && { CopySourceRange: span }) }
  const moreMs = (bytes / COPY_BYTES_PER_SECOND) * 1000
  const answer = await client.call({ operation: 'copy a part', lane: 'chunks', signal, moreMs }, (s3, abort) => {
    const input = { Bucket, Key: key, UploadId: uploadId, PartNumber: number, ...from }
    return s3.send(new sdk.UploadPartCopyCommand(input), abort)
  })
  return partOf(number, answer.CopyPartResult?.ETag)
}

function partOf(number: number, etag: string | undefined): UploadedPart {
  if (etag === undefined) throw new StorageUnavailable('the object store gave a part no ETag')
  return { PartNumber: number, ETag: etag }
}

/**
 * Joins the parts. After a lost answer it looks at the key: a complete upload is unknown to the store afterwards, and its key is there. Throws `S3Refusal`
 * if the parts were not joined, or it is not known; then this may be called again, but the upload must not be aborted.
 */
export async function completeMultipartUpload(
  client: Client,
  { key, uploadId }: MultipartUpload,
  parts: readonly UploadedPart[],
  size: number,
): Promise<void> {
  const { address, sdk } = client
  const input = { Bucket: address.bucket, Key: key, UploadId: uploadId, MultipartUpload: { Parts: [...parts] } }
  try {
    await client.call({ operation: 'join parts', lane: 'chunks', moreMs: COMPLETE_MS }, (s3, abort) =>
      s3.send(new sdk.CompleteMultipartUploadCommand(input), abort),
    )
  } catch (error) {
    if (!isNoSuchUpload(error) || !(await isWhole(client, key, size))) throw error
  }
}

async function isWhole(client: Client, key: string, size: number): Promise<boolean> {
  try {
    return (await sizeOfKey(client, key, size - 1)) === size
  } catch (error) {
    if (isNoSuchKey(error)) return false
    throw error
  }
}

/** Ends an upload that was never completed, and frees its parts. No error if there is none. */
export async function abortMultipartUpload(client: Client, { key, uploadId }: MultipartUpload): Promise<void> {
  const { address, sdk } = client
  const input = { Bucket: address.bucket, Key: key, UploadId: uploadId }
  try {
    await client.call({ operation: 'end a multipart upload', lane: 'removal' }, (s3, abort) =>
      s3.send(new sdk.AbortMultipartUploadCommand(input), abort),
    )
  } catch (error) {
    if (!isNoSuchUpload(error)) throw error
  }
}
