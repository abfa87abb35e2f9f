/**
 * P9: downloads of a large file by one client and of small ones by many. From files, beside Node's server that
 * streams the same files, and nginx if it is installed; from an object store, beside gets of the same bytes by the
 * store's library.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { Agent, type ClientRequest, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { TestObjectStore } from '../../testing/objectStore.ts'
import { bareGetsLane, putBare } from '../bareObjects.ts'
import { share } from '../load.ts'
import { newLink, newOwner } from '../owner.ts'
import { hasProgram, startBlindkeep, startNginx, startPeer } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'
import { dropsThrough, type PreparedFile, prepareFile, sendAll } from '../uploads.ts'
import { openGround } from './objectStore.ts'

const MEBIBYTE = 1024 * 1024
const CHUNK_BYTES = 8 * MEBIBYTE
const SMALL_BYTES = 65_536
const SMALL_CLIENTS = 16

interface Transfers {
  readonly file: PreparedFile
  readonly clients: number
  readonly count: number
  /** Mebibytes of all together. */
  readonly units: number
  /** The target beside nginx. */
  readonly reach: number
}

function transfersOf({ isQuick }: RowOptions): readonly Transfers[] {
  return [
    { bytes: isQuick ? 2 * MEBIBYTE : 24 * CHUNK_BYTES, clients: 1, count: isQuick ? 1 : 4, reach: 0.7 },
    { bytes: SMALL_BYTES, clients: SMALL_CLIENTS, count: isQuick ? 32 : 4000, reach: 0.4 },
  ].map(({ bytes, count, ...rest }) => {
    const file = prepareFile(randomBytes(bytes), isQuick ? MEBIBYTE : CHUNK_BYTES)
    return { ...rest, file, count, units: (count * bytes) / MEBIBYTE }
  })
}

export const downloads: Row = {
  name: 'download',
  ids: ['P9'],
  what: 'downloads: a file of many chunks by one client, and 64 KiB by 16 clients; beside Node’s server, and nginx, with the same files',
  async open(options) {
    const server = await startBlindkeep(options)
    const directory = join(options.directory, 'files')
    await mkdir(directory)
    const node = await startPeer(options, 'files', directory)
    const nginx = hasProgram('nginx', ['-v']) ? await startNginx(directory, options) : undefined
    const comparisons = await Promise.all(
      transfersOf(options).map(async (transfers, index) => {
        const path = `/${index}`
        await writeFile(join(directory, path), bytesOf(transfers.file))
        const lane = downloadLane('download', await landed(server, transfers.file), transfers)
        const at = (port: number) => ({ url: `http://127.0.0.1:${port}${path}`, headers: {} })
        const streamed = downloadLane('Node, the same file', at(node), transfers)
        if (nginx === undefined) return [{ id: 'P9', lane, beside: streamed }]
        const served = downloadLane('nginx, the same file', at(nginx), transfers)
        return [
          { id: 'P9', lane, beside: streamed },
          { id: 'P9', lane, beside: served, reach: transfers.reach },
        ]
      }),
    )
    return rowOf(comparisons.flat(), () => (nginx === undefined ? ['nginx is not installed'] : []))
  },
}

export const downloadsFromObjectStore: Row = {
  name: 's3-download',
  ids: ['P9-s3'],
  what: 'downloads as in P9 from an object store; beside gets of the same bytes',
  async open(options) {
    const { objects, env, remarks } = await openGround(options)
    const server = await startBlindkeep(options, env)
    const comparisons = await Promise.all(
      transfersOf(options).map(async (transfers) => {
        const lane = downloadLane('download', await landed(server, transfers.file), transfers)
        return { id: 'P9-s3', lane, beside: await getsOf(objects, transfers) }
      }),
    )
    return rowOf(comparisons, remarks)
  },
}

function rowOf(
  comparisons: readonly { id: string; lane: Lane; beside: Lane; reach?: number }[],
  remarks: () => readonly string[],
) {
  const lanes = [...new Set(comparisons.flatMap(({ lane, beside }) => [lane, beside]))]
  return { unit: 'MiB/s', lanes, comparisons, remarks } as const
}

interface Place {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a file as a guest. Returns how its owner asks for it. */
async function landed(server: { readonly url: string; readonly port: number }, file: PreparedFile): Promise<Place> {
  const owner = await newOwner(server)
  const protocols = [dropsThrough(await newLink(server, owner))]
  await sendAll([file], { port: server.port, clients: 1, protocols })
  const headers = { authorization: `Bearer ${owner.token}` }
  const inbox: { readonly drops: readonly { readonly drop_id: string }[] } = await (
    await fetch(`${server.url}/v1/drops`, { headers })
  ).json()
  return { url: `${server.url}/v1/drops/${inbox.drops[0]?.drop_id}/content`, headers }
}

function downloadLane(name: string, { url, headers }: Place, { file, clients, count, units }: Transfers): Lane {
  return {
    name: `${name}, ${(file.size / MEBIBYTE).toFixed(2)} MiB`,
    async measure() {
      const agent = new Agent({ keepAlive: true })
      const startedAt = performance.now()
      await share(Array.from({ length: clients }), count, async () => {
        const length = await lengthOf(get(url, { headers, agent }))
        if (length !== file.size) throw new Error(`${length} of ${file.size} bytes came`)
      })
      const value = (units * 1000) / (performance.now() - startedAt)
      agent.destroy()
      return { value }
    },
  }
}

async function lengthOf(request: ClientRequest): Promise<number> {
  const [answer]: IncomingMessage[] = await once(request, 'response')
  let bytes = 0
  for await (const piece of answer ?? []) bytes += piece.length
  return bytes
}

function bytesOf({ chunks }: PreparedFile): Buffer {
  return Buffer.concat(chunks.map(({ bytes }) => bytes))
}

/** The same bytes in one key, as a joined file has them. */
async function getsOf(objects: TestObjectStore, { file, clients, count, units }: Transfers): Promise<Lane> {
  const key = await putBare(objects, bytesOf(file))
  return bareGetsLane(objects, { keys: [key], clients, count, units })
}
