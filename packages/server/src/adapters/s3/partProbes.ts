import { createHash, randomBytes } from 'node:crypto'
import type { Found, Probing } from './finding.ts'
import { putKey, readKey, removeKey } from './keys.ts'
import {
  abortMultipartUpload,
  completeMultipartUpload,
  copyPart,
  createMultipartUpload,
  listMultipartUploads,
  uploadPart,
} from './multipart.ts'
import { inMemory } from './spool.ts'

const MEBIBYTE = 1024 * 1024

/** One part sent, two copied, of different sizes: as sealing makes them. */
export async function joinsParts({ client, at }: Probing): Promise<Found> {
  const bytes = randomBytes(7 * MEBIBYTE)
  const source = `${at}source`
  await putKey(client, source, inMemory(bytes))
  const upload = await createMultipartUpload(client, `${at}joined`)
  const copied = async (number: number, start: number, end: number) => ({
    number,
    tag: await copyPart(client, upload, { number, source: { key: source, start, end } }),
  })
  const parts = [
    {
      number: 1,
      tag: await uploadPart(client, upload, { number: 1, spooled: inMemory(bytes.subarray(0, 6 * MEBIBYTE)) }),
    },
    await copied(2, 1, 1 + 5 * MEBIBYTE),
    await copied(3, 7 * MEBIBYTE - 1, 7 * MEBIBYTE),
  ]
  await completeMultipartUpload(client, upload, parts)
  const expected = createHash('sha256')
  expected
    .update(bytes.subarray(0, 6 * MEBIBYTE))
    .update(bytes.subarray(1, 1 + 5 * MEBIBYTE))
    .update(bytes.subarray(-1))
  const hash = createHash('sha256')
  const span = { start: 0, end: 2 ** 40 }
  for await (const piece of readKey(client, upload.key, span, { lane: 'verification' })) hash.update(piece)
  for (const key of [source, upload.key]) await removeKey(client, key)
  return hash.digest('hex') === expected.digest('hex')
    ? { outcome: 'good', said: 'Sent and copied parts of different sizes are joined.' }
    : { outcome: 'wrong', said: 'Joined parts have other bytes than their sources.' }
}

export async function listsUploads({ client, at }: Probing): Promise<Found> {
  const upload = await createMultipartUpload(client, `${at}begun`)
  let isListed = false
  for await (const { uploadId } of listMultipartUploads(client, upload.key)) isListed ||= uploadId === upload.uploadId
  for (const _ of [1, 2]) await abortMultipartUpload(client, upload)
  return isListed
    ? { outcome: 'good', said: 'Unfinished uploads are listed and can be ended.' }
    : {
        outcome: 'note',
        said: 'Unfinished uploads are not listed: set a lifecycle rule that ends them after some days, or lost ones cost permanently.',
      }
}
