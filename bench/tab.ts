/** One tab of a real Chromium. */
import { type DevTools, launchChromium } from './devTools.ts'
import type { RowOptions } from './row.ts'

export interface HeapUsage {
  /** Bytes of objects. */
  readonly usedSize: number
  readonly embedderHeapUsedSize: number
  /** Bytes of buffers outside the heap. */
  readonly backingStorageSize: number
}

export interface Tab {
  /** Resolves when the page has loaded. */
  goto(url: string): Promise<void>
  /** Runs `work` in the page. It sees nothing but its argument; argument and result go as JSON. */
  evaluate<Argument, Result>(work: (argument: Argument) => Promise<Result>, argument: Argument): Promise<Result>
  /** Puts a file from the disk into the `<input type="file">` that the selector finds. */
  choose(selector: string, path: string): Promise<void>
  /** One for the page and one for each of its workers. */
  heapUsages(): Promise<readonly HeapUsage[]>
  /** Ids of the browser's renderer processes: the tab's, and an empty spare one. */
  processes(): Promise<readonly number[]>
}

export async function openTab(options: RowOptions): Promise<Tab> {
  const devTools = await launchChromium(options)
  const toBrowser = devTools.sendTo()
  const { targetId } = await toBrowser('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await toBrowser('Target.attachToTarget', { targetId, flatten: true })
  const toPage = devTools.sendTo(sessionId)
  const workers = watchWorkers(devTools)
  await toPage('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
  await toPage('Page.enable')
  let loaded = Promise.withResolvers<void>()
  devTools.on('Page.loadEventFired', () => loaded.resolve())
  return {
    async goto(url) {
      loaded = Promise.withResolvers()
      await toPage('Page.navigate', { url })
      await loaded.promise
    },
    async evaluate(work, argument) {
      const expression = `(${work})(${JSON.stringify(argument)})`
      const wanted = { expression, awaitPromise: true, returnByValue: true, userGesture: true }
      const { result, exceptionDetails } = await toPage('Runtime.evaluate', wanted)
      if (exceptionDetails === undefined) return result.value
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    },
    async choose(selector, path) {
      const { root } = await toPage('DOM.getDocument')
      const { nodeId } = await toPage('DOM.querySelector', { nodeId: root.nodeId, selector })
      await toPage('DOM.setFileInputFiles', { files: [path], nodeId })
    },
    heapUsages: () =>
      Promise.all([sessionId, ...workers].map((session) => devTools.sendTo(session)('Runtime.getHeapUsage'))),
    async processes() {
      const { processInfo } = await toBrowser('SystemInfo.getProcessInfo')
      return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
    },
  }
}

/** The DevTools sessions of the page's present workers. */
function watchWorkers({ on }: DevTools): ReadonlySet<string> {
  const workers = new Set<string>()
  interface Attached {
    readonly sessionId: string
    readonly targetInfo: { readonly type: string }
  }
  on<Attached>('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') workers.add(sessionId)
  })
  on<Pick<Attached, 'sessionId'>>('Target.detachedFromTarget', ({ sessionId }) => void workers.delete(sessionId))
  return workers
}
