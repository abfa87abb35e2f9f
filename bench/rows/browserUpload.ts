/**
 * P11: a guest's page in a real browser prepares and sends one large file, from the click to the checked receipt.
 * Compared with the bare cryptography in the same tab, a loop that reads, encrypts twice and hashes; and with a bare
 * loop that also sends, to bare Node.
 */
import { randomBytes } from 'node:crypto'
import { cp, open } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { PAGES_DIRECTORY } from '../../packages/web/e2e/world.ts'
import { guest as text } from '../../packages/web/src/text/en/guest.ts'
import { newOwner } from '../../testing/people.ts'
import type { RunningServer } from '../../testing/startServer.ts'
import { addChooser, type BareWork, sealAndSend, type UploadSeconds, untilShown, workBare } from '../inPage.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'
import { openTab, type Tab } from '../tab.ts'
import { type TabMemory, watchMemory } from '../tabMemory.ts'
import { removeObjects, startBareUploads } from '../uploadLanes.ts'

const MIB = 1024 * 1024
/** Far longer than an upload takes; a page that hangs fails the row. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000
const SENDING = { send: text.send(1), done: text.done.checked(1), timeoutMs: UPLOAD_TIMEOUT_MS }
/** The built script of the peers in the tab. */
const PEER = 'bareSealing.js'
const MAX_TAB_BYTES = 300 * MIB

export const browserUpload: Row = {
  name: 'browser-upload',
  ids: ['P11'],
  what: 'browser: a guest’s page seals, hashes and sends one file of 2 GiB, from the click to the receipt',
  async open(options) {
    const mebibytes = options.isQuick ? 4 : 2048
    const path = await writeRandomFile(options, mebibytes)
    const pages = await pagesWithPeer(options)
    const server = await startBlindkeep(options, { PAGES_DIR: pages })
    const tab = await openTab(options)
    const uploads: MeasuredUpload[] = []
    const guest = guestLane({ server, tab, path, mebibytes, uploads })
    // The script's own answer allows WebAssembly, as the worker's does; the page's does not.
    const script = `${server.url}/assets/${PEER}`
    const bare = bareLane({ name: 'AES-GCM twice + SHA-256, bare', script, work: 'sealBare', tab, path, mebibytes })
    const sending = await sendingLane(options, { pages, tab, path, mebibytes })
    return {
      unit: 'MiB/s',
      lanes: [guest, bare, sending],
      comparisons: [
        { id: 'P11', lane: guest, beside: bare, reach: 0.8 },
        { id: 'P11', lane: guest, beside: sending },
        { id: 'P11', lane: sending, beside: bare },
      ],
      remarks: () => remarksOn(uploads),
    }
  },
}

/** Random bytes, which nothing can compress. */
async function writeRandomFile({ directory }: RowOptions, mebibytes: number): Promise<string> {
  const path = join(directory, 'film.mp4')
  const file = await open(path, 'w')
  for (let written = 0; written < mebibytes; written++) await file.write(randomBytes(MIB))
  await file.sync()
  await file.close()
  return path
}

/** A copy of the built pages with the peer's script, so that both come from the same server under the same policy. */
async function pagesWithPeer({ directory }: RowOptions): Promise<string> {
  const pages = join(directory, 'pages')
  await cp(PAGES_DIRECTORY, pages, { recursive: true })
  const entry = join(import.meta.dirname, '..', 'peers', 'bareSealing.ts')
  const lib = { entry, formats: ['es' as const], fileName: () => PEER }
  const outDir = join(pages, 'assets')
  await build({ configFile: false, logLevel: 'warn', build: { outDir, emptyOutDir: false, target: 'es2022', lib } })
  return pages
}

interface MeasuredUpload extends UploadSeconds, TabMemory {}

interface InTab {
  readonly server: RunningServer
  readonly tab: Tab
  readonly path: string
  readonly mebibytes: number
}

/** Each measurement opens a new link in the same tab. */
function guestLane({ server, tab, path, mebibytes, uploads }: InTab & { readonly uploads: MeasuredUpload[] }): Lane {
  return {
    name: 'guest’s page',
    async measure() {
      const { url } = await (await newOwner(server.url)).createLink()
      await tab.goto(url)
      await tab.evaluate(untilShown, { selector: '.choosers button:enabled', timeoutMs: UPLOAD_TIMEOUT_MS })
      await tab.choose('#choose-files', path)
      await tab.evaluate(untilShown, { selector: '.queue-row.chosen', timeoutMs: UPLOAD_TIMEOUT_MS })
      const { result, memory } = await watchMemory(tab, () => tab.evaluate(sealAndSend, SENDING))
      uploads.push({ ...result, ...memory })
      return { value: mebibytes / (result.preparing + result.sending) }
    },
    clear: () => removeObjects(server),
  }
}

interface BareLane extends Omit<InTab, 'server'>, BareWork {
  readonly name: string
}

function bareLane({ name, script, work, tab, path, mebibytes }: BareLane): Lane {
  return {
    name,
    async measure() {
      await tab.goto(script)
      await tab.evaluate(addChooser, 'bare')
      await tab.choose('#bare', path)
      return { value: mebibytes / (await tab.evaluate(workBare, { script, work })) }
    },
  }
}

/** Gets its script from the peer that it sends to. */
async function sendingLane(
  options: RowOptions,
  { pages, ...inTab }: Omit<InTab, 'server'> & { readonly pages: string },
): Promise<Lane> {
  const { port, clear } = await startBareUploads(options, 'plain', join(pages, 'assets', PEER))
  const script = `http://127.0.0.1:${port}/${PEER}`
  return { ...bareLane({ ...inTab, name: 'the same, sent to bare Node', script, work: 'sealAndSendBare' }), clear }
}

/** The peaks over all uploads, so that memory which one leaves behind shows in the next. */
function remarksOn(uploads: readonly MeasuredUpload[]): readonly string[] {
  const heap = Math.max(...uploads.map(({ heapBytes }) => heapBytes))
  const resident = Math.max(...uploads.map(({ residentBytes }) => residentBytes ?? 0))
  const judged = Math.max(heap, resident) <= MAX_TAB_BYTES ? 'reached' : 'missed'
  const seconds = uploads.map(({ preparing, sending }) => `${preparing.toFixed(1)} + ${sending.toFixed(1)}`).join(', ')
  return [
    `preparing + sending, upload by upload: ${seconds} s.`,
    `the tab’s heap: ${mebibytesOf(heap)} at most (page and worker, objects and buffers, every 250 ms); its process: ${resident === 0 ? 'not reported by this system' : `${mebibytesOf(resident)} resident at most, Chromium’s own code included`}. Target ≤ 300 MiB: ${judged}.`,
  ]
}

function mebibytesOf(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`
}
