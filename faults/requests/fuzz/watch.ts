/** A client that judges and counts every answer, and keeps the values in it for later requests. */
import { AssertionError } from 'node:assert/strict'
import type { Call, Reply } from '../../../conformance/call.ts'
import type { Client } from '../../../conformance/client.ts'
import { answerOf } from '../../../conformance/expect.ts'
import { CHUNK_HASH } from './requests.ts'
import { createPool, type Pool } from './values.ts'

export interface Counted {
  readonly requests: number
  readonly statuses: Readonly<Record<string, number>>
  /** Problem codes seen, of all codes in the document. */
  readonly codes: string
  /** Operations without a single successful answer. */
  readonly neverGranted: readonly string[]
}

export interface Watch {
  /** Its `send` throws when an answer breaks a rule, after it has added the fault. */
  readonly client: Client
  readonly faults: string[]
  readonly pool: Pool
  fault(call: Call, what: string): void
  counted(): Counted
}

export function createWatch(client: Client): Watch {
  const faults: string[] = []
  const statuses: Record<string, number> = {}
  const codes = new Set<string>()
  const granted = new Set<string>()
  const pool = createPool()
  let requests = 0

  function fault(call: Call, what: string): void {
    const body = JSON.stringify(call.json ?? call.body?.toString() ?? '').slice(0, 500)
    faults.push(`${call.method} ${call.path.slice(0, 200)} ${JSON.stringify(call.headers ?? {})} ${body}: ${what}`)
  }

  function count(call: Call, reply: Reply): void {
    statuses[reply.status] = (statuses[reply.status] ?? 0) + 1
    if (reply.status >= 500) fault(call, `answered ${answerOf(reply)}`)
    if (reply.status < 400) granted.add(client.document.find(call.method, pathOf(call))?.name ?? '')
    else if (reply.body.length > 0) codes.add(JSON.parse(reply.body.toString()).code)
  }

  async function send(call: Call): Promise<Reply> {
    requests++
    try {
      const reply = await client.send(call)
      count(call, reply)
      keepNames(pool, call, reply)
      return reply
    } catch (error) {
      fault(call, error instanceof AssertionError ? error.message : String(error))
      throw error
    }
  }

  const { operations, codes: known } = client.document
  return {
    client: { ...client, send },
    faults,
    pool,
    fault,
    counted: () => ({
      requests,
      statuses,
      codes: `${codes.size} of ${known.length}`,
      neverGranted: operations.map(({ name }) => name).filter((name) => !granted.has(name)),
    }),
  }
}

export const pathOf = ({ path }: Call) => path.split('?')[0] ?? ''

function keepNames(pool: Pool, call: Call, reply: Reply): void {
  pool.keep('hash', CHUNK_HASH)
  if (reply.status >= 400 || reply.headers['content-type'] !== 'application/json') return
  const answered: unknown = reply.body.length === 0 ? undefined : JSON.parse(reply.body.toString())
  for (const value of [call.json, answered]) keepTexts(pool, '', value)
}

function keepTexts(pool: Pool, name: string, value: unknown): void {
  if (typeof value === 'string') pool.keep(name, value)
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [member, each] of Object.entries(value)) keepTexts(pool, isList ? name : member, each)
}
