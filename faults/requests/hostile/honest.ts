/** What an honest guest does beside the others: lands files, and measures how long it takes to create a session. */
import { randomBytes } from 'node:crypto'
import { sha256 } from '../../harness/random.ts'
import { chunkOf } from './attacks.ts'
import type { Guest } from './wire.ts'

const FILE_BYTES = 1024 * 1024
const KEM_CT = randomBytes(1120).toString('base64')

export interface Work {
  readonly guest: Guest
  readonly link: string
  /** What went wrong is added here. */
  readonly errors: string[]
  /** The milliseconds that each creation took are added here. */
  readonly creationMs: number[]
}

/** Lands so many files of 1 MiB, each once: an honest guest meets no refusal at all. Returns the bytes that landed. */
export async function landFiles(work: Work, files: number): Promise<number> {
  let landedBytes = 0
  for (let count = 0; count < files; count += 1) {
    const content = randomBytes(FILE_BYTES)
    const path = await create(work, content)
    if (path === undefined) continue
    const { said } = await work.guest.ask(chunkOf(path, content)).catch(unanswered)
    if (said === '204') landedBytes += content.length
    else work.errors.push(`a chunk was answered ${said}`)
  }
  return landedBytes
}

/** Creates and cancels sessions. */
export async function createAndCancel(work: Work, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const path = await create(work, Buffer.from([index % 256]))
    if (path === undefined) continue
    const { said } = await work.guest.ask({ method: 'DELETE', path }).catch(unanswered)
    if (said !== '204') work.errors.push(`a cancel was answered ${said}`)
  }
}

async function create({ guest, link, errors, creationMs }: Work, content: Uint8Array): Promise<string | undefined> {
  const hash = sha256(content)
  const startedAt = performance.now()
  const answer = await guest
    .askJson('POST', `/d/${link}`, {
      content_type: 'application/octet-stream',
      size: content.length,
      ciphertext_hash: hash,
      kem_ct: KEM_CT,
    })
    .catch(unanswered)
  creationMs.push(performance.now() - startedAt)
  if (answer.said !== '201') {
    errors.push(`a creation was answered ${answer.said}`)
    return undefined
  }
  const { upload_id: uploadId }: { readonly upload_id: string } = JSON.parse(answer.body.toString())
  return `/d/${link}/${uploadId}`
}

function unanswered(error: unknown): { readonly said: string; readonly body: Buffer } {
  return { said: `not at all (${error instanceof Error ? error.message : String(error)})`, body: Buffer.alloc(0) }
}
