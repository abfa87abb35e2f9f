/**
 * The service worker of the pages, for messages that the browser gets from its vendor's service: it shows them, and
 * opens the inbox when one is clicked. It controls no page, because none is in its scope; it takes no requests and
 * keeps no files. What it may load, `http/pages.ts` of the server says: pictures.
 */
import { pickLanguage } from '../common/language/language.ts'
import { isCounted, noticeOf } from './notice.ts'
import { OPEN_INBOX } from './openInbox.ts'
import { readPushMessage } from './pushMessage.ts'
import { loadPushRecord } from './pushRecord.ts'

/** The part of a service worker's scope that is used: page types lack it (W3C Push, Notifications, Service Workers). */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    matchAll(options: { readonly type: 'window'; readonly includeUncontrolled: true }): Promise<readonly WindowClient[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener(name: 'install', listener: (event: LastingEvent) => void): void
  addEventListener(
    name: 'push',
    listener: (event: LastingEvent & { readonly data: { text(): string } | null }) => void,
  ): void
  addEventListener(
    name: 'notificationclick',
    listener: (event: LastingEvent & { readonly notification: Notification }) => void,
  ): void
}

interface LastingEvent {
  waitUntil(work: Promise<unknown>): void
}

interface WindowClient {
  readonly url: string
  focus(): Promise<unknown>
  postMessage(message: string): void
}

const worker = globalThis as unknown as WorkerScope
const { registration } = worker
/** The scope is the folder of this script, one below the pages. */
const ownersPage = new URL('../', registration.scope)

// A new version has nothing to wait for, as it controls no page.
worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))

worker.addEventListener('push', (event) => event.waitUntil(show(event.data?.text() ?? '')))

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openInbox())
})

async function show(text: string): Promise<void> {
  const record = await loadPushRecord(ownersPage.href.replace(/\/$/, ''))
  const language = record?.language ?? pickLanguage(navigator.languages)
  const present = await registration.getNotifications()
  const shown = present.map(({ data }): unknown => data).find(isCounted)
  const { title, body, tag, counted } = noticeOf(readPushMessage(text), { language, shown })
  const icon = new URL('app/icon-192.png', ownersPage).href
  const options = { body, tag, lang: language, icon, data: counted, renotify: true }
  await registration.showNotification(title, options)
}

/** In a page of the owner that is open already, or in a new one. */
async function openInbox(): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = windows.find(({ url }) => isOwnersPage(new URL(url)))
  if (open === undefined) {
    await worker.clients.openWindow(new URL('#/inbox', ownersPage).href)
    return
  }
  open.postMessage(OPEN_INBOX)
  await open.focus()
}

function isOwnersPage({ origin, pathname }: URL): boolean {
  return origin === ownersPage.origin && [ownersPage.pathname, `${ownersPage.pathname}index.html`].includes(pathname)
}
