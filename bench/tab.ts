/** The one tab of a real Chromium. */
import { type DevTools, launchChromium } from './devTools.ts'
import type { RowOptions } from './row.ts'

export interface HeapUsage {
  /** Objects, in bytes. */
  readonly usedSize: number
  readonly embedderHeapUsedSize: number
  /** The buffers that they hold outside the heap, in bytes. */
  readonly backingStorageSize: number
}

export interface Tab {
  /** Resolves when the page has loaded. */
  goto(url: string): Promise<void>
  /** Runs in the page, alone with its argument, both of which JSON can say. */
  evaluate<Argument, Result>(work: (argument: Argument) => Promise<Result>, argument: Argument): Promise<Result>
  /** A file on disk, as somebody does in the dialog of the `<input type="file">` that the selector finds. */
  choose(selector: string, path: string): Promise<void>
  /** Of the page and of each of its workers. */
  heapUsages(): Promise<readonly HeapUsage[]>
  /** Of the browser's renderers: the tab's, and a spare one that has nothing in it. */
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

/** The sessions of the page's workers, as they come and go. */
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
