import { Histogram } from 'prom-client'
import type { CountedConnection, RequestWatch } from '../../ports/metrics.ts'
import { createTally, type Figures, one } from './figures.ts'

/** Seconds. A chunk on a slow line takes minutes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

export function watchRequests({ registry, total, gauge }: Figures): RequestWatch {
  const seconds = new Histogram({
    name: 'blindkeep_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, by operation and class of status; the status is "cut" if the client disconnected before.',
    labelNames: ['operation', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })
  const open = createTally()
  gauge(
    {
      name: 'blindkeep_http_requests_open',
      help: 'Requests under way. Those of the operation "events" are event streams.',
      labelNames: ['operation'],
    },
    () => open.reading('operation'),
  )
  const problems = createTally()
  total(
    {
      name: 'blindkeep_http_problems_total',
      help: 'Requests that were refused, by problem code.',
      labelNames: ['code'],
    },
    () => problems.reading('code'),
  )
  return {
    connected: countConnections({ total, gauge }),
    begun(operation) {
      const begunAt = performance.now()
      open.add(operation)
      return ({ status, problem }) => {
        open.add(operation, -1)
        seconds.observe({ operation, status: classOf(status) }, (performance.now() - begunAt) / 1000)
        if (problem !== undefined) problems.add(problem)
      }
    },
  }
}

function classOf(status: number | undefined): string {
  return status === undefined ? 'cut' : `${Math.floor(status / 100)}xx`
}

/** Each socket counts by itself. They are added up when the figures are read, and when one closes. */
function countConnections({ total, gauge }: Pick<Figures, 'total' | 'gauge'>): RequestWatch['connected'] {
  const open = new Set<CountedConnection>()
  const closed = { bytesRead: 0, bytesWritten: 0 }
  const sumOf = (direction: keyof typeof closed) =>
    [...open].reduce((sum, connection) => sum + connection[direction], closed[direction])
  gauge({ name: 'blindkeep_http_connections', help: 'Open connections.' }, () => one(open.size))
  total(
    { name: 'blindkeep_http_received_bytes_total', help: 'Bytes received on all connections, with their headers.' },
    () => one(sumOf('bytesRead')),
  )
  total({ name: 'blindkeep_http_sent_bytes_total', help: 'Bytes sent on all connections, with their headers.' }, () =>
    one(sumOf('bytesWritten')),
  )
  return (connection) => {
    open.add(connection)
    connection.once('close', () => {
      open.delete(connection)
      closed.bytesRead += connection.bytesRead
      closed.bytesWritten += connection.bytesWritten
    })
  }
}
