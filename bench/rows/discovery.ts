/** P5: the documents that a client reads first. Compared with a server that sends the same bytes. */
import { startBlindkeep, startPeer } from '../processes.ts'
import type { Row } from '../row.ts'
import { answerLane, BARE_READS } from './quota.ts'

const PATHS = ['/.well-known/service/server-info', '/.well-known/service/attestation-keys'] as const

export const discovery: Row = {
  name: 'discovery',
  ids: ['P5'],
  what: 'discovery documents, 16 connections',
  async open(options) {
    const server = await startBlindkeep(options)
    const count = options.isQuick ? 100 : 20_000
    const pairs = await Promise.all(
      PATHS.map(async (path) => {
        const body = await (await fetch(`${server.url}${path}`)).text()
        const peer = await startPeer(options, 'constant', body)
        const bare = await startPeer(options, 'bareReads', body)
        const asked = { path, headers: {}, body, count }
        const lane = answerLane({ ...asked, name: path, port: server.port })
        return [
          { id: 'P5', lane, beside: answerLane({ ...asked, name: 'Fastify, the same bytes', port: peer }), reach: 0.9 },
          { id: 'P5', lane, beside: answerLane({ ...asked, name: BARE_READS, port: bare }) },
        ]
      }),
    )
    const comparisons = pairs.flat()
    return { unit: '/s', lanes: [...new Set(comparisons.flatMap(({ lane, beside }) => [lane, beside]))], comparisons }
  },
}
