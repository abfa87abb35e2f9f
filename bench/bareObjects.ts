/** What the store's library does alone: puts and gets of as many bytes, without a hash, a row or a receipt. */
import { randomUUID } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { TestObjectStore } from '../testing/objectStore.ts'
import { share } from './load.ts'
import type { Lane } from './row.ts'

interface Transfers {
  readonly clients: number
  readonly count: number
  /** All of them together, in the row's unit. */
  readonly units: number
}

/** Each key is new, as a server's are. The library signs the bytes, as it does for the server. */
export function barePutsLane(
  { client, bucket: Bucket, prefix }: TestObjectStore,
  pieces: readonly Uint8Array[],
  transfers: Transfers,
): Lane {
  let puts = 0
  return timed('aws-sdk PutObject', transfers, async (index) => {
    const Key = `${prefix}bare/${puts++}`
    await client.send(new PutObjectCommand({ Bucket, Key, Body: pieces[index % pieces.length] ?? '' }))
  })
}

interface Gets extends Transfers {
  readonly keys: readonly string[]
  readonly range?: string
}

export function bareGetsLane({ client, bucket }: TestObjectStore, { keys, range, ...transfers }: Gets): Lane {
  const name = range === undefined ? 'aws-sdk GetObject' : 'aws-sdk GetObject of the last byte'
  return timed(name, transfers, (index) =>
    readAll(client, { Bucket: bucket, Key: keys[index % keys.length], Range: range }),
  )
}

type Asked = ConstructorParameters<typeof GetObjectCommand>[0]

async function readAll(client: S3Client, asked: Asked): Promise<void> {
  const { Body } = await client.send(new GetObjectCommand(asked))
  for await (const piece of Body as AsyncIterable<Uint8Array>) if (piece.length === 0) throw new Error('an empty piece')
}

function timed(name: string, { clients, count, units }: Transfers, work: (index: number) => Promise<void>): Lane {
  return {
    name,
    async measure() {
      const startedAt = performance.now()
      await share(Array.from({ length: clients }), count, (_client, index) => work(index))
      return { value: (units * 1000) / (performance.now() - startedAt) }
    },
  }
}

/** Puts bytes for `bareGetsLane`. Returns their key. */
export async function putBare({ client, bucket: Bucket, prefix }: TestObjectStore, bytes: Uint8Array): Promise<string> {
  const Key = `${prefix}bare/${randomUUID()}`
  await client.send(new PutObjectCommand({ Bucket, Key, Body: bytes }))
  return Key
}
