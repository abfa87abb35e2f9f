/**
 * The guest's process: sends one file through a link, or resumes the upload of an earlier process, then fetches and
 * checks the receipt. Started by `guestProcess.ts`. The link comes over the pipe, because it is a secret and command
 * lines are public.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  normalPassphrase,
  openLink,
  parseSendState,
  type SendProgress,
  type SendState,
  send,
} from '@blindkeep/client/guest'
import { nodeEnvironment as environment, openFile } from '@blindkeep/client/node'
import { fetchReceipt } from '@blindkeep/client/receipts'
import type { GuestMessage, GuestOrder } from './guestMessages.ts'
import { peakMemory } from './memory.ts'

function report(message: GuestMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) return reject(new Error('only the demo starts this file'))
    process.send(message, (error: Error | null) => (error === null ? resolve() : reject(error)))
  })
}

/** The state holds the key: for this user only. Replaced in one step, so that a kill leaves one of both. */
async function keep(path: string, state: SendState): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

async function keptState(path: string): Promise<SendState | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseSendState(JSON.parse(text))
}

async function run({ url, path, statePath, passphrase, note, sender }: GuestOrder): Promise<void> {
  const { source, modifiedAt, close } = await openFile(path)
  const onProgress = (progress: SendProgress) => void report({ is: 'progress', progress })
  const kept = await keptState(statePath)
  const state = kept ?? (await prepare())
  const landed = await send({ state, source, onProgress, onState: (changed) => keep(statePath, changed), environment })
  await close()
  const custody = { ...landed, baseUrl: state.baseUrl, opaqueId: state.opaqueId }
  const { signed } = await fetchReceipt({ custody, environment })
  const { receipt_seq: receiptSeq, received_at: receivedAt } = signed.payload
  const peakMemoryBytes = await peakMemory('self')
  await report({ is: 'done', done: { ...landed, receiptSeq, receivedAt, keyId: signed.keyId, peakMemoryBytes } })

  async function prepare(): Promise<SendState> {
    const link = await openLink(url, environment)
    await report({ is: 'limits', limits: link.limits })
    const facts = { name: basename(path), type: 'application/octet-stream', modifiedAt, note, sender }
    const prepared = await link.prepare({ ...facts, source, passphrase: normalPassphrase(passphrase), onProgress })
    await keep(statePath, prepared)
    return prepared
  }
}

process.once('message', (order: GuestOrder) => {
  run(order)
    .catch((error: unknown) =>
      report({ is: 'failed', message: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => process.disconnect())
})
