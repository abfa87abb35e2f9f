import { sizeOf, sliceOf } from './bodies.ts'
import { checkedNumber, MAX_PART_BYTES, MIN_PART_BYTES, md5Of, readableBody, type StoredObject } from './bucket.ts'
import { type Answer, type Call, header } from './call.ts'
import { S3Error } from './errors.ts'
import { takeBody } from './putting.ts'
import { document, textsOf } from './xml.ts'

const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024

export function createUpload({ bucket, bucketName, key }: Call): Answer {
  const body = document('InitiateMultipartUploadResult', { Bucket: bucketName, Key: key, UploadId: bucket.create(key) })
  return { status: 200, body }
}

export async function uploadPart(call: Call): Promise<Answer> {
  const number = checkedNumber(Number(call.query.get('partNumber')))
  const uploadId = uploadIdOf(call)
  // Looks before it reads the body, as the real ones do.
  call.bucket.partsOf(call.key, uploadId)
  const part = await takeBody(call)
  call.bucket.putPart(call.key, uploadId, number, part)
  return { status: 200, headers: { etag: `"${part.etag}"` } }
}

export async function uploadPartCopy(call: Call): Promise<Answer> {
  const number = checkedNumber(Number(call.query.get('partNumber')))
  const body = copiedBody(call)
  if (sizeOf(body) > MAX_PART_BYTES) throw new S3Error('InvalidRequest', 'the copied range is too large')
  const part: StoredObject = { body, etag: await md5Of(body), modified: new Date(call.store.now()) }
  call.bucket.putPart(call.key, uploadIdOf(call), number, part)
  const { etag, modified } = part
  return {
    status: 200,
    body: document('CopyPartResult', { ETag: `"${etag}"`, LastModified: modified.toISOString() }),
  }
}

function copiedBody(call: Call) {
  const source = decodeURIComponent(header(call, 'x-amz-copy-source') ?? '').replace(/^\//, '')
  const [name = '', ...key] = source.split('/')
  const bucket = call.store.buckets.get(name)
  if (bucket === undefined) throw new S3Error('NoSuchBucket')
  const object = bucket.objects.get(key.join('/'))
  if (object === undefined) throw new S3Error('NoSuchKey')
  const body = readableBody(object)
  const range = header(call, 'x-amz-copy-source-range')
  if (range === undefined) return body
  const size = sizeOf(body)
  const match = /^bytes=(\d+)-(\d+)$/.exec(range)
  if (match === null || Number(match[2]) >= size || Number(match[1]) > Number(match[2]))
    throw new S3Error('InvalidArgument', `Range specified is not valid for source object of size: ${size}`)
  if (size < MIN_PART_BYTES) throw new S3Error('InvalidRequest', 'a range of an object smaller than 5 MiB')
  return sliceOf(body, Number(match[1]), Number(match[2]) + 1)
}

export async function completeUpload(call: Call): Promise<Answer> {
  const text = await textOf(call)
  const parts = [...text.matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => ({
    number: Number(textsOf(part, 'PartNumber')[0]),
    etag: (textsOf(part, 'ETag')[0] ?? '').replaceAll('"', ''),
  }))
  const { etag } = await call.bucket.complete(call.key, uploadIdOf(call), parts)
  const { bucketName: Bucket, key: Key } = call
  return { status: 200, body: document('CompleteMultipartUploadResult', { Bucket, Key, ETag: `"${etag}"` }) }
}

export function abortUpload(call: Call): Answer {
  call.bucket.abort(call.key, uploadIdOf(call))
  return { status: 204 }
}

export function listParts(call: Call): Answer {
  const { bucketName: Bucket, bucket, key: Key } = call
  const UploadId = uploadIdOf(call)
  const parts = bucket.partsOf(Key, UploadId).map(([number, { etag, body, modified }]) => ({
    PartNumber: number,
    LastModified: modified.toISOString(),
    ETag: `"${etag}"`,
    Size: sizeOf(body),
  }))
  return { status: 200, body: document('ListPartsResult', { Bucket, Key, UploadId, IsTruncated: false, Part: parts }) }
}

export function listUploads({ bucket, bucketName: Bucket, query }: Call): Answer {
  const prefix = query.get('prefix') ?? ''
  const uploads = [...bucket.uploads].filter(([, { key }]) => key.startsWith(prefix))
  const Upload = uploads.map(([UploadId, { key }]) => ({ Key: key, UploadId, Initiated: new Date(0).toISOString() }))
  return { status: 200, body: document('ListMultipartUploadsResult', { Bucket, IsTruncated: false, Upload }) }
}

function uploadIdOf({ query }: Call): string {
  return query.get('uploadId') ?? ''
}

async function textOf({ request }: Call): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request) {
    bytes += piece.length
    if (bytes > MAX_DOCUMENT_BYTES) throw new S3Error('MalformedXML')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
