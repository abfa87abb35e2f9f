/** The guest page without its rendering and without a browser, on a real server. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before } from 'node:test'
import { systemEnvironment } from '@blindkeep/client/environment'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { Owner } from '@blindkeep/client/owner'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { newOwner } from '../../../../testing/people.ts'
import { type RunningServer, startServer } from '../../../../testing/startServer.ts'
import { type Exchanged, startTamperingProxy, type TamperingProxy } from '../../../../testing/tamperingProxy.ts'
import { type GuestEngine, openGuestEngine } from '../guest/engine/engine.ts'
import { createMemoryStore } from '../guest/engine/store/guestStore.ts'
import { createSoleLocks } from '../guest/engine/store/tabLocks.ts'
import type { ChosenFile, Phase, Row, Snapshot } from '../guest/ground/messages.ts'

export const MIB = 1024 * 1024
export const DROPS = /^\/d\//

/** Node's own fetch, as the proxy needs a Content-Length, which streamed bodies do not have. */
export const environment = { ...nodeEnvironment, fetch: systemEnvironment.fetch }

export interface GuestWorld {
  readonly proxy: TamperingProxy
  readonly owner: Owner
  /** The chunks among the requests from index `from` on. */
  chunksSince(from: number): readonly Exchanged[]
  /** The engine's id of the link in its storage. */
  linkIdOf(url: string): string
  contentOf(name: string): Promise<Uint8Array>
}

/** One server behind a proxy for all tests of a file. The members exist only once the first test runs. */
export function useGuestWorld(): GuestWorld {
  let proxy: TamperingProxy
  let server: RunningServer
  let owner: Owner
  before(async () => {
    proxy = await startTamperingProxy()
    server = await startServer({ publicUrl: proxy.url })
    proxy.forwardTo(server.url)
    owner = await newOwner(proxy.url, environment)
  })
  afterEach(() => proxy.tamper())
  after(async () => {
    await server.stop()
    await proxy.close()
  })
  return {
    get proxy() {
      return proxy
    },
    get owner() {
      return owner
    },
    chunksSince: (from) => proxy.seen.slice(from).filter(isRequest('PATCH', DROPS)),
    linkIdOf: (url) => `${proxy.url} ${new URL(url).pathname.split('/').at(-1)}`,
    async contentOf(name) {
      const drop = (await owner.inbox()).find(({ file }) => file?.name === name)
      assert.ok(drop, name)
      const opened = await owner.openDrop(drop)
      return new Uint8Array(await new Response(opened.content).arrayBuffer())
    },
  }
}

export interface Tab extends GuestEngine {
  /** Resolves with the first snapshot for which `isSo` is true. */
  until(isSo: (snapshot: Snapshot) => boolean): Promise<Snapshot>
  untilOpen(): Promise<Snapshot>
  untilAll(phase: Phase): Promise<Snapshot>
}

/** The storage of a browser, which its tabs share. */
export const newBrowser = () => ({ store: createMemoryStore(), locks: createSoleLocks() })

export async function openTab(url: string, browser = newBrowser(), wait = environment.wait): Promise<Tab> {
  const { origin, pathname, hash } = new URL(url)
  const parts = { baseUrl: origin, opaqueId: pathname.split('/').at(-1) ?? '', fragment: hash }
  const waiting = new Set<() => void>()
  const engine = await openGuestEngine({
    parts,
    ...browser,
    environment: { ...environment, wait },
    uploadFetch: () => environment.fetch,
    onChange: () => {
      for (const look of waiting) setImmediate(look)
    },
  })
  const until = (isSo: (snapshot: Snapshot) => boolean) =>
    new Promise<Snapshot>((resolve) => {
      const look = () => {
        const snapshot = engine.snapshot()
        if (!isSo(snapshot)) return
        waiting.delete(look)
        resolve(snapshot)
      }
      waiting.add(look)
      look()
    })
  return {
    ...engine,
    until,
    untilOpen: () => until(({ link }) => link.is === 'open'),
    untilAll: (phase) => until(({ rows }) => rows.length > 0 && rows.every((row) => row.phase === phase)),
  }
}

export function chosen(
  name: string,
  content: Uint8Array<ArrayBuffer>,
  facts: Partial<ChosenFile> & { at?: number } = {},
): ChosenFile {
  const file = new File([content], name, {
    type: 'application/octet-stream',
    lastModified: facts.at ?? 1_700_000_000_000,
  })
  return { file, folder: facts.folder ?? '', isNew: facts.isNew ?? false }
}

export const bytes = (count: number) => new Uint8Array(randomBytes(count))
export const noMessage = { note: '', sender: '' }
export const offsetOf = ({ headers }: Exchanged) => Number(headers['x-service-offset'])

export function rowOf({ rows }: Snapshot, name: string): Row {
  const row = rows.find((one) => one.name === name)
  assert.ok(row, name)
  return row
}

/** The answer for an ended upload session or link. */
export const notFound = () => ({
  status: 404,
  headers: { 'content-type': 'application/problem+json' },
  body: Buffer.from(JSON.stringify({ status: 404, code: 'error.drop.link_not_found', title: '' })),
})

/** Sends the first chunk of a file in a tab, which then pauses. */
export async function begun(url: string, file: ChosenFile, browser: ReturnType<typeof newBrowser>): Promise<void> {
  const tab = await openTab(url, browser)
  await tab.untilOpen()
  await tab.add([file])
  tab.send(noMessage, undefined)
  const { rows } = await tab.until((snapshot) => snapshot.rows.some(({ isBegun }) => isBegun))
  tab.pause(rows[0]?.id ?? '')
  await tab.untilAll('paused')
}

/** The browser after a crash: its storage remains, and no tab holds a lock. */
export const reopened = ({ store }: ReturnType<typeof newBrowser>) => ({ store, locks: createSoleLocks() })
