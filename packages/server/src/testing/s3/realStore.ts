import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { Credentials } from './signature.ts'

/** A store that others made, on loopback or where `S3_TEST_ENDPOINT` says. */
export interface RealStore {
  readonly name: string
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly credentials: Credentials
  stop(): Promise<void>
}

/** How to start each store that this machine has. Programs are looked for in PATH. */
export function realStores(): readonly { readonly name: string; start(): Promise<RealStore> }[] {
  const { S3_TEST_ENDPOINT: endpoint } = process.env
  if (endpoint !== undefined) return [{ name: endpoint, start: () => givenStore(endpoint) }]
  return [
    ...(hasPrograms('minio') ? [{ name: 'MinIO', start: startMinio }] : []),
    ...(process.getuid?.() === 0 && hasPrograms('ceph', 'ceph-mon', 'ceph-mgr', 'ceph-osd', 'radosgw')
      ? [{ name: 'Ceph', start: startCeph }]
      : []),
  ]
}

function hasPrograms(...names: readonly string[]): boolean {
  return names.every((name) => spawnSync('which', [name]).status === 0)
}

async function givenStore(endpoint: string): Promise<RealStore> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, S3_TEST_BUCKET, S3_TEST_REGION = 'us-east-1' } = process.env
  if (AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined || S3_TEST_BUCKET === undefined)
    throw new Error('S3_TEST_ENDPOINT needs AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and S3_TEST_BUCKET')
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY }
  const place = { name: endpoint, endpoint, region: S3_TEST_REGION, bucket: S3_TEST_BUCKET, credentials }
  return { ...place, stop: async () => undefined }
}

const REGION = 'us-east-1'
const BUCKET = 'blindkeep-test'

function newCredentials(): Credentials {
  return { accessKeyId: `key${randomBytes(6).toString('hex')}`, secretAccessKey: randomBytes(20).toString('hex') }
}

async function startMinio(): Promise<RealStore> {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-minio-'))
  const credentials = newCredentials()
  const port = await freePort()
  const server = start(directory, 'minio', ['server', join(directory, 'data'), '--address', `127.0.0.1:${port}`], {
    MINIO_ROOT_USER: credentials.accessKeyId,
    MINIO_ROOT_PASSWORD: credentials.secretAccessKey,
    MINIO_BROWSER: 'off',
    HOME: directory,
  })
  return ready('MinIO', { directory, port, credentials, processes: [server] })
}

/** One monitor, one manager, one store in memory and one gateway, without authentication among themselves. */
async function startCeph(): Promise<RealStore> {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-ceph-'))
  const credentials = newCredentials()
  const [port, monitorPort] = [await freePort(), await freePort()]
  const processes: ChildProcess[] = []
  const env = { CEPH_CONF: join(directory, 'ceph.conf') }
  const run = (program: string, ...parameters: readonly string[]) => runToEnd(directory, program, parameters, env)
  const keep = (program: string, ...parameters: readonly string[]) =>
    void processes.push(start(directory, program, ['-f', ...parameters], env))
  try {
    writeFileSync(env.CEPH_CONF, cephSettings(directory, monitorPort))
    for (const each of ['mon', 'mgr', 'osd', 'rgw']) mkdirSync(join(directory, each))
    await run('monmaptool', '--create', '--fsid', FSID, '--addv', 'a', monitorAt(monitorPort), 'map')
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'map')
    keep('ceph-mon', '-i', 'a')
    keep('ceph-mgr', '-i', 'x')
    await run('ceph', '--connect-timeout', '60', 'osd', 'new', FSID, '0')
    await run('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', FSID)
    keep('ceph-osd', '-i', '0')
    const { accessKeyId, secretAccessKey } = credentials
    const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey]
    await run('radosgw-admin', 'user', 'create', '--uid', 'test', '--display-name', 'test', ...keys)
    keep('radosgw', '-n', 'client.gateway', '--rgw-frontends', `beast endpoint=127.0.0.1:${port}`)
    return await ready('Ceph', { directory, port, credentials, processes })
  } catch (error) {
    await stopAll(directory, processes)
    throw error
  }
}

const FSID = '2f1b0b0e-6a5e-4c5b-9f3d-0c6a3d1a7f10'

function monitorAt(port: number): string {
  return `[v2:127.0.0.1:${port}]`
}

function cephSettings(directory: string, monitorPort: number): string {
  return `[global]
fsid = ${FSID}
mon host = ${monitorAt(monitorPort)}
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
osd objectstore = memstore
memstore device bytes = ${16 * 1024 ** 3}
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
run dir = ${directory}
mon data = ${directory}/mon
mgr data = ${directory}/mgr
osd data = ${directory}/osd
rgw data = ${directory}/rgw
admin socket = ${directory}/$name.$pid.asok
log file = ${directory}/$name.log
crash dir = ${directory}
`
}

interface Starting {
  readonly directory: string
  readonly port: number
  readonly credentials: Credentials
  readonly processes: readonly ChildProcess[]
}

/** Waits for the store by making its bucket. */
async function ready(name: string, { directory, port, credentials, processes }: Starting): Promise<RealStore> {
  const endpoint = `http://127.0.0.1:${port}`
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials })
  const deadline = Date.now() + 90_000
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }), { requestTimeout: 5_000 })
      break
    } catch (error) {
      if (Date.now() > deadline || processes.some(({ exitCode }) => exitCode !== null)) {
        await stopAll(directory, processes)
        throw new Error(`${name} did not start`, { cause: error })
      }
      await sleep(200)
    }
  }
  client.destroy()
  const stop = () => stopAll(directory, processes)
  return { name, endpoint, region: REGION, bucket: BUCKET, credentials, stop }
}

function start(directory: string, program: string, parameters: readonly string[], env: Record<string, string> = {}) {
  const log = openSync(join(directory, `${program}.out`), 'a')
  const { PATH = '' } = process.env
  return spawn(program, parameters, { cwd: directory, env: { PATH, ...env }, stdio: ['ignore', log, log] })
}

async function runToEnd(
  directory: string,
  program: string,
  parameters: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const child = start(directory, program, parameters, env)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}; see ${directory}/${program}.out`)
}

async function stopAll(directory: string, processes: readonly ChildProcess[]): Promise<void> {
  for (const child of processes.toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  rmSync(directory, { recursive: true, force: true })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
