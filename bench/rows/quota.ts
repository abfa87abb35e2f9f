/** P4: an authenticated read beside a bare answer: the cost of token, account and its use. */
import { drive, expectStatus, requestOf } from '../load.ts'
import { newOwner } from '../owner.ts'
import { databasePathOf } from '../plantedAssets.ts'
import { type Environment, startBlindkeep, startPeer } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'

export const CLIENTS = 16
export const BARE_READS = 'bare Node with a log line'

export const quota: Row = {
  name: 'quota',
  ids: ['P4'],
  what: 'GET /v1/quota, authenticated, 16 connections; also without the log line of each request',
  async open(options) {
    const logging = await quotaOf(options)
    const silent = await quotaOf(options, { LOG_LEVEL: 'warn' })
    const constant = await startPeer(options, 'constant', logging.body)
    const bare = await startPeer(options, 'bareReads', logging.body, logging.database)
    const count = options.isQuick ? 100 : 20_000
    const logged = answerLane({ ...logging, name: 'quota', count })
    const unlogged = answerLane({ ...silent, name: 'quota, LOG_LEVEL=warn', count })
    const fastify = answerLane({ ...logging, name: 'Fastify, the same bytes', port: constant, count })
    const limit = answerLane({ ...logging, name: `${BARE_READS} and a read`, port: bare, count })
    return {
      unit: '/s',
      lanes: [logged, unlogged, fastify, limit],
      comparisons: [
        { id: 'P4', lane: logged, beside: fastify, reach: 0.5 },
        { id: 'P4', lane: unlogged, beside: fastify },
        { id: 'P4', lane: logged, beside: limit },
      ],
    }
  },
}

export async function quotaOf(options: RowOptions, env?: Environment) {
  const server = await startBlindkeep(options, env)
  const { token } = await newOwner(server)
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${server.url}/v1/quota`, { headers })
  return { port: server.port, headers, body: await answer.text(), database: databasePathOf(server) }
}

interface AnswerLane {
  readonly name: string
  readonly port: number
  readonly path?: string
  readonly headers: Readonly<Record<string, string>>
  /** The expected body of every answer. */
  readonly body: string
  readonly count: number
}

/** Requests of 16 connections that all get the same answer. */
export function answerLane({ name, port, path = '/v1/quota', headers, body, count }: AnswerLane): Lane {
  const request = requestOf({ method: 'GET', path, headers })
  return {
    name,
    async measure() {
      const { seconds, loadBusy } = await drive({
        port,
        clients: CLIENTS,
        count,
        async work(connection) {
          const answer = expectStatus(await connection.ask(request), 200)
          if (answer.body.toString('latin1') !== body) throw new Error(`another answer: ${answer.body}`)
        },
      })
      return { value: count / seconds, loadBusy }
    },
  }
}
