/** Requests and expectations of chunk tests, for the sessions of guests and owners. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Reply } from './call.ts'
import type { Client, Sending } from './client.ts'
import {
  type AnySession,
  chunkHeaders,
  MIB,
  newLink,
  openSession,
  type Session,
  sessionPath,
  stateOf,
  tokenOf,
} from './world.ts'

export const MAX_CHUNK_BYTES = 16 * MIB
export const SIZE = 300

/** The session of a guest for a new file. */
export async function newSession(client: Client, size = SIZE, declared: object = {}): Promise<Session> {
  return openSession(await newLink(client), randomBytes(size), declared)
}

/** Sends exactly these headers. */
export function patch(
  session: Session,
  headers: Record<string, string | readonly string[] | undefined>,
  body: Uint8Array = session.file,
): Promise<Reply> {
  return session.client.send({ method: 'PATCH', path: sessionPath(session), body, headers })
}

/** Starts a chunk request from `start` to the end of the file, and waits until the server reads it. */
export async function startChunk(session: AnySession, start = 0): Promise<Sending> {
  const chunk = session.file.subarray(start)
  const sending = session.client.start({
    method: 'PATCH',
    path: sessionPath(session),
    token: tokenOf(session),
    headers: { ...chunkHeaders(start, chunk), 'content-length': String(chunk.length), expect: '100-continue' },
  })
  await sending.continued
  return sending
}

export async function expectState(session: AnySession, offset: number, state: string): Promise<void> {
  assert.deepEqual(await stateOf(session), { status: 200, offset, length: session.file.length, state })
}
