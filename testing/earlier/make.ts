/**
 * Makes a file that `earlierData.ts` unpacks:
 *
 *     git worktree add --detach ../old 916841d3 && cp -a node_modules ../old/
 *     node testing/earlier/make.ts ../old testing/earlier/build-916841d3.json.gz
 *
 * Runs the server of that checkout from its sources, and lets its clients use it: an owner registers, makes links and
 * an album, guests send files, the owner adopts some, uploads, shares and deletes, the operator rotates the key. The
 * server ends in order.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { argumentsOf } from '../../tools/arguments.ts'
import { freePort } from '../startServer.ts'
import type { EarlierData, EarlierFile } from './earlierData.ts'

const PUBLIC_URL = 'https://keep.example'
const READY_TRIES = 600
const READY_POLL_MS = 100

const USAGE = 'node testing/earlier/make.ts CHECKOUT TARGET'
const [checkout, target] = argumentsOf(USAGE, {}, { maxPositionals: 2 }).positionals.map((path) => resolve(path))
if (checkout === undefined || target === undefined) throw new Error(USAGE)

type Module<Name extends keyof Modules> = Promise<Modules[Name]>
interface Modules {
  readonly 'packages/client/src/account.ts': typeof import('@blindkeep/client/account')
  readonly 'packages/client/src/call.ts': typeof import('@blindkeep/client/call')
  readonly 'packages/client/src/source.ts': typeof import('@blindkeep/client/source')
  readonly 'testing/people.ts': typeof import('../people.ts')
}
/** Its clients: a later one may send what the earlier server does not know. */
const load = <Name extends keyof Modules>(name: Name): Module<Name> => import(join(checkout, name))
const { resumeOwner } = await load('packages/client/src/account.ts')
const { callProved, createCalls } = await load('packages/client/src/call.ts')
const { sourceOfBytes } = await load('packages/client/src/source.ts')
const { openedDrops, sendFile } = await load('testing/people.ts')

const directory = await mkdtemp(join(tmpdir(), 'blindkeep-earlier-'))
try {
  const port = await freePort()
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: directory, PORT: String(port), PUBLIC_URL }
  const argv = (program: string, args: readonly string[] = []) => [
    '--disable-warning=ExperimentalWarning',
    join(checkout, 'packages/server/src', program),
    ...args,
  ]
  const operate = (...args: readonly string[]) =>
    execFileSync(process.execPath, argv('cli.ts', args), { cwd: directory, env, encoding: 'utf8' })
  const server = spawn(process.execPath, argv('main.ts'), { cwd: directory, env, stdio: 'ignore' })
  process.once('exit', () => server.kill('SIGKILL'))
  const ended = once(server, 'exit')
  const baseUrl = `http://127.0.0.1:${port}`
  for (let tries = 0; !(await isReady(baseUrl)); tries += 1) {
    if (tries === READY_TRIES || server.exitCode !== null) throw new Error('the server does not answer')
    await wait(READY_POLL_MS)
  }
  const told = await useServer(baseUrl, operate)
  server.kill('SIGTERM')
  await ended
  const files = await filesIn(directory)
  const database = new DatabaseSync(join(directory, 'blindkeep.sqlite'), { readOnly: true })
  const receipts = database.prepare('select receipt_cbor from receipts order by receipt_seq').all()
  database.close()
  const data: EarlierData = {
    build: execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    publicUrl: PUBLIC_URL,
    ...told,
    receipts: receipts.map((row) => Buffer.from(row.receipt_cbor as Uint8Array).toString('base64')),
    files,
  }
  const packed = gzipSync(JSON.stringify(data), { level: 9 })
  await writeFile(target, packed)
  console.log(
    `${relative('.', target)}: ${packed.length} bytes, ${receipts.length} receipts, ${Object.keys(data.files).length} files`,
  )
} finally {
  await rm(directory, { recursive: true })
}

async function isReady(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function useServer(baseUrl: string, operate: (...args: readonly string[]) => string) {
  const invite = JSON.parse(operate('account', 'invite', '--json')).code as string
  const email = 'owner@example.org'
  const seed = new Uint8Array(randomBytes(32))
  const accountKey = new Uint8Array(randomBytes(32))
  // A proof names the server's public name.
  const toProcess: typeof fetch = (input, init) => fetch(String(input).replace(PUBLIC_URL, baseUrl), init)
  const calls = createCalls({ baseUrl: PUBLIC_URL, fetch: toProcess })
  const { body } = await callProved(calls, 'register', { email, invite, seed })
  const tokens = {
    accountId: body.account_id,
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    expiresAt: body.expires_at,
  }
  const owner = resumeOwner({ baseUrl, email, accountKey, tokens })
  const { albumId: album } = await owner.createAlbum({ name: 'Album' })
  const device = await owner.addDevice(undefined, { tie: false })
  const link = await owner.createLink({ label: 'for the office' })
  const single = await owner.createLink({ singleUse: true })
  const ended = await owner.createLink({ label: 'revoked' })
  await owner.revokeLink(ended.opaqueId)

  const sentThrough = async (address: string, name: string, bytes: number): Promise<EarlierFile> => {
    const content = randomBytes(bytes)
    await sendFile(address, content, { name, type: 'text/plain', note: `about ${name}` })
    return { name, sha256: sha256(content) }
  }
  const adopted = await sentThrough(link.url, 'adopted.txt', 3_000)
  const [drop] = await openedDrops(owner)
  if (drop === undefined) throw new Error('nothing has landed')
  const { assetId: adoptedId } = await owner.adoptDrop(drop, { album, device })
  const drops = [await sentThrough(link.url, 'first.txt', 5_000), await sentThrough(single.url, 'only.txt', 1)]
  operate('keys', 'rotate')
  drops.push(await sentThrough(link.url, 'after the rotation.txt', 500))
  await sentThrough(link.url, 'discarded.txt', 100)
  const discarded = (await openedDrops(owner)).find(({ file }) => file.name === 'discarded.txt')
  if (discarded !== undefined) await owner.discardDrop(discarded.dropId)

  const upload = async (name: string, bytes: number) => {
    const content = randomBytes(bytes)
    const { assetId } = await owner.upload({ source: sourceOfBytes(content), album, device, name, type: 'text/plain' })
    return { assetId, name, sha256: sha256(content) }
  }
  const uploaded = await upload('uploaded.txt', 3_000)
  const deleted = await upload('deleted.txt', 10)
  await owner.deleteAsset(deleted.assetId)
  const { url: share } = await owner.createShare([adoptedId])
  return {
    owner: { email, seed: toBase64(seed), accountKey: toBase64(accountKey) },
    links: [pathOf(link.url)],
    drops,
    assets: [{ ...adopted, assetId: adoptedId }, uploaded],
    share: pathOf(share),
  }
}

/** The server has another port wherever it runs. */
function pathOf(address: string): string {
  return address.slice(new URL(address).origin.length)
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** What a server needs. Compiled code and locks are made again. */
async function filesIn(root: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
  const kept = paths.filter((path) => /^(blobs|secrets|blindkeep\.sqlite)/.test(path)).toSorted()
  return Object.fromEntries(
    await Promise.all(kept.map(async (path) => [path, (await readFile(join(root, path))).toString('base64')] as const)),
  )
}
