/**
 * The service worker that takes files which another app shares with the installed one, before they leave the device. It
 * controls no page, because none is in its scope; its policy (`http/pages.ts` of the server) allows no connection. It
 * stays when the owner has turned this off, and then takes nothing: the system may offer the share for days, and
 * without a worker the files would reach the server (decisions/files-from-other-apps.md).
 */
import { type TakeFault, takeFiles, takingOwner } from './takenFiles.ts'

/** Of a service worker's scope, what this one uses: the types of pages do not have it (W3C Service Workers). */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration
  skipWaiting(): Promise<void>
  addEventListener(name: 'install', listener: (event: { waitUntil(work: Promise<unknown>): void }) => void): void
  addEventListener(name: 'fetch', listener: (event: FetchEvent) => void): void
}

interface FetchEvent {
  readonly request: Request
  respondWith(answer: Promise<Response>): void
}

const worker = globalThis as unknown as WorkerScope
/** The scope is the folder of this script, one below the pages. */
const ownersPage = new URL('../', worker.registration.scope)

// A new version has nothing to wait for, as it controls no page.
worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))

// What may have a body never gets to the network, whatever its address in the scope.
worker.addEventListener('fetch', (event) => {
  if (!['GET', 'HEAD'].includes(event.request.method)) event.respondWith(answer(event.request))
})

async function answer(request: Request): Promise<Response> {
  const fault = await take(request).catch((): TakeFault => 'failed')
  const address = new URL(fault === undefined ? '#/albums' : `#/albums?taken=${fault}`, ownersPage)
  return Response.redirect(address, 303)
}

async function take(request: Request): Promise<TakeFault | undefined> {
  const baseUrl = ownersPage.href.replace(/\/$/, '')
  // Nothing is read of a form that is not wanted.
  if ((await takingOwner(baseUrl)) === undefined) return 'off'
  const given = (await request.formData()).getAll('files').filter((value) => value instanceof File)
  return takeFiles(baseUrl, given.filter(isChosen))
}

/** False for what a form sends where no file was chosen (HTML, constructing the entry list). */
function isChosen({ name, size }: File): boolean {
  return name !== '' || size > 0
}
