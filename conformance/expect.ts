/** Expectations about answers. */
import assert from 'node:assert/strict'
import { json, type Reply } from './call.ts'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly instance: string
  readonly code: string
  readonly limit?: number
}

/** The code of a refusal without `error.`; undefined when the answer has no body. */
export function codeOf(reply: Reply): string | undefined {
  return reply.body.length === 0 ? undefined : json<Problem>(reply).code.replace(/^error\./, '')
}

/** `404 drop.link_not_found`, or only the status when the answer is no problem. */
export function answerOf(reply: Reply): string {
  const code = reply.status >= 400 ? codeOf(reply) : undefined
  return code === undefined ? String(reply.status) : `${reply.status} ${code}`
}

export function expectAnswer(reply: Reply, expected: string, what?: string): void {
  assert.equal(
    answerOf(reply),
    expected,
    what === undefined ? undefined : `${what}: ${reply.body.toString().slice(0, 500)}`,
  )
}

/** A 413 for the configured limit of bodies has no body (specification, Endpoints). */
export function expectBodyless413(reply: Reply, what?: string): void {
  assert.equal(reply.status, 413, what)
  assert.equal(reply.body.length, 0, what)
}

export const offsetOf = (reply: Reply) => Number(reply.headers['x-service-offset'])

/** Counts equal answers. */
export function tally(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const reply of replies) counts[answerOf(reply)] = (counts[answerOf(reply)] ?? 0) + 1
  return counts
}

/** `count` requests at the same time. */
export function atOnce(count: number, ask: (index: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
}

/**
 * Everything by which a caller could distinguish two answers: status, headers in their order, body.
 * Only the request id and the date may differ, so both are replaced.
 */
export function fingerprint(reply: Reply): string {
  const id = String(reply.headers['x-request-id'])
  const headers: string[] = []
  for (let index = 0; index < reply.rawHeaders.length; index += 2) {
    const name = String(reply.rawHeaders[index])
    headers.push(`${name}: ${name.toLowerCase() === 'date' ? 'now' : reply.rawHeaders[index + 1]}`)
  }
  return [reply.status, ...headers, '', reply.body.toString('latin1')].join('\n').replaceAll(id, 'request-id')
}
