/** P4: an authenticated read, beside a server that only answers: the price of token, account and account's use. */
import { drive, expectStatus, requestOf } from '../load.ts'
import { newOwner } from '../owner.ts'
import { startBlindkeep, startPeer } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'

const CLIENTS = 16

export const p4: Row = {
  ids: ['P4'],
  what: 'GET /v1/quota, authenticated, 16 connections; also without the log line that each request is by default',
  async open(options) {
    const logging = await quotaOf(options, { data: 'logging', env: {} })
    const silent = await quotaOf(options, { data: 'silent', env: { LOG_LEVEL: 'warn' } })
    const constant = await startPeer('constant', { argument: logging.body, atEnd: options.atEnd })
    const count = options.isQuick ? 500 : 20_000
    const quota = quotaLane({ ...logging, name: 'quota', count })
    const quotaSilent = quotaLane({ ...silent, name: 'quota, LOG_LEVEL=warn', count })
    const fastify = quotaLane({ ...logging, name: 'Fastify, the same bytes', port: constant, count })
    return {
      unit: '/s',
      lanes: [quota, quotaSilent, fastify],
      comparisons: [
        { id: 'P4', lane: quota, beside: fastify, reach: 0.5 },
        { id: 'P4', lane: quotaSilent, beside: fastify },
      ],
    }
  },
}

async function quotaOf(options: RowOptions, settings: Parameters<typeof startBlindkeep>[1]) {
  const server = await startBlindkeep(options, settings)
  const { token } = await newOwner(server)
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${server.url}/v1/quota`, { headers })
  return { port: server.port, headers, body: await answer.text() }
}

interface QuotaLane {
  readonly name: string
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  /** What every answer has to be. */
  readonly body: string
  readonly count: number
}

function quotaLane({ name, port, headers, body, count }: QuotaLane): Lane {
  const request = requestOf({ method: 'GET', path: '/v1/quota', headers })
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
      return { perSecond: count / seconds, loadBusy }
    },
  }
}
