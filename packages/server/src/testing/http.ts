import type { AddressInfo } from 'node:net'
import type { AccountId } from '@blindkeep/protocol/ids'
import inject, { type InjectOptions, type Response } from 'light-my-request'
import { systemRandom } from '../adapters/system/random.ts'
import type { Budget } from '../http/budget.ts'
import { createRoutes } from '../http/routes/routes.ts'
import { createHttpServer, type HttpServer, type HttpSettings } from '../http/server.ts'
import type { Log } from '../ports/log.ts'
import type { Pages } from '../ports/pages.ts'
import { declare } from './guest.ts'
import { newAccount, sha256, type World } from './world.ts'

/** A world behind HTTP. */
export interface Web {
  readonly app: HttpServer
  /** Every log line with all its facts. */
  readonly logged: string[]
  readonly broken: unknown[]
  ask(request: InjectOptions): Promise<Response>
  /** The header of a signed-in caller. */
  signIn(accountId?: AccountId): Promise<{ readonly accountId: AccountId; readonly authorization: string }>
}

interface OverHttpPorts {
  readonly pages?: Pages
  readonly budget?: Budget
}

export const MAX_CHUNK_BYTES = 4096
export const MAX_REQUEST_BYTES = 8192

export function overHttp(
  world: World,
  { pages = new Map(), budget, ...settings }: Partial<HttpSettings> & OverHttpPorts = {},
): Web {
  const { store, clock, rules } = world
  const logged: string[] = []
  const broken: unknown[] = []
  const write = (event: string, facts: Readonly<Record<string, unknown>> = {}): void => {
    const { error } = facts
    logged.push(JSON.stringify([event, facts, error instanceof Error ? `${error.stack} ${String(error.cause)}` : '']))
  }
  const log: Log = { info: write, warn: write, error: write }
  const { publicUrl = 'http://localhost:80' } = settings
  const limits = { chunkBytesMax: MAX_CHUNK_BYTES, chunkBytesSuggested: 1024, requestBytesMax: MAX_REQUEST_BYTES }
  const app = createHttpServer(
    {
      routes: createRoutes(
        { rules, store, clock, version: '0.0.0', unreadiness: () => [], warnings: () => [] },
        { ...limits, publicUrl, blobBytesMax: 1024 ** 4, retentionDaysMax: 400 },
      ),
      pages,
      sessions: rules.sessions,
      proofs: rules.proofs,
      protocolWindow: rules.protocolWindow,
      log,
      newRequestId: () => systemRandom.uuid(),
      onBroken: (error) => void broken.push(error),
      ...(budget !== undefined && { budget }),
    },
    { ...limits, trustedProxies: [], logAddresses: 'refused', publicUrl, formerUrls: [], ...settings },
  )
  return {
    app,
    logged,
    broken,
    ask: (request) => ask(app, request),
    async signIn(accountId) {
      const owner = accountId ?? (await newAccount(world))
      const { accessToken } = await rules.sessions.open(owner, undefined)
      return { accountId: owner, authorization: `Bearer ${accessToken}` }
    },
  }
}

/** A request without a connection. */
export function ask({ server }: HttpServer, request: InjectOptions): Promise<Response> {
  return inject((...exchange) => void server.emit('request', ...exchange), request)
}

/** Listens on loopback, and returns the port. */
export async function listen(app: HttpServer): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** The status and the code of a problem: `409 upload.offset_mismatch`. */
export function said({ statusCode, headers, body }: Response): string {
  if (headers['content-type'] !== 'application/problem+json') return String(statusCode)
  return `${statusCode} ${JSON.parse(body).code.replace('error.', '')}`
}

/** The JSON that a guest sends to create a session for `content`. */
export function declarationOf(content: Uint8Array, changes: object = {}): string {
  const { contentType, size, ciphertextHash, kemCt } = declare(content)
  return JSON.stringify({
    content_type: contentType,
    size,
    ciphertext_hash: ciphertextHash,
    kem_ct: kemCt,
    ...changes,
  })
}

/** A request that sends a chunk: the first one unless `headers` change that. */
export function chunkOf(
  { opaqueId, uploadId }: { readonly opaqueId: string; readonly uploadId: string },
  payload: Uint8Array,
  headers: Record<string, string> = {},
): InjectOptions & { readonly headers: Record<string, string> } {
  return {
    method: 'PATCH',
    url: `/d/${opaqueId}/${uploadId}`,
    headers: {
      'content-type': 'application/octet-stream',
      'x-service-offset': '0',
      'x-service-checksum': sha256(payload),
      ...headers,
    },
    payload: Buffer.from(payload),
  }
}
