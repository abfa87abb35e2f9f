/**
 * Servers that say of their names and keys what a test lets them say, by the golden files of a server that has moved.
 * Clients reach them by their public names; only `fetch` knows that all are one process of this machine.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after } from 'node:test'
import { HYBRID_ALGORITHM } from '@blindkeep/protocol/keys'
import type { KeyChangeResponse, MovesResponse } from '@blindkeep/protocol/schemas/discovery'
import vectors from '../../../../vectors/moves.json' with { type: 'json' }
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import type { PinnedKeys } from '../verify/pinnedKeys.ts'
import { pinKeys } from '../verify/pins.ts'

export const [HOME, NAME, NEXT] = [
  'http://127.0.0.1:8080',
  'https://keep.example',
  'https://drop.example:8443',
] as const

/** An answer with JSON, a redirect, or none. */
export type Scripted = { readonly status?: number; readonly json: unknown } | { readonly redirect: string } | 'silence'

/** By the path of the request below the server's origin. What is called is called once for each request. */
export type Documents = Readonly<Record<string, Scripted | (() => Scripted)>>

const PATHS = {
  info: '/.well-known/service/server-info',
  keys: '/.well-known/service/attestation-keys',
  moves: '/.well-known/service/moves',
} as const

/** A server of the specification alone does not know the question. */
export const NO_STATEMENTS: Scripted = { status: 404, json: { status: 404, code: 'error.request.not_found' } }

type Valid = (typeof vectors.valid)[number]

function validOf(name: string): Valid {
  return vectors.valid.find((one) => one.name === name) ?? assert.fail(name)
}

export function statement(name: string): KeyChangeResponse {
  const { leave, arrive } = vectors.statements.find((one) => one.name === name) ?? assert.fail(name)
  return { leave, arrive }
}

/** The lists of the case `name`, as its server publishes them. */
export function listsOf(name: string) {
  const { server_id, keys, moves, rotations } = validOf(name)
  const published = keys.map(({ key_id, ...times }) => {
    const { public: bytes } = vectors.keys.find((key) => key.key_id === key_id) ?? assert.fail(key_id)
    return { key_id, public: bytes, algorithm: HYBRID_ALGORITHM, ...times }
  })
  const changes: MovesResponse = { server_id, moves: moves.map(statement), rotations: rotations.map(statement) }
  return { keys: { server_id, keys: published }, changes }
}

/** What a client has pinned that has seen the server in the case `name`. */
export function pinsOf(name: string, more: Partial<PinnedKeys> = {}): PinnedKeys {
  const { keys } = listsOf(name)
  return { ...pinKeys(keys as Parameters<typeof pinKeys>[0], keys.server_id), ...more }
}

/** All documents of the server in the case `name`. `below`: the path of its address. */
export function documentsOf(name: string, { below = '', ...changed }: Changed = {}): Documents {
  const { keys, changes } = listsOf(name)
  const info = {
    server_id: keys.server_id,
    api_base_url: `${keys.server_id}${below}/v1`,
    auth: { login: '/', refresh: '/', logout: '/' },
    protocol_version: { min: '2026-01-01', max: '2026-01-01' },
    signing_key: Buffer.alloc(32).toString('base64'),
    signing_algorithm: 'ed25519',
    deprecations: [],
  }
  const scripted = { info: { json: info }, keys: { json: keys }, moves: { json: changes }, ...changed }
  return Object.fromEntries(Object.entries(PATHS).map(([name, path]) => [`${below}${path}`, scripted[name as 'info']]))
}

interface Changed extends Partial<Readonly<Record<keyof typeof PATHS, Scripted | (() => Scripted)>>> {
  readonly below?: string
}

export interface Asked {
  readonly url: string
  readonly headers: Headers
}

export interface ScriptedServers {
  readonly environment: Environment
  /** All requests since the last `tell`. */
  readonly asked: readonly Asked[]
  /** What each origin answers; an unknown origin does not answer. */
  tell(servers: Readonly<Record<string, Documents>>): void
}

/** Call it at the top of a test file. */
export async function startScriptedServers(): Promise<ScriptedServers> {
  let servers: Readonly<Record<string, Documents>> = {}
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const { origin, pathname } = new URL(request.headers['x-asked']?.toString() ?? '')
    const answer = servers[origin]?.[pathname]
    const scripted = typeof answer === 'function' ? answer() : answer
    if (scripted === 'silence') return void request.socket.destroy()
    if (scripted === undefined) return void response.writeHead(404).end()
    if ('redirect' in scripted) return void response.writeHead(307, { location: scripted.redirect }).end()
    response
      .writeHead(scripted.status ?? 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(scripted.json))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(address !== null && typeof address !== 'string')
  const { port } = address
  return {
    asked,
    tell(scripted) {
      servers = scripted
      asked.length = 0
    },
    environment: {
      ...systemEnvironment,
      fetch: async (input, init) => {
        const url = String(input)
        const headers = new Headers(init?.headers)
        asked.push({ url, headers: new Headers(headers) })
        if (servers[new URL(url).origin] === undefined) throw new TypeError('fetch failed')
        headers.set('x-asked', url)
        return fetch(`http://127.0.0.1:${port}/`, { ...init, headers })
      },
    },
  }
}
