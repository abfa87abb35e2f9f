/** An object store for the demo and the benchmarks, with a prefix of its own in its bucket. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { S3Client } from '@aws-sdk/client-s3'
import { type RealStore, realStores } from '../packages/server/src/testing/s3/realStore.ts'

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
  /** With these in its environment a process opens the same store, with another prefix. */
  readonly place: Readonly<Record<string, string>>
  /** A store at `S3_TEST_ENDPOINT` keeps what is in the bucket. */
  stop(): Promise<void>
}

/** `S3_TEST_ENDPOINT`'s store, or MinIO from PATH (Ceph starts slowly); otherwise our double as a process. */
export async function openObjectStore(): Promise<TestObjectStore> {
  const real = realStores().find((store) => store.name !== 'Ceph')
  const { name, endpoint, region, bucket, credentials, stop } = await (real?.start() ?? startDouble())
  const client = new S3Client({ region, endpoint, forcePathStyle: true, credentials })
  const keys = { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey }
  const prefix = `test-${randomBytes(8).toString('hex')}/`
  return {
    name,
    bucket,
    prefix,
    client,
    env: {
      BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=${region}&pathStyle=true`,
      ...keys,
    },
    place: { S3_TEST_ENDPOINT: endpoint, S3_TEST_REGION: region, S3_TEST_BUCKET: bucket, ...keys },
    async stop() {
      client.destroy()
      await stop()
    },
  }
}

async function startDouble(): Promise<RealStore> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', DOUBLE], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited])
  const { endpoint, accessKeyId, secretAccessKey, buckets } = JSON.parse(String(line))
  return {
    name: 'our own double of an S3 store',
    endpoint,
    region: 'us-east-1',
    bucket: buckets[0],
    credentials: { accessKeyId, secretAccessKey },
    async stop() {
      process.removeListener('exit', kill)
      child.kill('SIGTERM')
      await exited
    },
  }
}
