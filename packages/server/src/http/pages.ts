/** Pages for people, the same for all visitors: they do not reveal whether a link or share exists. */
import type { ServerResponse } from 'node:http'
import { exposedInvite } from '@blindkeep/protocol/inviteLink'
import { PAGE_POLICY, PAGE_ROUTES, type PageRoute, UNKNOWN_PAGE } from '@blindkeep/protocol/pages'
import type { Refusal } from '../domain/ground/refusals.ts'
import type { ContentCoding, PageFile, Pages } from '../ports/pages.ts'
import { type Exchange, holds, type Incoming, type Route, send, setHeaders } from './reply.ts'

const METHODS = ['GET', 'HEAD'] as const
const CODINGS: readonly ContentCoding[] = ['br', 'gzip']

const PLAIN_TEXT = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }

/** For a person, in the languages of the pages. */
const UNSEALED = `These files were not taken, and nothing of them was stored. This device had lost the part of Blindkeep that takes shared files, so they came to the server without encryption. Open Blindkeep, look under Account, then share them again.

Diese Dateien wurden nicht angenommen, und nichts davon wurde gespeichert. Diesem Gerät fehlte der Teil von Blindkeep, der geteilte Dateien annimmt, daher kamen sie ohne Verschlüsselung zum Server. Öffnen Sie Blindkeep, sehen Sie unter „Konto“ nach und teilen Sie sie dann noch einmal.
`

type Refuse = (exchange: Exchange & { readonly refusal: Refusal }) => Promise<void>

/** Pages have routes of their own: they are not in the interface that the table of operations describes. */
export function pageRoutes(pages: Pages, refuse: Refuse): readonly Route[] {
  // The router also takes an empty id, hence the check of the form.
  const fileAt = ({ form, fileName }: PageRoute, { url }: Incoming, rest = ''): PageFile | undefined =>
    form.test(pathOf(url)) ? pages.get(fileName(rest)) : undefined

  const routes = PAGE_ROUTES.map((page) => ({
    methods: METHODS,
    path: page.path,
    operation: 'page',
    answer: async (exchange: Exchange, { '*': rest }: Readonly<Record<string, string>>) => {
      const { request, reply } = exchange
      if (pages.size === 0) return void sayNotBuilt(reply)
      const file = fileAt(page, request, rest)
      if (file === undefined)
        return sendToPage(exchange) ? undefined : refuse({ ...exchange, refusal: { refused: 'not_found' } })
      setHeaders(reply, page.headers)
      sendFile(exchange, file)
    },
  }))
  const unsealed: Route = {
    methods: ['POST'],
    path: '/take/*',
    operation: 'page',
    answer: async ({ reply }) => refuseUnsealed(reply),
  }
  return [...routes, unsealed]
}

/**
 * Another app has shared files with the installed one, and the browser has lost the service worker that would have
 * taken them: they come as they are. Not even the rest of the body is read: the connection ends with the answer.
 */
function refuseUnsealed(reply: ServerResponse): void {
  setHeaders(reply, { Allow: METHODS.join(', '), Connection: 'close', ...PLAIN_TEXT })
  send(reply, 405, UNSEALED)
}

/** The id of a link or share, with a fragment whose `#` a program has rewritten, if there is one. */
const DAMAGED_LINK = /^\/([uv])(?:\/([\w-]*(?:%(?:25)*23[\w-]*)?))?\/?$/i

/**
 * A browser at a damaged address of a link, share or invite: it goes on to the page, with the fragment that only it
 * has, and the page says what is wrong or opens. The target is relative, because the public URL may have a path.
 * Answers no other request, and says whether it has answered.
 */
export function sendToPage(exchange: Exchange): boolean {
  const target = linkTargetOf(exchange.request.url)
  if (target === undefined || !isBrowser(exchange)) return false
  sendOn(exchange, target)
  return true
}

/** @param target relative to the server's base */
function sendOn({ request, reply }: Exchange, target: string): void {
  const up = '../'.repeat(pathOf(request.url).split('/').length - 2)
  setHeaders(reply, { Location: `./${up}${target}`, Vary: 'Accept', 'Cache-Control': 'no-store' })
  send(reply, 302)
}

function isBrowser({ request: { method, headers } }: Exchange): boolean {
  return METHODS.some((each) => each === method) && headers.accept?.includes('text/html') === true
}

/** All that the link to the start names: the page stands at addresses of any depth, below any path of a proxy. */
const START = '?start'

/**
 * A browser where nothing is: it gets a page that says so, and from there goes on to the server's base. Answers no
 * other request, and says whether it has answered.
 *
 * @param policy of the address: where data or files are, there are no pages
 */
export function sendUnknown(pages: Pages, policy: string, exchange: Exchange): boolean {
  const file = pages.get(UNKNOWN_PAGE.fileName(''))
  if (file === undefined || policy !== PAGE_POLICY || !isBrowser(exchange)) return false
  if (exchange.request.url.endsWith(START)) sendOn(exchange, '')
  else {
    setHeaders(exchange.reply, UNKNOWN_PAGE.headers)
    sendFile(exchange, file, 404)
  }
  return true
}

/** Where the page of such an address is, relative to the server's base; undefined for other addresses. */
export function linkTargetOf(url: string): string | undefined {
  const [, kind, id] = DAMAGED_LINK.exec(pathOf(url)) ?? []
  // `-` is no id of any link.
  return kind === undefined ? exposedInvite(url) : `${kind.toLowerCase()}/${id || '-'}`
}

/** The methods of the page at this address; undefined if there is none. */
export function pageMethodsAt(url: string): readonly string[] | undefined {
  return PAGE_ROUTES.some(({ form }) => form.test(pathOf(url))) ? METHODS : undefined
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? ''
}

/** Tells the operator what to do. The rest of the server works. */
function sayNotBuilt(reply: ServerResponse): void {
  setHeaders(reply, PLAIN_TEXT)
  send(reply, 503, 'The pages are not built yet: run `npm run build`, then start the server again.\n')
}

function sendFile({ request, reply }: Exchange, file: PageFile, status = 200): void {
  const coding = CODINGS.find((each) => file.coded[each] && accepts(request.headers['accept-encoding'], each))
  const bytes = (coding && file.coded[coding]) ?? file.bytes
  // Each coding is its own representation (RFC 9110, section 8.8.3.3).
  const etag = `"${file.version}${coding === undefined ? '' : `-${coding}`}"`
  setHeaders(reply, { Vary: 'Accept-Encoding' })
  // Only what is there can be unchanged (RFC 9110, section 13.2.1).
  if (status === 200) {
    setHeaders(reply, { ETag: etag })
    if (holds(request.headers['if-none-match'], etag)) return void send(reply, 304)
  }
  setHeaders(reply, { 'Content-Encoding': coding, 'Content-Type': file.mediaType })
  send(reply, status, bytes)
}

/** RFC 9110, section 12.5.3. `*` does not count as any coding. */
export function accepts(acceptEncoding: string | string[] | undefined, coding: ContentCoding): boolean {
  return String(acceptEncoding ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
      return name === coding && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))
    })
}
