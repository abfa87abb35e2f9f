import { createHash, randomBytes } from 'node:crypto'
import { type Body, piecesOf, sizeOf } from './bodies.ts'
import { S3Error } from './errors.ts'

/** Every part but the last has at least so many bytes. */
export const MIN_PART_BYTES = 5 * 1024 * 1024
/** What one part or one PutObject may have at most. */
export const MAX_PART_BYTES = 5 * 1024 ** 3
const MAX_PARTS = 10_000

export interface StoredObject {
  readonly body: Body
  /** Moved by a lifecycle rule, and not restored: its head and its entry stay, its bytes are not given. */
  readonly archivedAs?: 'GLACIER' | 'DEEP_ARCHIVE'
  readonly etag: string
  readonly modified: Date
}

interface Upload {
  readonly key: string
  readonly parts: Map<number, StoredObject>
}

interface NamedPart {
  readonly number: number
  readonly etag: string
}

/** The objects and the unfinished multipart uploads of one bucket. */
export interface Bucket {
  readonly objects: Map<string, StoredObject>
  readonly uploads: Map<string, Upload>
  create(key: string): string
  putPart(key: string, uploadId: string, number: number, part: StoredObject): void
  partsOf(key: string, uploadId: string): readonly (readonly [number, StoredObject])[]
  /** Joins the named parts, which have to be in order, uploaded with these ETags and large enough. */
  complete(key: string, uploadId: string, named: readonly NamedPart[]): Promise<StoredObject>
  abort(key: string, uploadId: string): void
}

/** With `evenParts`, all parts but the last need one size, as one well-known store demands. */
export function createBucket({ evenParts, now }: { readonly evenParts: boolean; readonly now: () => number }): Bucket {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, Upload>()

  function uploadOf(key: string, uploadId: string): Upload {
    const upload = uploads.get(uploadId)
    if (upload === undefined || upload.key !== key) throw new S3Error('NoSuchUpload')
    return upload
  }

  return {
    objects,
    uploads,
    create(key) {
      const uploadId = randomBytes(24).toString('base64url')
      uploads.set(uploadId, { key, parts: new Map() })
      return uploadId
    },
    putPart(key, uploadId, number, part) {
      uploadOf(key, uploadId).parts.set(checkedNumber(number), part)
    },
    partsOf: (key, uploadId) => [...uploadOf(key, uploadId).parts].toSorted(([one], [other]) => one - other),
    async complete(key, uploadId, named) {
      const { parts } = uploadOf(key, uploadId)
      if (named.length === 0) throw new S3Error('MalformedXML')
      const chosen = named.map((part, at) => chosenPart(parts, part, named[at - 1]))
      checkSizes(chosen, evenParts)
      const body = chosen.flatMap((part) => part.body)
      const etags = Buffer.concat(chosen.map(({ etag }) => Buffer.from(etag, 'hex')))
      const etag = `${createHash('md5').update(etags).digest('hex')}-${chosen.length}`
      const object = { body, etag, modified: new Date(now()) }
      // No await between here and the look above: two completions of one upload are one after the other.
      uploads.delete(uploadId)
      objects.set(key, object)
      return object
    },
    abort(key, uploadId) {
      uploadOf(key, uploadId)
      uploads.delete(uploadId)
    },
  }
}

/** For every reading of its bytes, a copy's too. */
export function readableBody({ body, archivedAs }: StoredObject): Body {
  if (archivedAs !== undefined)
    throw new S3Error('InvalidObjectState', "The operation is not valid for the object's storage class")
  return body
}

export function checkedNumber(number: number): number {
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS)
    throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive')
  return number
}

function chosenPart(
  parts: ReadonlyMap<number, StoredObject>,
  { number, etag }: NamedPart,
  previous: NamedPart | undefined,
): StoredObject {
  if (previous !== undefined && previous.number >= number) throw new S3Error('InvalidPartOrder')
  const part = parts.get(number)
  if (part === undefined || part.etag !== etag) throw new S3Error('InvalidPart')
  return part
}

function checkSizes(parts: readonly StoredObject[], evenParts: boolean): void {
  const sizes = parts.slice(0, -1).map(({ body }) => sizeOf(body))
  if (sizes.some((size) => size < MIN_PART_BYTES)) throw new S3Error('EntityTooSmall')
  if (evenParts && sizes.some((size) => size !== sizes[0]))
    throw new S3Error('InvalidPart', 'All non-trailing parts must have the same length')
}

export async function md5Of(body: Body): Promise<string> {
  const hash = createHash('md5')
  for await (const piece of piecesOf(body)) hash.update(piece)
  return hash.digest('hex')
}
