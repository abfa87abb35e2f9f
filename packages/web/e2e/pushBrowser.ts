/**
 * A Chromium whose push service is the one of the tests. Chromium subscribes at the service of its vendor alone, so
 * what the page asks of `PushManager` is answered by the test service; what that service receives is handed to the
 * service worker as DevTools do, decrypted, which is how a worker gets it. All between is real: the page, the worker,
 * the server, and the encryption.
 */
import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core'
import type { PushService, TestSubscription } from '../../../testing/pushService.ts'

export interface ShownNotification {
  readonly title: string
  readonly body: string
  readonly lang: string
}

export interface PushBrowser {
  /** The subscription of the browser. */
  subscription(): TestSubscription | undefined
  /** The browser loses it by itself. */
  lose(): void
  /** The service worker gets this message. */
  deliver(text: string): Promise<void>
  shown(): Promise<readonly ShownNotification[]>
  /** Clicks the notification. Resolves with the address of the page that the worker opens, if it opens one. */
  click(): Promise<string | undefined>
  /** The scopes of the registered workers. */
  scopes(): Promise<readonly string[]>
}

interface Wanted {
  readonly context: BrowserContext
  /** Of the server's origin, and open as long as messages are delivered. */
  readonly page: Page
  readonly push: PushService
  /** The address of the pages, without a slash at the end. */
  readonly url: string
}

/** Call it before the owner's page is opened. */
export async function withPush({ context, page, push, url }: Wanted): Promise<PushBrowser> {
  let subscription: TestSubscription | undefined
  await context.exposeBinding('testPush', (_, order: 'subscribe' | 'read' | 'unsubscribe', key?: string) => {
    if (order === 'subscribe') subscription = push.subscribe(key)
    const { endpoint, p256dh, auth } = subscription ?? {}
    const answer = endpoint && { endpoint, p256dh: [...(p256dh ?? [])], auth: [...(auth ?? [])] }
    if (order === 'unsubscribe' && endpoint !== undefined) push.unsubscribe(endpoint)
    if (order === 'unsubscribe') subscription = undefined
    return answer
  })
  await context.addInitScript(subscribeAtTestService)
  await context.grantPermissions(['notifications', 'clipboard-read', 'clipboard-write'])
  const devTools = await context.newCDPSession(page)
  const registrations = await watchRegistrations(devTools)
  const scope = `${url}/push/`

  async function worker(): Promise<Worker> {
    const running = () => context.serviceWorkers().findLast((each) => each.url() === `${scope}worker.js`)
    const found =
      running() ?? (await context.waitForEvent('serviceworker', { predicate: () => running() !== undefined }))
    await found.evaluate(recordNotifications)
    return found
  }

  return {
    subscription: () => subscription,
    lose() {
      subscription = undefined
    },
    async deliver(text) {
      const found = await worker()
      await found.evaluate(expectPush)
      const data = { origin: new URL(url).origin, registrationId: registrations(scope), data: text }
      await devTools.send('ServiceWorker.deliverPushMessage', data)
      await found.evaluate(pushHandled)
    },
    shown: async () => (await worker()).evaluate(readShown),
    click: async () => (await worker()).evaluate(clickShown),
    scopes: () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).map(({ scope: each }) => each)),
  }
}

/** The newest registration of a scope. */
async function watchRegistrations(devTools: CDPSession): Promise<(scope: string) => string> {
  const known = new Map<string, string>()
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const { scopeURL, registrationId, isDeleted } of registrations)
      if (!isDeleted) known.set(scopeURL, registrationId)
  })
  await devTools.send('ServiceWorker.enable')
  return (scope) => {
    const id = known.get(scope)
    if (id === undefined) throw new Error(`no service worker for ${scope} among ${[...known.keys()]}`)
    return id
  }
}

