/**
 * A push service on loopback (RFC 8030), with the browsers that are subscribed to it: it judges each request as the
 * services of vendors do, and decrypts the message as a browser would. The token is verified by `jose`, and the message
 * decrypted by `http_ece`, of one of the authors of both standards: neither is what the server signs or encrypts with.
 */
import { createECDH, type ECDH, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { importJWK, type JWTPayload, jwtVerify } from 'jose'
import { PUSH_CERTIFICATE, PUSH_CERTIFICATE_KEY } from './pushCertificate.ts'

/** The library has no types of its own. */
interface HttpEce {
  decrypt(
    body: Uint8Array,
    keys: { readonly version: 'aes128gcm'; readonly privateKey: ECDH; readonly authSecret: string },
  ): Buffer
}
const { decrypt }: HttpEce = createRequire(import.meta.url)('http_ece')

/** RFC 8030, section 7.2. */
const MAX_BODY_BYTES = 4096
const MAX_TOKEN_SECONDS = 86_400

export interface ReceivedPush {
  /** The path of the subscription. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly bodyBytes: number
  readonly claims: JWTPayload
  /** Decrypted, without its padding. Empty for a real browser. */
  readonly text: string
}

/** What a page gets of its browser. */
export interface TestSubscription {
  readonly endpoint: string
  readonly p256dh: Uint8Array<ArrayBuffer>
  readonly auth: Uint8Array<ArrayBuffer>
}

export interface PushService {
  readonly origin: string
  /** In the order in which they were taken. */
  readonly received: readonly ReceivedPush[]
  /** Why requests were refused. */
  readonly refused: readonly string[]
  /** How it answers valid requests from now on. */
  answer: number | 'never'
  /** For `NODE_EXTRA_CA_CERTS` of the server. */
  readonly certificateFile: string
  /** A browser subscribes. `key`: of the server that may send to it, as base64url; any if undefined. */
  subscribe(key?: string): TestSubscription
  /** A browser with its own keys subscribes and decrypts: `deliver` gets what reached the endpoint. */
  subscribeReal(key: string, deliver: (body: Buffer) => void): string
  /** The browser gives its subscription up: what is sent to it gets 410. */
  unsubscribe(endpoint: string): void
  close(): Promise<void>
}

interface Browser {
  readonly key: string | undefined
  /** Answers the message, as far as the service can read it. Throws if it is not for this browser. */
  take(body: Buffer): string
}

export async function openPushService(): Promise<PushService> {
  const received: ReceivedPush[] = []
  const refused: string[] = []
  const browsers = new Map<string, Browser>()
  const gone = new Set<string>()
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-push-'))
  const certificateFile = join(directory, 'certificate.pem')
  writeFileSync(certificateFile, PUSH_CERTIFICATE)

  function add(browser: Browser): string {
    const path = `/push/${randomUUID()}`
    browsers.set(path, browser)
    return `${service.origin}${path}`
  }

  async function take(request: IncomingMessage): Promise<number> {
    const { url: path = '', headers, method } = request
    const body = await buffer(request)
    if (gone.has(path)) return 410
    const browser = browsers.get(path)
    if (browser === undefined) return 404
    try {
      if (method !== 'POST' || body.length > MAX_BODY_BYTES) throw new Error(`${method} of ${body.length} bytes`)
      const claims = await claimsOf(headers, { origin: service.origin, key: browser.key })
      judgeHeaders(headers)
      const text = browser.take(body)
      received.push({ path, headers, bodyBytes: body.length, claims, text })
    } catch (error) {
      refused.push(String(error))
      return 400
    }
    return 201
  }

  const server = https.createServer(
    { cert: PUSH_CERTIFICATE, key: PUSH_CERTIFICATE_KEY },
    async (request, response) => {
      const status = await take(request)
      if (service.answer === 'never' && status === 201) return
      response.writeHead(status === 201 ? Number(service.answer) : status, { Location: '/message/1' }).end()
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: PushService = {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    refused,
    answer: 201,
    certificateFile,
    subscribe(key) {
      const pair = createECDH('prime256v1')
      const p256dh = new Uint8Array(pair.generateKeys())
      const auth = randomBytes(16)
      const keys = { version: 'aes128gcm', privateKey: pair, authSecret: auth.toString('base64url') } as const
      const endpoint = add({ key, take: (body) => decrypt(body, keys).toString() })
      return { endpoint, p256dh, auth: new Uint8Array(auth) }
    },
    subscribeReal: (key, deliver) =>
      add({
        key,
        take(body) {
          deliver(body)
          return ''
        },
      }),
    unsubscribe(endpoint) {
      gone.add(new URL(endpoint).pathname)
    },
    close: () =>
      new Promise((resolve) => {
        rmSync(directory, { recursive: true })
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return service
}

/** RFC 8292: a token for this service, of the server with this key. */
async function claimsOf(
  { authorization = '' }: IncomingHttpHeaders,
  { origin, key }: { readonly origin: string; readonly key: string | undefined },
): Promise<JWTPayload> {
  const [, token = '', named = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  if (key !== undefined && named !== key) throw new Error('the subscription is for another server')
  const point = Buffer.from(named, 'base64url')
  if (point.length !== 65 || point[0] !== 4) throw new Error('the key is no uncompressed point')
  const part = (from: number, to: number) => point.subarray(from, to).toString('base64url')
  const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x: part(1, 33), y: part(33, 65) }, 'ES256')
  const { payload } = await jwtVerify(token, publicKey, { algorithms: ['ES256'], audience: origin, typ: 'JWT' })
  if ((payload.exp ?? 0) > Date.now() / 1000 + MAX_TOKEN_SECONDS) throw new Error('the token lives for too long')
  return payload
}

function judgeHeaders({ ttl, urgency, topic, 'content-encoding': encoding }: IncomingHttpHeaders): void {
  if (!/^\d+$/.test(String(ttl))) throw new Error(`TTL ${ttl}`)
  if (!/^(?:very-low|low|normal|high)$/.test(String(urgency))) throw new Error(`Urgency ${urgency}`)
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) throw new Error(`Topic ${topic}`)
  if (encoding !== 'aes128gcm') throw new Error(`Content-Encoding ${encoding}`)
}
