import { piecesOf, sizeOf, sliceOf } from './bodies.ts'
import { readableBody, type StoredObject } from './bucket.ts'
import { type Answer, type Call, header } from './call.ts'
import { S3Error } from './errors.ts'
import { document } from './xml.ts'

/** GetObject, also a range of it. */
export function getObject(call: Call): Answer {
  const object = objectOf(call)
  const body = readableBody(object)
  const size = sizeOf(body)
  const range = rangeOf(header(call, 'range'), size)
  if (range === undefined) return { status: 200, headers: headersOf(object, size), body: piecesOf(body) }
  const { start, end } = range
  return {
    status: 206,
    headers: { ...headersOf(object, end - start), 'content-range': `bytes ${start}-${end - 1}/${size}` },
    body: piecesOf(sliceOf(body, start, end)),
  }
}

export function headObject(call: Call): Answer {
  const object = objectOf(call)
  return { status: 200, headers: headersOf(object, sizeOf(object.body)) }
}

export function deleteObject(call: Call): Answer {
  call.bucket.objects.delete(call.key)
  return { status: 204 }
}

function objectOf({ bucket, key }: Call): StoredObject {
  const object = bucket.objects.get(key)
  if (object === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.')
  return object
}

function headersOf({ etag, modified, archivedAs }: StoredObject, length: number): Record<string, string> {
  return {
    etag: `"${etag}"`,
    'last-modified': modified.toUTCString(),
    'content-length': String(length),
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    ...(archivedAs !== undefined && { 'x-amz-storage-class': archivedAs }),
  }
}

/** Undefined without an understood range, which HTTP ignores. Throws for one that starts behind the end. */
function rangeOf(text: string | undefined, size: number): { readonly start: number; readonly end: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(text ?? '')
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  if (last !== '' && first !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (start >= size) throw new S3Error('InvalidRange', 'The requested range is not satisfiable')
  return { start, end }
}

const MAX_KEYS = 1000

/** ListObjectsV2. Keys are sorted by their UTF-8 bytes. */
export function listObjects({ bucket, bucketName, query }: Call): Answer {
  if (query.get('list-type') !== '2') throw new S3Error('NotImplemented', 'only the second version of listing')
  if (query.has('delimiter')) throw new S3Error('NotImplemented', 'listing with a delimiter')
  const prefix = query.get('prefix') ?? ''
  const token = query.get('continuation-token')
  const after = token === null ? (query.get('start-after') ?? '') : Buffer.from(token, 'base64url').toString()
  const most = Math.min(MAX_KEYS, Number(query.get('max-keys') ?? MAX_KEYS))
  const keys = [...bucket.objects.keys()]
    .filter((key) => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
    .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  const page = keys.slice(0, most)
  const isTruncated = keys.length > page.length
  const shown = query.get('encoding-type') === 'url' ? encodeURIComponent : (text: string) => text
  const body = document('ListBucketResult', {
    Name: bucketName,
    Prefix: shown(prefix),
    KeyCount: page.length,
    MaxKeys: most,
    EncodingType: query.get('encoding-type') ?? undefined,
    IsTruncated: isTruncated,
    NextContinuationToken: isTruncated ? Buffer.from(page.at(-1) ?? '').toString('base64url') : undefined,
    Contents: page.map((key) => entryOf(shown(key), bucket.objects.get(key))),
  })
  return { status: 200, body }
}

function entryOf(key: string, object: StoredObject | undefined) {
  return {
    Key: key,
    LastModified: object?.modified.toISOString(),
    ETag: `"${object?.etag}"`,
    Size: sizeOf(object?.body ?? []),
    StorageClass: object?.archivedAs ?? 'STANDARD',
  }
}
