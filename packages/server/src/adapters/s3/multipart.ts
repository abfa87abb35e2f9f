import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Client } from './client.ts'
import { isNoSuchUpload } from './failure.ts'
import { type Age, ageAt, timeToSend } from './keys.ts'
import type { Spooled } from './spool.ts'

/** A multipart upload that is under way. Its id has to be durable before its first part. */
export interface MultipartUpload {
  readonly key: string
  readonly uploadId: string
}

/** Stores copy inside themselves at least this fast. */
const COPY_BYTES_PER_SECOND = 4 * 1024 * 1024
/** Joining may take minutes: the library's peer then sends spaces, so that the answer has begun. */
const COMPLETE_MS = 10 * 60_000

/** Not repeated: a lost answer would leave an upload with an unknown id. */
export async function createMultipartUpload(client: Client, key: string): Promise<MultipartUpload> {
  const { address, sdk } = client
  const { UploadId } = await client.call(
    { operation: 'begin a multipart upload', lane: 'chunks', most: 1 },
    (s3, abort) => s3.send(new sdk.CreateMultipartUploadCommand({ Bucket: address.bucket, Key: key }), abort),
  )
  if (UploadId === undefined) throw new StorageUnavailable('the object store gave a multipart upload no id')
  return { key, uploadId: UploadId }
}

/** Returns the tag of the part. */
export async function uploadPart(
  client: Client,
  { key, uploadId }: MultipartUpload,
  { number, spooled }: { readonly number: number; readonly spooled: Spooled },
): Promise<string> {
  const { address, sdk } = client
  const { size: ContentLength, sha256: ChecksumSHA256 } = spooled
  const place = { Bucket: address.bucket, Key: key, UploadId: uploadId, PartNumber: number }
  const { ETag } = await client.call(
    { operation: 'take a part', lane: 'chunks', moreMs: timeToSend(spooled.size) },
    (s3, abort, progress) => {
      const input = { ...place, Body: spooled.body(progress), ContentLength, ChecksumSHA256 }
      return s3.send(new sdk.UploadPartCommand(input), abort)
    },
  )
  return tagIn(ETag)
}

/** Copies a range of another key inside the store. Returns the tag of the part. */
export async function copyPart(
  client: Client,
  { key, uploadId }: MultipartUpload,
  {
    number,
    source,
  }: {
    readonly number: number
    readonly source: { readonly key: string; readonly start: number; readonly end: number }
  },
): Promise<string> {
  const { address, sdk } = client
  const { bucket: Bucket } = address
  // Keys of ours need no escaping.
  const from = { CopySource: `${Bucket}/${source.key}`, CopySourceRange: `bytes=${source.start}-${source.end - 1}` }
  const moreMs = ((source.end - source.start) / COPY_BYTES_PER_SECOND) * 1000
  const answer = await client.call({ operation: 'copy a part', lane: 'chunks', moreMs }, (s3, abort) => {
    const input = { Bucket, Key: key, UploadId: uploadId, PartNumber: number, ...from }
    return s3.send(new sdk.UploadPartCopyCommand(input), abort)
  })
  return tagIn(answer.CopyPartResult?.ETag)
}

function tagIn(etag: string | undefined): string {
  if (etag === undefined) throw new StorageUnavailable('the object store gave a part no ETag')
  return etag
}

/** Joins the parts. Tried once: after an error the key decides whether it has happened. */
export async function completeMultipartUpload(
  client: Client,
  { key, uploadId }: MultipartUpload,
  parts: readonly { readonly number: number; readonly tag: string }[],
): Promise<void> {
  const { address, sdk } = client
  const Parts = parts.map(({ number, tag }) => ({ PartNumber: number, ETag: tag }))
  const input = { Bucket: address.bucket, Key: key, UploadId: uploadId, MultipartUpload: { Parts } }
  await client.call({ operation: 'join parts', lane: 'chunks', moreMs: COMPLETE_MS, most: 1 }, (s3, abort) =>
    s3.send(new sdk.CompleteMultipartUploadCommand(input), abort),
  )
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

/** Uploads that are not complete, of all keys that begin with `prefix`. Some stores list only those of a whole key. */
export async function* listMultipartUploads(client: Client, prefix: string): AsyncGenerator<MultipartUpload & Age> {
  const { address, sdk } = client
  let after: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | undefined = {}
  while (after !== undefined) {
    const input = { Bucket: address.bucket, Prefix: prefix, ...after }
    const page: ListMultipartUploadsCommandOutput = await client.call(
      { operation: 'list uploads', lane: 'removal' },
      (s3, abort) => s3.send(new sdk.ListMultipartUploadsCommand(input), abort),
    )
    for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined)
        yield { key: Key, uploadId: UploadId, ageSeconds: ageAt(page, Initiated) }
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    after = page.IsTruncated === true && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined
  }
}
