/**
 * P11: a guest's page in a real browser prepares and sends one large file, from the click to the checked receipt, beside the same cryptography bare
 * in the same tab: a plain loop that reads, encrypts twice and hashes, and neither compares, sends nor draws anything.
 */
import { randomBytes } from 'node:crypto'
import { cp, open } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { PAGES_DIRECTORY } from '../../packages/web/e2e/world.ts'
import { newOwner } from '../../testing/people.ts'
import type { RunningServer } from '../../testing/startServer.ts'
import { addChooser, type GoSeconds, sealAndSend, sealBareInTab, untilShown } from '../inPage.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'
import { openTab, type Tab } from '../tab.ts'
import { type TabMemory, watchMemory } from '../tabMemory.ts'
import { removeCopies } from '../uploadLanes.ts'

const MIB = 1024 * 1024
/** Far beyond what a go takes; a page that hangs is a failed row. */
const GO_TIMEOUT_MS = 30 * 60_000
const MAX_TAB_BYTES = 300 * MIB

export const p11: Row = {
  ids: ['P11'],
  what: 'browser: a guest’s page seals, hashes and sends one file of 2 GiB, from the click to the receipt',
  async open(options) {
    const mebibytes = options.isQuick ? 64 : 2048
    const path = await writeRandomFile(options, mebibytes)
    const server = await startBlindkeep(options, { env: { PAGES_DIR: await pagesWithPeer(options) } })
    const tab = await openTab(options)
    const goes: Go[] = []
    const guest = guestLane({ server, tab, path, mebibytes, goes })
    const bare = bareLane({ server, tab, path, mebibytes })
    return {
      unit: 'MiB/s',
      lanes: [guest, bare],
      comparisons: [{ id: 'P11', lane: guest, beside: bare, reach: 0.8 }],
      remarks: () => remarksOn(goes),
    }
  },
}

/** Random, so that nothing on the way makes less of it. */
async function writeRandomFile({ directory }: RowOptions, mebibytes: number): Promise<string> {
  const path = join(directory, 'film.mp4')
  const file = await open(path, 'w')
  for (let written = 0; written < mebibytes; written++) await file.write(randomBytes(MIB))
  await file.sync()
  await file.close()
  return path
}

/** The built pages, with the peer's script beside theirs, so that both run under the same policy and come from the same server. */
async function pagesWithPeer({ directory }: RowOptions): Promise<string> {
  const pages = join(directory, 'pages')
  await cp(PAGES_DIRECTORY, pages, { recursive: true })
  const entry = join(import.meta.dirname, '..', 'peers', 'bareSealing.ts')
  const lib = { entry, formats: ['es' as const], fileName: () => 'bareSealing.js' }
  const outDir = join(pages, 'assets')
  await build({ configFile: false, logLevel: 'warn', build: { outDir, emptyOutDir: false, target: 'es2022', lib } })
  return pages
}

/** How one went. */
interface Go extends GoSeconds, TabMemory {}

interface InTab {
  readonly server: RunningServer
  readonly tab: Tab
  readonly path: string
  readonly mebibytes: number
}

/** Each go is through a link of its own, opened in the same tab. */
function guestLane({ server, tab, path, mebibytes, goes }: InTab & { readonly goes: Go[] }): Lane {
  return {
    name: 'guest’s page',
    async measure() {
      const { url } = await (await newOwner(server.url)).createLink()
      await tab.goto(url)
      await tab.evaluate(untilShown, { selector: '.choosers button:enabled', timeoutMs: GO_TIMEOUT_MS })
      await tab.choose('#choose-files', path)
      await tab.evaluate(untilShown, { selector: '.queue-row.chosen', timeoutMs: GO_TIMEOUT_MS })
      const { result, memory } = await watchMemory(tab, () => tab.evaluate(sealAndSend, GO_TIMEOUT_MS))
      goes.push({ ...result, ...memory })
      return { perSecond: mebibytes / (result.preparing + result.sending) }
    },
    clear: () => removeCopies(server),
  }
}

function bareLane({ server, tab, path, mebibytes }: InTab): Lane {
  return {
    name: 'AES-GCM twice + SHA-256, bare',
    async measure() {
      await tab.evaluate(addChooser, 'bare')
      await tab.choose('#bare', path)
      const seconds = await tab.evaluate(sealBareInTab, `${server.url}/assets/bareSealing.js`)
      return { perSecond: mebibytes / seconds }
    },
  }
}

/** Each the greatest of all goes: what one of them leaves behind would show in the next. */
function remarksOn(goes: readonly Go[]): readonly string[] {
  const heap = Math.max(...goes.map(({ heapBytes }) => heapBytes))
  const resident = Math.max(...goes.map(({ residentBytes }) => residentBytes ?? 0))
  const judged = Math.max(heap, resident) <= MAX_TAB_BYTES ? 'reached' : 'short'
  const seconds = goes.map(({ preparing, sending }) => `${preparing.toFixed(1)} + ${sending.toFixed(1)}`).join(', ')
  return [
    `preparing + sending, go after go: ${seconds} s.`,
    `the tab’s heap: ${mebibytesOf(heap)} at most (page and worker, objects and buffers, every 250 ms); its process: ${resident === 0 ? 'not told by this system' : `${mebibytesOf(resident)} resident at most, Chromium’s own code included`}. Target ≤ 300 MiB: ${judged}.`,
  ]
}

function mebibytesOf(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`
}
