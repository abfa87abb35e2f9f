/**
 * An object store for the demo and the benchmarks: the one that `S3_TEST_ENDPOINT` names (with `S3_TEST_BUCKET`, `AWS_ACCESS_KEY_ID` and
 * `AWS_SECRET_ACCESS_KEY`), or else our own double as a process of its own.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { S3Client } from '@aws-sdk/client-s3'

const DOUBLE = fileURLToPath(new URL('../packages/server/src/testing/s3/main.ts', import.meta.url))

export interface TestObjectStore {
  /** What it is, for people. */
  readonly name: string
  readonly bucket: string
  /** Begins every key of the servers; ends with `/`. */
  readonly prefix: string
  /** The library alone, without our adapter. */
  readonly client: S3Client
  /** Settings of a server. */
  readonly env: Readonly<Record<string, string>>
  /** A real store keeps what is in the bucket. */
  stop(): Promise<void>
}

interface Place {
  readonly name: string
  readonly endpoint: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  stop(): Promise<void>
}

export async function openObjectStore(): Promise<TestObjectStore> {
  const { name, endpoint, bucket, stop, ...credentials } = realPlace() ?? (await startDouble())
  const { accessKeyId, secretAccessKey } = credentials
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials })
  const prefix = `test-${randomBytes(8).toString('hex')}/`
  return {
    name,
    bucket,
    prefix,
    client,
    env: {
      BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&pathStyle=true`,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    async stop() {
      client.destroy()
      await stop()
    },
  }
}

function realPlace(): Place | undefined {
  const { S3_TEST_ENDPOINT: endpoint, S3_TEST_BUCKET: bucket = 'blindkeep-test' } = process.env
  if (endpoint === undefined || endpoint === '') return undefined
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = process.env
  return { name: `the S3 store at ${endpoint}`, endpoint, bucket, accessKeyId, secretAccessKey, stop: async () => {} }
}

async function startDouble(): Promise<Place> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', DOUBLE], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited])
  const { endpoint, accessKeyId, secretAccessKey, buckets } = JSON.parse(String(line))
  return {
    name: 'a double of an S3 store, made for tests',
    endpoint,
    bucket: buckets[0],
    accessKeyId,
    secretAccessKey,
    async stop() {
      process.removeListener('exit', kill)
      child.kill('SIGTERM')
      await exited
    },
  }
}
