/** The built pages: which file is at which address, and the headers that it is sent with, the same at every server. */

/** Of the one style in `packages/web/unknown/index.html`, which names no files: it is at addresses of any depth. */
const UNKNOWN_STYLE = "'sha256-p7LGIF6JMdbeDxcjjMyqxfQM+lOEWKRWdYkH6VYBi6A='"

/** Nothing inline but that style or from other origins, no HTML or script from text, no frames (decisions/web.md). */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${UNKNOWN_STYLE}`,
  "img-src 'self' blob:",
  "manifest-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types blindkeep-worker',
].join('; ')
/** A worker, which has the keys, follows its own script's policy (CSP Level 3, section 4.2.2). WebAssembly hashes. */
const ASSET_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The service worker shows a message with the app's picture, and reaches nothing else (decisions/web.md). */
const PUSH_POLICY = "default-src 'none'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Data of the interface, bytes of guests among them: a browser that is led there shows a text without an origin. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

const PASSKEYS = ['publickey-credentials-create', 'publickey-credentials-get']
/** The pages use none of these features, so no code in them may. */
const UNUSED = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
  'xr-spatial-tracking',
]

/** Only the owner's page signs in with passkeys, and no frame in it does. */
const permissionsPolicy = (allowance: '' | 'self') =>
  [...UNUSED.map((feature) => `${feature}=()`), ...PASSKEYS.map((feature) => `${feature}=(${allowance})`)].join(', ')

const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': permissionsPolicy(''),
  'Referrer-Policy': 'no-referrer',
}
/** The name of an asset changes with its content. */
const ASSET_HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': ASSET_POLICY,
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** The service worker that takes files from other apps has no way to send them (decisions/files-from-other-apps.md). */
const TAKE_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** The browser asks for a service worker again by itself, so a new server replaces it. */
const serviceWorkerHeaders = (policy: string) => ({
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': policy,
  'Cross-Origin-Resource-Policy': 'same-origin',
})

export interface PageRoute {
  readonly path: string
  /** Pages of a kind have the same headers. */
  readonly kind: 'owner' | 'page' | 'unknown' | 'asset' | 'preview' | 'push' | 'take'
  /** Matches the addresses of the route. */
  readonly form: RegExp
  readonly headers: Readonly<Record<string, string>>
  /** The file for the part that matched `*`. */
  fileName(rest: string): string
}

const page = { kind: 'page', headers: { ...PAGE_HEADERS, 'Content-Security-Policy': PAGE_POLICY } } as const
export const PREVIEW = 'preview/index.html'
const ownerHeaders = { ...page.headers, 'Permissions-Policy': permissionsPolicy('self') }
/** The document of links and shares is one: its script decides by the address (decisions/pages.md). */
export const LINK_DOCUMENT = 'u/index.html'
export const PAGE_ROUTES: readonly PageRoute[] = [
  { kind: 'owner', path: '/', form: /^\/$/, headers: ownerHeaders, fileName: () => 'index.html' },
  { ...page, path: '/u/:opaque_id', form: /^\/u\/[^/]+$/, fileName: () => LINK_DOCUMENT },
  { ...page, path: '/v/:opaque_id', form: /^\/v\/[^/]+$/, fileName: () => LINK_DOCUMENT },
  {
    kind: 'asset',
    path: '/assets/*',
    form: /^\/assets\//,
    headers: ASSET_HEADERS,
    fileName: (rest) => `assets/${rest}`,
  },
  // What a system shows of the page that is installed as an app. The names never change.
  { ...page, path: '/app/*', form: /^\/app\//, fileName: (rest) => `app/${rest}` },
  {
    kind: 'preview',
    path: '/preview/*',
    form: /^\/preview\//,
    // And the policy of the build: `previewPolicyOf`.
    headers: PAGE_HEADERS,
    fileName: (rest) => (rest === '' ? PREVIEW : `preview/${rest}`),
  },
  // The scope of each service worker is its path, where no page is.
  {
    kind: 'push',
    path: '/push/*',
    form: /^\/push\//,
    headers: serviceWorkerHeaders(PUSH_POLICY),
    fileName: (rest) => `push/${rest}`,
  },
  {
    kind: 'take',
    path: '/take/*',
    form: /^\/take\//,
    headers: serviceWorkerHeaders(TAKE_POLICY),
    fileName: (rest) => `take/${rest}`,
  },
]

/** What a browser is shown, with status 404, at each address that has no other answer. The policy is that of a page. */
export const UNKNOWN_PAGE: PageRoute = {
  kind: 'unknown',
  path: '/*',
  form: /^\//,
  headers: { ...page.headers, 'Cache-Control': 'no-store' },
  fileName: () => 'unknown/index.html',
}

/**
 * The page that shows a guest's file has no origin and no network, whatever the file does. Its script and style are in
 * it, allowed by their hashes: in a frame with a `sandbox` attribute WebKit takes nothing for `'self'`
 * (decisions/web.md).
 */
export function previewPolicyOf(document: string, sha256Base64: Sha256Base64): string {
  const [script, style] = ['script', 'style'].map((name) => hashesIn(document, name, sha256Base64))
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    // A decoder is a worker from a `blob:` that this script makes, has this policy too, and may be WebAssembly.
    `script-src ${script} 'wasm-unsafe-eval'`,
    'worker-src blob:',
    `style-src ${style}`,
    'img-src blob:',
    'media-src blob:',
    "frame-ancestors 'self'",
  ].join('; ')
}

/** The sources of a policy for the elements without attributes that have this name (CSP Level 3, section 2.3.1). */
function hashesIn(document: string, name: string, sha256Base64: Sha256Base64): string {
  const elements = document.matchAll(new RegExp(`<${name}>(?<text>.*?)</${name}>`, 'gs'))
  const hashes = [...elements].map(({ groups }) => sha256Base64(groups?.text ?? ''))
  return hashes.length === 0 ? "'none'" : hashes.map((hash) => `'sha256-${hash}'`).join(' ')
}

/** Of the UTF-8 of a text. */
type Sha256Base64 = (text: string) => string

/** The folders of pages in a build. Nothing else in the directory is read. */
export const PAGE_FOLDERS = ['u', 'unknown', 'assets', 'preview', 'app', 'push', 'take'] as const
export const PAGE_INDEX = 'index.html'

/** By the end of a file's name. A build's other files are not sent. */
export const PAGE_MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
