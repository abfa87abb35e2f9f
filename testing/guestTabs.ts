/** The whole of the guest page but its drawing and its browser, against a real server. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before } from 'node:test'
import { systemEnvironment } from '@blindkeep/client/environment'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { Owner } from '@blindkeep/client/owner'
import { type GuestEngine, openGuestEngine } from '../packages/web/src/guest/engine.ts'
import { createMemoryKeep } from '../packages/web/src/guest/keep.ts'
import type { ChosenFile, Phase, Row, Snapshot } from '../packages/web/src/guest/messages.ts'
import { createSoleLocks } from '../packages/web/src/guest/tabLocks.ts'
import { isRequest } from './maliciousServer.ts'
import { newOwner } from './people.ts'
import { type RunningServer, startServer } from './startServer.ts'
import { type Exchanged, startTamperingProxy, type TamperingProxy } from './tamperingProxy.ts'

export const MIB = 1024 * 1024
export const DROPS = /^\/d\//

/** The proxy wants to know how long a body is, which Node’s streams do not tell. */
export const environment = { ...nodeEnvironment, fetch: systemEnvironment.fetch }

export interface GuestWorld {
  readonly proxy: TamperingProxy
  readonly owner: Owner
  /** Of the chunks that were sent since so many requests had been seen. */
  chunksSince(from: number): readonly Exchanged[]
  /** As the engine names the link in what it keeps. */
  linkIdOf(url: string): string
  contentOf(name: string): Promise<Uint8Array>
}

/** One server behind a proxy for all tests of a file; what it gives is there once the first test runs. */
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
  /** Resolves with the first snapshot of which it is so. */
  until(isSo: (snapshot: Snapshot) => boolean): Promise<Snapshot>
  untilOpen(): Promise<Snapshot>
  untilAll(phase: Phase): Promise<Snapshot>
}

/** What a browser keeps, which its tabs share. */
export const newBrowser = () => ({ keep: createMemoryKeep(), locks: createSoleLocks() })

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
  return { file, folder: facts.folder ?? '', isFromCamera: facts.isFromCamera ?? false }
}

export const bytes = (count: number) => new Uint8Array(randomBytes(count))
export const noMessage = { note: '', sender: '' }
export const offsetOf = ({ headers }: Exchanged) => Number(headers['x-service-offset'])

export function rowOf({ rows }: Snapshot, name: string): Row {
  const row = rows.find((one) => one.name === name)
  assert.ok(row, name)
  return row
}

/** The session of an upload, or the link, as it is answered about once it is gone. */
export const notFound = () => ({
  status: 404,
  headers: { 'content-type': 'application/problem+json' },
  body: Buffer.from(JSON.stringify({ status: 404, code: 'error.drop.link_not_found', title: '' })),
})

/** Stops after the first acknowledged chunk, as a tab that is closed. */
export async function begun(url: string, file: ChosenFile, browser: ReturnType<typeof newBrowser>): Promise<void> {
  const tab = await openTab(url, browser)
  await tab.untilOpen()
  await tab.add([file])
  tab.send(noMessage, undefined)
  const { rows } = await tab.until((snapshot) => snapshot.rows.some(({ isBegun }) => isBegun))
  tab.pause(rows[0]?.id ?? '')
  await tab.untilAll('paused')
}

/** The browser after a crash: what was kept is there, and no tab holds anything. */
export const reopened = ({ keep }: ReturnType<typeof newBrowser>) => ({ keep, locks: createSoleLocks() })
