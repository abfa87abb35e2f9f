/** Single sessions, for tests that control each step. */
import assert from 'node:assert/strict'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fetchReceipt } from './guest.ts'
import { type Attempt, type Link, newAttempt } from './ledger.ts'
import type { World } from './load.ts'
import { type Caps, provision } from './pool.ts'
import { randomContent, sha256 } from './random.ts'
import { rowsOf } from './rows.ts'
import { createUpload, type Upload } from './upload.ts'

export interface Session {
  readonly attempt: Attempt
  readonly content: Buffer<ArrayBuffer>
  readonly upload: Upload
}

export async function newLink(world: World, name: string, caps: Caps = { singleUse: false }): Promise<Link> {
  const [owner] = world.owners
  assert.ok(owner)
  return provision(world, world.random.fork(name), { owner, ...caps })
}

/** Adds the attempt to the ledger, without a request to the server. */
export function plannedSession(
  world: World,
  link: Link,
  { name, size }: { readonly name: string; readonly size: number },
): Session {
  const content = randomContent(name, size)
  const attempt = newAttempt({ name, link, size, hash: sha256(content), isFalse: false })
  link.attempts.push(attempt)
  world.ledger.attempts.push(attempt)
  return { attempt, content, upload: createUpload(world, attempt, content) }
}

export async function openSession(
  world: World,
  link: Link,
  file: { readonly name: string; readonly size: number },
): Promise<Session> {
  const session = plannedSession(world, link, file)
  assert.ok(await session.upload.create())
  return session
}

/** Chunks from the session's offset to before `end`. Each must be acknowledged. */
export async function appendUpTo({ attempt, upload }: Session, end: number, chunkBytes: number): Promise<void> {
  while (attempt.acknowledgedOffset < end) {
    const offset = attempt.acknowledgedOffset
    const reply = await upload.append({ offset, length: Math.min(chunkBytes, end - offset) })
    assert.equal(reply?.status, 204)
  }
}

/** Lands a drop, and fetches its receipt. */
export async function landed(
  world: World,
  link: Link,
  file: { readonly name: string; readonly size: number },
): Promise<Attempt> {
  const session = await openSession(world, link, file)
  await appendUpTo(session, file.size, file.size)
  await fetchReceipt(world, session.attempt)
  return session.attempt
}

/** The file that holds a session’s bytes. */
export function fileOf(dataDirectory: string, { uploadId = '' }: { readonly uploadId: string | undefined }): string {
  const database = new DatabaseSync(join(dataDirectory, 'blindkeep.sqlite'), { readOnly: true })
  try {
    const [row] = rowsOf(database, 'select location from uploads where upload_id = ?', uploadId)
    assert.ok(row)
    return join(dataDirectory, 'blobs', row.text('location'))
  } finally {
    database.close()
  }
}

/** Flips one bit, as a failing disk does. */
export async function flipBit(path: string, position: number): Promise<void> {
  const byte = (await readFile(path))[position]
  assert.ok(byte !== undefined)
  const file = await open(path, 'r+')
  await file.write(Buffer.of(byte ^ 1), 0, 1, position)
  await file.close()
}