/** Runs in each page before its own scripts. */
function subscribeAtTestService(): void {
  interface Answer {
    readonly endpoint: string
    readonly p256dh: readonly number[]
    readonly auth: readonly number[]
  }
  const { testPush } = globalThis as unknown as {
    testPush(order: 'subscribe' | 'read' | 'unsubscribe', key?: string): Promise<Answer | undefined>
  }
  const subscriptionOf = ({ endpoint, p256dh, auth }: Answer) => ({
    endpoint,
    getKey: (name: string) => new Uint8Array(name === 'auth' ? auth : p256dh).buffer,
    unsubscribe: async () => (await testPush('unsubscribe')) !== undefined,
  })
  const read = async (order: 'subscribe' | 'read', key?: string) => {
    const answer = await testPush(order, key)
    return answer === undefined ? null : subscriptionOf(answer)
  }
  Object.assign(PushManager.prototype, {
    getSubscription: () => read('read'),
    subscribe({ applicationServerKey }: { applicationServerKey: Uint8Array }) {
      const key = btoa(String.fromCharCode(...applicationServerKey))
      return read('subscribe', key.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''))
    },
  })
  // The packed Chromium draws no notifications, and answers so.
  if (Notification.permission === 'denied')
    Object.defineProperty(Notification, 'permission', { get: () => 'granted', configurable: true })
}

interface Recorded extends ShownNotification {
  readonly tag: string
  readonly data: unknown
  close(): void
}

interface WorkerWithRecord {
  readonly registration: ServiceWorkerRegistration
  readonly clients: { openWindow(url: string): Promise<unknown> }
  addEventListener(name: string, listener: (event: Event) => void): void
  dispatchEvent(event: Event): void
  recorded?: Recorded[]
  handled?: Promise<void>
}

/** Runs once, in the worker: the packed Chromium draws no notifications, so they are noted as browsers keep them. */
function recordNotifications(): void {
  const scope = globalThis as unknown as WorkerWithRecord
  if (scope.recorded !== undefined) return
  scope.recorded = []
  const keep = (others: (each: Recorded) => boolean) => {
    scope.recorded = (scope.recorded ?? []).filter(others)
  }
  Object.assign(scope.registration, {
    getNotifications: async () => scope.recorded,
    async showNotification(title: string, options: Omit<Recorded, 'title' | 'close'>) {
      keep(({ tag }) => tag !== options.tag)
      const shown = { ...options, title, close: () => keep((each) => each !== shown) }
      scope.recorded?.push(shown)
    },
  })
}

/** Runs in the worker, before a message. */
function expectPush(): void {
  const scope = globalThis as unknown as WorkerWithRecord
  const { showNotification } = scope.registration
  scope.handled = new Promise((resolve) => {
    Object.assign(scope.registration, {
      async showNotification(...given: Parameters<typeof showNotification>) {
        Object.assign(scope.registration, { showNotification })
        await showNotification(...given)
        resolve()
      },
    })
  })
}

/** Runs in the worker. Resolves when it has shown the message. */
async function pushHandled(): Promise<void> {
  await (globalThis as unknown as WorkerWithRecord).handled
}

/** Runs in the worker. */
function readShown(): readonly ShownNotification[] {
  const { recorded = [] } = globalThis as unknown as WorkerWithRecord
  return recorded.map(({ title, body, lang }) => ({ title, body, lang }))
}

/** Runs in the worker. Without a click it may not focus or open a window: what it asks for is noted. */
async function clickShown(): Promise<string | undefined> {
  const scope = globalThis as unknown as WorkerWithRecord
  let opened: string | undefined
  Object.assign(scope.clients, {
    openWindow: async (url: string) => {
      opened = url
    },
  })
  const works: Promise<unknown>[] = []
  const notification = scope.recorded?.at(-1)
  const waitUntil = { value: (work: Promise<unknown>) => works.push(work) }
  const event = Object.defineProperty(new Event('notificationclick'), 'waitUntil', waitUntil)
  scope.dispatchEvent(Object.assign(event, { notification }))
  await Promise.allSettled(works)
  return opened
}
