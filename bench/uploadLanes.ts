/** Lanes for the two upload servers, under the same load. */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningServer } from '../testing/startServer.ts'
import { type Connection, drive, expectStatus, requestOf } from './load.ts'
import { newLink, newOwner } from './owner.ts'
import { type Environment, settleDisk, startBlindkeep, startPeer, startPeerProcess } from './processes.ts'
import { type Lane, type RowOptions, shared } from './row.ts'
import { dropsThrough, type PreparedFile, sendAll, tusUploads } from './uploads.ts'

export interface UploadLoad {
  readonly clients: number
  /** The files of one measurement. */
  readonly files: readonly PreparedFile[]
  /** All files together, in the row's unit. */
  readonly units: number
}

interface DropsOptions {
  readonly name?: string
  /** Settings of the server. */
  readonly env?: Environment
  /** Each with a link of its own. */
  readonly owners?: number
}

/** Each measurement has new owners, as an account holds at most 10,000 pending drops. */
export async function dropsLane(
  options: RowOptions,
  { clients, files, units }: UploadLoad,
  { name = 'drops', env, owners = 1 }: DropsOptions = {},
): Promise<Lane> {
  const server = await startBlindkeep(options, env)
  const lane = dropsTo([server], { clients, files, units }, { name, owners })
  return { ...lane, clear: () => removeObjects(server) }
}

/** The clients take turns with the servers, which are nodes of one place. */
export function dropsTo(
  servers: readonly [RunningServer, ...RunningServer[]],
  { clients, files, units }: UploadLoad,
  { name, owners }: Required<Pick<DropsOptions, 'name' | 'owners'>>,
): Lane {
  const [first] = servers
  return {
    name,
    async measure() {
      const links = await Promise.all(Array.from({ length: owners }, async () => newLink(first, await newOwner(first))))
      const { seconds, loadBusy, lastPath } = await sendAll(files, {
        port: servers.map(({ port }) => port),
        clients,
        protocols: links.map(dropsThrough),
      })
      await expectReceipt(first.port, lastPath)
      return { value: units / seconds, loadBusy }
    },
  }
}

/** The server keeps other files in that directory too. */
const OBJECT_NAME = /^[0-9a-f]{64}\./

export async function removeObjects({ dataDir }: Pick<RunningServer, 'dataDir'>): Promise<void> {
  await removeFiles(join(dataDir, 'blobs'), OBJECT_NAME)
}

async function expectReceipt(port: number, path: string): Promise<void> {
  const request = requestOf({ method: 'GET', path: `${path}/receipt` })
  const work = async (connection: Connection) => void expectStatus(await connection.ask(request), 200)
  await drive({ port, clients: 1, count: 1, work })
}

export async function tusLane(options: RowOptions, { clients, files, units }: UploadLoad): Promise<Lane> {
  const { port, clear } = await startTus(options)
  return {
    name: '@tus/server, file store',
    async measure() {
      const { seconds, loadBusy } = await sendAll(files, { port, clients, protocols: [tusUploads] })
      return { value: units / seconds, loadBusy }
    },
    clear,
  }
}

/** `clear` removes what was sent. */
const startTus = shared(async (options) => {
  const directory = await mkdtemp(join(options.directory, 'tus-'))
  return { port: await startPeer(options, 'tus', directory), clear: () => removeFiles(directory) }
})

/** `log`: with the rows and signatures of small drops. */
export type BareKind = 'plain' | 'log'

export const BARE_NAMES = {
  plain: 'bare Node: hash, write, sync',
  log: 'bare Node with rows and signatures',
} as const satisfies Record<BareKind, string>

/**
 * The least of a server that hashes and answers from the disk. `script`: the path that answers reads. `clear` removes
 * what was sent.
 */
export const startBareUploads = shared(async (options, kind: BareKind, script?: string) => {
  const directory = await mkdtemp(join(options.directory, `${kind}-`))
  const mode = kind === 'log' ? '--log' : script
  const started = await startPeerProcess(options, 'bareUploads', directory, ...(mode === undefined ? [] : [mode]))
  return { ...started, clear: () => removeFiles(directory) }
})

export async function bareUploadsLane(
  options: RowOptions,
  { clients, files, units }: UploadLoad,
  kind: BareKind = 'plain',
): Promise<Lane> {
  const { port, clear } = await startBareUploads(options, kind)
  return {
    name: BARE_NAMES[kind],
    async measure() {
      const { seconds, loadBusy } = await sendAll(files, { port, clients, protocols: [dropsThrough('bare')] })
      return { value: units / seconds, loadBusy }
    },
    clear,
  }
}

/** Removes the files below a directory, if it exists, and waits until the disk is idle. */
export async function removeFiles(directory: string, named = /./): Promise<void> {
  const entries = existsSync(directory) ? await readdir(directory, { recursive: true, withFileTypes: true }) : []
  for (const entry of entries)
    if (entry.isFile() && named.test(entry.name)) await rm(join(entry.parentPath, entry.name))
  await settleDisk()
}
