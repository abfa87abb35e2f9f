/** What an earlier visit stored, perhaps of another release. What cannot be read counts as not stored. */
import { type Batch, parseSendState, type SendState } from '@blindkeep/client/guest'
import { parseInstant } from '@blindkeep/protocol/ids'
import { isCount, isObject } from '@blindkeep/protocol/json'
import type { Message } from '../../ground/messages.ts'
import type { FileIdentity } from '../files/fileIdentity.ts'
import { messageOf } from '../files/sentMessages.ts'
import type { LandedFile, PlannedFile, StoredUpload } from './guestStore.ts'

/** `sentBytes` is stored beside the upload: it changes with every chunk. Undefined for anything else. */
export function readStoredUpload(stored: unknown, sentBytes: unknown): StoredUpload | undefined {
  if (!isObject(stored)) return undefined
  const { id, linkId, keptAt } = stored
  const [identity, state] = [identityIn(stored), stateIn(stored)]
  if (typeof id !== 'string' || typeof linkId !== 'string' || !isTime(keptAt)) return undefined
  if (identity === undefined || state === undefined) return undefined
  return { ...identity, id, linkId, keptAt, state, sentBytes: isCount(sentBytes) ? Math.min(sentBytes, state.size) : 0 }
}

/** Undefined for anything but a planned file. */
export function readPlannedFile(stored: unknown): PlannedFile | undefined {
  if (!isObject(stored)) return undefined
  const { id, linkId, visitId, keptAt } = stored
  const identity = identityIn(stored)
  if (typeof id !== 'string' || typeof linkId !== 'string' || typeof visitId !== 'string') return undefined
  if (!isTime(keptAt) || identity === undefined) return undefined
  return { ...identity, id, linkId, visitId, keptAt, batch: batchIn(stored) }
}

function batchIn({ batch }: Readonly<Record<string, unknown>>): Batch | undefined {
  if (!isObject(batch) || typeof batch.id !== 'string') return undefined
  const { id, index, count } = batch
  return { id, index: isCount(index) ? index : undefined, count: isCount(count) ? count : undefined }
}

/** Undefined for anything but a message. */
export function readMessage(stored: unknown): Message | undefined {
  if (!isObject(stored) || typeof stored.note !== 'string' || typeof stored.sender !== 'string') return undefined
  const answers = Array.isArray(stored.answers) ? stored.answers.filter(isAnswer) : []
  return messageOf({ note: stored.note, sender: stored.sender, answers })
}

function isAnswer(stored: unknown): stored is readonly [string, string] {
  return Array.isArray(stored) && stored.length === 2 && stored.every((text) => typeof text === 'string')
}

/** Undefined for anything but a landed file. An unreadable receipt is left out: the server is asked for it again. */
export function readLandedFile(stored: unknown): LandedFile | undefined {
  if (!isObject(stored) || !isObject(stored.custody)) return undefined
  const { id, linkId, landedAt } = stored
  const { baseUrl, opaqueId, uploadId, ciphertextHash, size } = stored.custody
  const identity = identityIn(stored)
  if (typeof id !== 'string' || typeof linkId !== 'string' || !isTime(landedAt) || identity === undefined)
    return undefined
  if (typeof baseUrl !== 'string' || typeof opaqueId !== 'string' || typeof uploadId !== 'string') return undefined
  if (typeof ciphertextHash !== 'string' || !isCount(size)) return undefined
  const custody = { ...stored.custody, baseUrl, opaqueId, uploadId, ciphertextHash, size }
  const file = {
    ...identity,
    id,
    linkId,
    landedAt,
    custody,
    ...(stored.usedUpLink === true && { usedUpLink: true as const }),
  }
  return isReceipt(stored.receipt) ? { ...file, receipt: stored.receipt } : file
}

function stateIn({ state }: Readonly<Record<string, unknown>>): SendState | undefined {
  try {
    return parseSendState(state)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function identityIn({ name, folder, size, lastModified }: Readonly<Record<string, unknown>>): FileIdentity | undefined {
  if (typeof name !== 'string' || typeof folder !== 'string' || !isCount(size)) return undefined
  return typeof lastModified === 'number' ? { name, folder, size, lastModified } : undefined
}

function isReceipt(stored: unknown): stored is NonNullable<LandedFile['receipt']> {
  if (!isObject(stored) || !isCount(stored.receipt_seq) || !isCount(stored.size)) return false
  const { received_at, server_id, server_key_id, ciphertext_hash, receipt_cbor } = stored
  const texts = [received_at, server_id, server_key_id, ciphertext_hash, receipt_cbor]
  return texts.every((text) => typeof text === 'string') && parseInstant(String(received_at)) !== undefined
}

/** Milliseconds since 1970 that a date can have. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime())
}
